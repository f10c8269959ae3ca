// An MP4 file or ADTS stream, as the AAC plugin reads it; libfaad gets none of it.

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
