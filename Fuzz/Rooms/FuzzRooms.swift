// What a Snapcast server may say to a room.

import Fuzzing
import Glibc
import Rooms

@main struct FuzzRooms {
  static func main() {
    exit(
      runFuzzer { data, size in
        RoomFuzzing.server(input(data, size))
        return 0
      })
  }
}
