// An output that the engine does not know: samples go to standard output, for whatever reads there. The engine's thread.
import Glibc
import SwiftletEngine

/// Writes raw samples: 16 bits, little-endian, left and right in turn. It has no clock; the reader's pace is the pace.
final class PipeOutput: AudioOutput {
  let rate: Int
  let format = OutputFormat.int16

  init(rate: Int) {
    self.rate = rate
    // A reader that leaves is an error of `write`, not the end of the program.
    signal(SIGPIPE, SIG_IGN)
  }

  func write(_ bytes: UnsafeRawBufferPointer, frames: Int) throws(AudioOutputFault) -> Int {
    var rest = bytes
    while !rest.isEmpty {
      let count = Glibc.write(STDOUT_FILENO, rest.baseAddress, rest.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .lost }
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
    }
    return frames
  }
}
