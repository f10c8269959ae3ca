// What clients of MPD may say, and a box to a neighbour. The first byte of an input chooses which.

import Fuzzing
import Glibc
import Neighbours

@main struct FuzzNeighbours {
  static func main() {
    exit(
      runFuzzer { data, size in
        let bytes = input(data, size)
        let rest = Array(bytes.dropFirst())
        if bytes.first == 0x62 { NeighbourFuzzing.answers(rest) } else { NeighbourFuzzing.client(rest) }
        return 0
      })
  }
}
