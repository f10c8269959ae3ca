// Fuzz target: playlists and cue sheets, as the worker parses them, and HLS, as the fetcher does.

import Fuzzing
import Glibc
import Playlists
import Streaming

@main struct FuzzPlaylists {
  static func main() {
    exit(
      runFuzzer { data, size in
        let bytes = input(data, size)
        PlaylistsFuzzing.playlist(bytes)
        StreamingFuzzing.playlist(bytes)
        StreamingFuzzing.segment(bytes)
        return 0
      })
  }
}
