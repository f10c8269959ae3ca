// Fuzz target: messages of a Snapcast server, as the Snapcast client parses them.

import Fuzzing
import Glibc
import SnapcastClient

@main struct FuzzSnapcast {
  static func main() {
    exit(
      runFuzzer { data, size in
        SnapcastFuzzing.server(input(data, size))
        return 0
      })
  }
}
