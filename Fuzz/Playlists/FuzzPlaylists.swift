// Fuzz target: playlists and cue sheets, as the worker parses them.

import Fuzzing
import Glibc
import Decoding

@main struct FuzzPlaylists {
  static func main() {
    exit(
      runFuzzer { data, size in
        DecodingFuzzing.playlist(input(data, size))
        return 0
      })
  }
}
