// Faults that a test injects into a playing card. Any thread of the test.
import Foundation
import SwiftletVirtualCard

extension VirtualCard {
  /// Unplugs the card: every open handle fails permanently, and opening fails with ENODEV or `openError`.
  ///
  /// - Parameter time: CLOCK_MONOTONIC in nanoseconds from which it applies; nil for now.
  @discardableResult
  package func unplug(at time: UInt64? = nil, openError: Int32 = 0) -> UInt64 {
    swiftlet_card_store(&control.pointee.open_error, UInt64(openError))
    swiftlet_card_store(&control.pointee.absent, 1)
    return raise(\.unplug, at: time)
  }

  /// Plugs the card in again, so that it can be opened.
  package func plugIn() {
    swiftlet_card_store(&control.pointee.open_error, 0)
    swiftlet_card_store(&control.pointee.absent, 0)
  }

  /// Makes opening fail with an errno, such as 16 (EBUSY); 0 lets it succeed again.
  package func refuseOpening(with error: Int32) {
    swiftlet_card_store(&control.pointee.open_error, UInt64(error))
  }

  /// Stops playback with EPIPE. Returns the time in nanoseconds.
  @discardableResult
  package func injectXrun(at time: UInt64? = nil) -> UInt64 { raise(\.xrun, at: time) }

  /// Suspends the system: ESTRPIPE until resumed or prepared. Returns the time in nanoseconds.
  @discardableResult
  package func suspend(at time: UInt64? = nil) -> UInt64 { raise(\.suspend, at: time) }

  /// Stops the card's clock for some milliseconds. Returns the time in nanoseconds.
  @discardableResult
  package func stall(milliseconds: Int, at time: UInt64? = nil) -> UInt64 {
    swiftlet_card_store(&control.pointee.stall_time, UInt64(milliseconds) * 1_000_000)
    return raise(\.stall, at: time)
  }

  /// Sets the speed of the card's clock as a multiple of the nominal rate; nil for the configured one.
  @discardableResult
  package func setSpeed(_ factor: Double?, at time: UInt64? = nil) -> UInt64 {
    swiftlet_card_store(&control.pointee.speed_ppm, UInt64((factor ?? 0) * 1_000_000))
    return raise(\.speed, at: time)
  }

  /// Delays the reported position so that avail never exceeds this many frames; nil removes the limit.
  package func limitAvail(to frames: Int?) {
    swiftlet_card_store(&control.pointee.avail_limit, UInt64(frames ?? 0))
  }

  private func raise(
    _ fault: WritableKeyPath<SwiftletVirtualCardControl, SwiftletVirtualCardFault>, at time: UInt64?
  ) -> UInt64 {
    let moment = time ?? VirtualCard.now
    swiftlet_card_store(&control.pointee[keyPath: fault].at, moment)
    let count = swiftlet_card_load(&control.pointee[keyPath: fault].count)
    swiftlet_card_store(&control.pointee[keyPath: fault].count, count + 1)
    wake()
    return moment
  }
}
