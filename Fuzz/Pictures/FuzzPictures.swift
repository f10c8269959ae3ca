// Media files in which pictures are looked for, and what the processes that look may say.

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
