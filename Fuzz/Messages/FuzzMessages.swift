// A message from a worker that is not to be trusted, as the engine reads it.

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
