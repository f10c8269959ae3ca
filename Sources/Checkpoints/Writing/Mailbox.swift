// A place for one letter between two threads, without locks. One side puts, the other takes.

import Synchronization

/// Holds the newest letter only. Neither side ever waits.
final class Mailbox<Letter: AnyObject & Sendable>: @unchecked Sendable {
  private let place = Atomic<UnsafeMutableRawPointer?>(nil)

  deinit { _ = take() }

  /// Puts a letter; returns the one it replaces, if that was not taken.
  @discardableResult
  func put(_ letter: Letter) -> Letter? {
    claim(place.exchange(Unmanaged.passRetained(letter).toOpaque(), ordering: .acquiringAndReleasing))
  }

  /// Takes the letter, if there is one.
  func take() -> Letter? { claim(place.exchange(nil, ordering: .acquiringAndReleasing)) }

  private func claim(_ pointer: UnsafeMutableRawPointer?) -> Letter? {
    pointer.map { Unmanaged<Letter>.fromOpaque($0).takeRetainedValue() }
  }
}
