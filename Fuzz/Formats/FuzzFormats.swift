// Fuzz target: the parsers of media containers and tags.

import Fuzzing
import Glibc
import MediaFormats

@main struct FuzzFormats {
  static func main() {
    exit(
      runFuzzer { data, size in
        MediaFormatsFuzzing.parse(input(data, size))
        return 0
      })
  }
}
