// Fuzz target: the search for pictures in media files, and the messages of the processes that search.

import Fuzzing
import Glibc
import Pictures

@main struct FuzzPictures {
  static func main() {
    exit(
      runFuzzer { data, size in
        PicturesFuzzing.picture(input(data, size))
        return 0
      })
  }
}
