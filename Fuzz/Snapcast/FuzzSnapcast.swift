// What a Snapcast server may say to a room.

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
