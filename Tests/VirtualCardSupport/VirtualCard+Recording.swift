// What a card has counted and recorded. Any thread of the test.
import Foundation
import SwiftletVirtualCard

extension VirtualCard {
  /// The card's words as they stand: counters, the present set-up, the log.
  /// Its fields are described in `SwiftletVirtualCard.h`.
  package var counters: SwiftletVirtualCardControl {
    _ = swiftlet_card_load(&control.pointee.log_count)
    return control.pointee
  }

  /// Frames recorded so far.
  package var recordedFrames: Int { Int(swiftlet_card_load(&control.pointee.recorded_frames)) }

  /// Everything heard so far, as bytes in the format that was set.
  package var recordedBytes: Data {
    (try? Data(contentsOf: directory.appendingPathComponent("heard.raw"))) ?? Data()
  }

  /// Everything heard so far as interleaved samples: Int16 for S16_LE, Int32 for S24_LE and S32_LE,
  /// Float for FLOAT_LE.
  package func recording<Sample: BitwiseCopyable>(as type: Sample.Type) -> [Sample] {
    recordedBytes.withUnsafeBytes { bytes in
      (0..<bytes.count / MemoryLayout<Sample>.size).map {
        bytes.loadUnaligned(fromByteOffset: $0 * MemoryLayout<Sample>.size, as: type)
      }
    }
  }

  /// Everything heard so far from an S24_3LE stream, sign-extended.
  package func recordingOfPacked24() -> [Int32] {
    let bytes = [UInt8](recordedBytes)
    return stride(from: 0, to: bytes.count / 3 * 3, by: 3).map {
      Int32(bitPattern: UInt32(bytes[$0]) << 8 | UInt32(bytes[$0 + 1]) << 16 | UInt32(bytes[$0 + 2]) << 24)
        >> 8
    }
  }

  /// Why the log has an entry.
  package enum Mark: UInt64, Sendable {
    case start = 1
    case stop, xrun, pause, resume, suspend, lost, speed, stall, drained
  }

  /// One entry of the log: from `time` on `frame` is heard, and `rate` frames a second after it.
  package struct Moment: Sendable, Equatable {
    /// CLOCK_MONOTONIC, nanoseconds.
    package var time: UInt64
    /// Index of the frame in the recording.
    package var frame: Int
    /// Frames a second; 0 while nothing plays.
    package var rate: Double
    /// What happened.
    package var mark: Mark
  }

  /// The log from its oldest kept entry, at most 1024.
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

  /// The index in the recording of the frame heard at a CLOCK_MONOTONIC time in nanoseconds: the next to
  /// be heard while nothing plays, nil before the first start.
  package func frame(at time: UInt64) -> Int? {
    guard let moment = log.last(where: { $0.time <= time }) else { return nil }
    return moment.frame + Int(Double(time - moment.time) * moment.rate / 1e9)
  }

  /// When a frame of the recording was first heard, CLOCK_MONOTONIC nanoseconds; nil if it was not.
  package func time(ofFrame frame: Int) -> UInt64? {
    guard frame < recordedFrames else { return nil }
    guard let moment = log.last(where: { $0.rate > 0 && $0.frame <= frame }) else { return nil }
    return moment.time + UInt64(Double(frame - moment.frame) * 1e9 / moment.rate)
  }

  /// Waits until `condition` holds; false after `seconds`. For what a card in another process or thread does.
  package func wait(seconds: Double = 5, until condition: (VirtualCard) -> Bool) -> Bool {
    let end = VirtualCard.now + UInt64(seconds * 1e9)
    while !condition(self) {
      guard VirtualCard.now < end else { return false }
      usleep(1000)
    }
    return true
  }
}
