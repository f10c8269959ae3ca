// Parser for the blocks of a timed live source, with presentation times. Pure; worker process only.

import Platform
import PlaybackModel

/// A complete block of frames.
struct TimedFrames {
  /// Presentation time of the first frame, in seconds of the monotonic clock.
  var due: Double
  /// Sample rate in Hz.
  let rate: Int
  /// Interleaved stereo samples.
  var frames: [Float]

  /// Presentation time of the end of the block.
  var end: Double { due + Double(frames.count / 2) / Double(rate) }

  /// Removes the first `count` frames.
  mutating func skip(_ count: Int) {
    frames.removeFirst(2 * count)
    due += Double(count) / Double(rate)
  }

  func isSound(_ threshold: Float) -> Bool {
    for sample in frames where abs(sample) >= threshold { return true }
    return false
  }
}

/// Assembles blocks from bytes that arrive in pieces of any length.
struct TimedIntake {
  private var rest: [UInt8] = []

  /// Parses bytes.
  ///
  /// - Parameters:
  ///   - bytes: The next piece.
  ///   - blocks: The complete blocks are appended.
  /// - Throws: `unreadable` with the receiver's error text, or for an invalid block.
  mutating func take(
    _ bytes: UnsafeRawBufferPointer, into blocks: inout [TimedFrames]
  ) throws(WorkerFailure) {
    rest += bytes
    var place = 0
    while rest.count - place >= TimedBlock.headBytes {
      let head = rest.withUnsafeBytes { TimedBlock(UnsafeRawBufferPointer(rebasing: $0[place...])) }
      guard let head else {
        throw WorkerFailure(.unreadable, "its receiver sends what is no block of frames")
      }
      let body = place + TimedBlock.headBytes
      guard rest.count - body >= head.bodyBytes else { break }
      place = body + head.bodyBytes
      guard head.kind == .sound else {
        throw WorkerFailure(
          .unreadable, String(decoding: rest[body..<place], as: UTF8.self).printable(limit: 300))
      }
      let frames = rest.withUnsafeBytes { bytes in
        (0..<2 * head.count).map { sample(bytes, body + 4 * $0) }
      }
      blocks.append(TimedFrames(due: Double(head.due) / 1e9, rate: head.rate, frames: frames))
    }
    rest.removeFirst(place)
  }

  private func sample(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> Float {
    let value = Float(bitPattern: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self))
    return value.isFinite ? min(max(value, -4), 4) : 0
  }
}
