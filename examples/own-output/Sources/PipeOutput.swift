// An output implemented outside the engine: writes samples to standard output for another program. Called on the
// engine's own thread.
import Glibc
import SwiftletEngine

/// Writes raw samples: 16 bits, little-endian, left and right alternating. It has no clock; the reader determines the
/// pace.
final class PipeOutput: AudioOutput {
  let rate: Int
  let format = OutputFormat.int16

  init(rate: Int) {
    self.rate = rate
    // If the reader exits, `write` fails, instead of the signal ending the program.
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
