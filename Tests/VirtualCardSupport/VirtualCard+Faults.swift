// Faults that a test puts into a card while it plays. Any thread of the test.
import Foundation
import SwiftletVirtualCard

extension VirtualCard {
  /// Pulls the card out: every open handle is dead for good, opening fails with ENODEV (or `errno`).
  ///
  /// - Parameter time: CLOCK_MONOTONIC in nanoseconds from which it holds; now without it.
  @discardableResult
  package func unplug(at time: UInt64? = nil, openError: Int32 = 0) -> UInt64 {
    swiftlet_card_store(&control.pointee.open_error, UInt64(openError))
    swiftlet_card_store(&control.pointee.absent, 1)
    return raise(\.unplug, at: time)
  }

  /// Puts the card back: it can be opened again.
  package func plugIn() {
    swiftlet_card_store(&control.pointee.open_error, 0)
    swiftlet_card_store(&control.pointee.absent, 0)
  }

  /// Opening fails with this errno, 16 (EBUSY) for example; 0 lets it succeed again.
  package func refuseOpening(with error: Int32) {
    swiftlet_card_store(&control.pointee.open_error, UInt64(error))
  }

  /// Playing stops with EPIPE. Returns the moment.
  @discardableResult
  package func injectXrun(at time: UInt64? = nil) -> UInt64 { raise(\.xrun, at: time) }

  /// The system sleeps: ESTRPIPE until resumed or prepared. Returns the moment.
  @discardableResult
  package func suspend(at time: UInt64? = nil) -> UInt64 { raise(\.suspend, at: time) }

  /// The card's clock stands still for so long. Returns the moment.
  @discardableResult
  package func stall(milliseconds: Int, at time: UInt64? = nil) -> UInt64 {
    swiftlet_card_store(&control.pointee.stall_time, UInt64(milliseconds) * 1_000_000)
    return raise(\.stall, at: time)
  }

  /// The card's clock goes on at this multiple of the nominal rate; nil is as configured.
  @discardableResult
  package func setSpeed(_ factor: Double?, at time: UInt64? = nil) -> UInt64 {
    swiftlet_card_store(&control.pointee.speed_ppm, UInt64((factor ?? 0) * 1_000_000))
    return raise(\.speed, at: time)
  }

  /// The reported position lags so that avail never exceeds this many frames; nil lifts it.
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
