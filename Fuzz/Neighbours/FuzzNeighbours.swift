// What clients of MPD and of an MQTT broker may say, and a box to a neighbour. The first byte of an input chooses which.

import Fuzzing
import Glibc
import Neighbours

@main struct FuzzNeighbours {
  static func main() {
    exit(
      runFuzzer { data, size in
        let bytes = input(data, size)
        let rest = Array(bytes.dropFirst())
        switch bytes.first {
        case 0x62: NeighbourFuzzing.answers(rest)
        case 0x6D: NeighbourFuzzing.messages(rest)
        default: NeighbourFuzzing.client(rest)
        }
        return 0
      })
  }
}
