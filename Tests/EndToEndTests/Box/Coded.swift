// Coded tracks, in which each frame encodes its track and position, and the decoder for recordings of them.
// Test threads.

import Foundation
import VirtualCardSupport

/// Consecutive frames of one track at full volume.
struct Segment: Equatable {
  var track: Int
  /// The positions in the track.
  var positions: Range<Int>
  /// The frame of the recording at which the segment starts.
  var frame: Int

  var end: Int { frame + positions.count }
}

enum Coded {
  static let rate = 44100
  /// Shorter runs are chance matches within a ramp.
  static let minLength = 64

  /// A track with distinguishable frames: the left channel encodes the number and the position's thousands,
  /// the right one the remainder; no frame is silent.
  static func track(_ number: Int, seconds: Double) -> Sound {
    let frames = Int(seconds * Double(rate))
    var samples = [Int16](repeating: 0, count: 2 * frames)
    for n in 0..<frames {
      samples[2 * n] = Int16(1000 * number + n >> 12)
      samples[2 * n + 1] = Int16(n & 0xFFF + 1)
    }
    return Sound(samples)
  }

  /// The segments in a recording of floats of tracks at full volume, in order. Ramps are skipped.
  static func segments(_ heard: [Float]) -> [Segment] {
    var found: [Segment] = []
    var open: Segment?
    func close() {
      if let last = open, last.positions.count >= minLength { found.append(last) }
      open = nil
    }
    for frame in 0..<heard.count / 2 {
      let left = heard[2 * frame] * 32768
      let right = heard[2 * frame + 1] * 32768
      guard left >= 1000, left < 32768, right >= 1, right <= 4096, left == left.rounded(),
        right == right.rounded()
      else {
        close()
        continue
      }
      let track = Int(left) / 1000
      let position = (Int(left) % 1000) << 12 + Int(right) - 1
      if let last = open, last.track == track, last.positions.upperBound == position {
        open?.positions = last.positions.lowerBound..<position + 1
      } else {
        close()
        open = Segment(track: track, positions: position..<position + 1, frame: frame)
      }
    }
    close()
    return found
  }
}

extension VirtualCard {
  /// Everything recorded so far by a card that was opened with floats.
  var floats: [Float] {
    recordedBytes.withUnsafeBytes { bytes in
      [Float](unsafeUninitializedCapacity: bytes.count / 4) { target, count in
        count = bytes.count / 4
        UnsafeMutableRawBufferPointer(target).copyMemory(
          from: UnsafeRawBufferPointer(rebasing: bytes.prefix(count * 4)))
      }
    }
  }

  var segments: [Segment] { Coded.segments(floats) }
}
