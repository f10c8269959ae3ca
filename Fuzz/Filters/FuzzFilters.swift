// Fuzz target: queries of the music index by users and MPD clients, and answers of the index processes.

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
