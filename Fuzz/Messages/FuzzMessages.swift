// Fuzz target: a message from an untrusted worker, as the engine parses it.

import Fuzzing
import Glibc
import Decoding

@main struct FuzzMessages {
  static func main() {
    exit(
      runFuzzer { data, size in
        DecodingFuzzing.messages(input(data, size))
        return 0
      })
  }
}
