// The counters and the recording of a card. Any thread of the test.
import Foundation
import SwiftletVirtualCard

extension VirtualCard {
  /// The card's words: counters, the present configuration, the log. The fields are described in
  /// `SwiftletVirtualCard.h`.
  package var counters: SwiftletVirtualCardControl {
    _ = swiftlet_card_load(&control.pointee.log_count)
    return control.pointee
  }

  /// Frames recorded so far.
  package var recordedFrames: Int { Int(swiftlet_card_load(&control.pointee.recorded_frames)) }

  /// Everything played so far, as bytes in the configured format.
  package var recordedBytes: Data {
    (try? Data(contentsOf: directory.appendingPathComponent("heard.raw"))) ?? Data()
  }

  /// Everything played so far as interleaved samples: Int16 for S16_LE, Int32 for S24_LE and S32_LE, Float
  /// for FLOAT_LE.
  package func recording<Sample: BitwiseCopyable>(as type: Sample.Type) -> [Sample] {
    recordedBytes.withUnsafeBytes { bytes in
      (0..<bytes.count / MemoryLayout<Sample>.size).map {
        bytes.loadUnaligned(fromByteOffset: $0 * MemoryLayout<Sample>.size, as: type)
      }
    }
  }

  /// Everything played so far from an S24_3LE stream, sign-extended.
  package func recordingOfPacked24() -> [Int32] {
    let bytes = [UInt8](recordedBytes)
    return stride(from: 0, to: bytes.count / 3 * 3, by: 3).map {
      Int32(bitPattern: UInt32(bytes[$0]) << 8 | UInt32(bytes[$0 + 1]) << 16 | UInt32(bytes[$0 + 2]) << 24)
        >> 8
    }
  }

  /// The kind of a log entry.
  package enum Mark: UInt64, Sendable {
    case start = 1
    case stop, xrun, pause, resume, suspend, lost, speed, stall, drained
  }

  /// A log entry: from `time` on, `frame` plays, followed by `rate` frames per second.
  package struct Moment: Sendable, Equatable {
    /// CLOCK_MONOTONIC in nanoseconds.
    package var time: UInt64
    /// Index of the frame in the recording.
    package var frame: Int
    /// Frames per second; 0 while stopped.
    package var rate: Double
    /// The kind of event.
    package var mark: Mark
  }

  /// The log, oldest first, at most 1024 entries.
  package var log: [Moment] {
    let capacity = UInt64(SWIFTLET_VIRTUAL_CARD_LOG)
    let count = swiftlet_card_load(&control.pointee.log_count)
    return withUnsafeMutablePointer(to: &control.pointee.log) { tuple in
      tuple.withMemoryRebound(to: SwiftletVirtualCardMoment.self, capacity: Int(capacity)) { entries in
        ((count > capacity ? count - capacity : 0)..<count).map {
          let entry = entries[Int($0 % capacity)]
          return Moment(
            time: entry.time, frame: Int(entry.frame), rate: Double(entry.rate) / 1000,
            mark: Mark(rawValue: entry.mark) ?? .stop)
        }
      }
    }
  }

  /// The recording's index of the frame played at a CLOCK_MONOTONIC time in nanoseconds: while stopped, the
  /// next one to play; nil before the first start.
  package func frame(at time: UInt64) -> Int? {
    guard let moment = log.last(where: { $0.time <= time }) else { return nil }
    return moment.frame + Int(Double(time - moment.time) * moment.rate / 1e9)
  }

  /// The time at which a frame of the recording was first played, in CLOCK_MONOTONIC nanoseconds; nil if it
  /// was not.
  package func time(ofFrame frame: Int) -> UInt64? {
    guard frame < recordedFrames else { return nil }
    guard let moment = log.last(where: { $0.rate > 0 && $0.frame <= frame }) else { return nil }
    return moment.time + UInt64(Double(frame - moment.frame) * 1e9 / moment.rate)
  }

  /// Waits for a condition of a card in another process or thread. Returns false after `seconds`.
  package func wait(seconds: Double = 5, until condition: (VirtualCard) -> Bool) -> Bool {
    let end = VirtualCard.now + UInt64(seconds * 1e9)
    while !condition(self) {
      guard VirtualCard.now < end else { return false }
      usleep(1000)
    }
    return true
  }
}
