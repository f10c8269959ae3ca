// Fuzz target: the MP4 and ADTS parser of the AAC plugin, without libfaad.

import Fuzzing
import Glibc
import SwiftletCodecAAC

@main struct FuzzPackets {
  static func main() {
    exit(
      runFuzzer { data, size in
        AACFuzzing.read(input(data, size))
        return 0
      })
  }
}
