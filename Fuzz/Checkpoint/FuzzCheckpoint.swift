// Fuzz target: reading a checkpoint file, as found after a power cut.

import Fuzzing
import Glibc
import Checkpoints

@main struct FuzzCheckpoint {
  static func main() {
    exit(
      runFuzzer { data, size in
        CheckpointFuzzing.run(input(data, size))
        return 0
      })
  }
}
