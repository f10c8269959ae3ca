// What may be asked of the index, by people and by clients of MPD, and what its processes may say.

import Fuzzing
import Glibc
import Library

@main struct FuzzFilters {
  static func main() {
    exit(
      runFuzzer { data, size in
        LibraryFuzzing.question(input(data, size))
        return 0
      })
  }
}
