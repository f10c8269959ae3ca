// A playlist or cue sheet, as the worker reads it.

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
