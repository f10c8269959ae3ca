// Bytes on their way to somebody who may read slowly, or not at all. Control thread; never waits, never grows
// beyond its limit.

import Platform

/// A bounded queue in front of a descriptor that does not block.
final class OutputBuffer {
  /// Bytes that wait at most.
  static let limit = 64 * 1024

  private let events: EventLoop
  private let descriptor: FileDescriptor
  /// The descriptor again, because epoll knows each only once.
  private let writable: FileDescriptor
  private var waiting: [UInt8] = []
  private var token: EventLoop.Token?
  private var lost = 0
  /// Called when the other end is gone.
  var onClosed: () -> Void = {}

  /// A queue for a descriptor, which it takes a second reference to.
  init(_ descriptor: borrowing FileDescriptor, events: EventLoop) throws(SystemError) {
    self.events = events
    self.descriptor = try descriptor.duplicate()
    writable = try descriptor.duplicate()
  }

  deinit { end() }

  /// Whether everything has been taken.
  var isEmpty: Bool { waiting.isEmpty }

  /// Sends bytes, now or later; what does not fit is lost as a whole, and counted.
  func write(_ bytes: [UInt8]) {
    guard waiting.count + bytes.count <= Self.limit else {
      lost += bytes.count
      return
    }
    waiting += bytes
    flush()
  }

  /// Sends text, now or later.
  func write(_ text: String) { write(Array(text.utf8)) }

  /// Waits for nobody any more.
  func end() {
    if let token { events.remove(token) }
    token = nil
  }

  private func flush() {
    while !waiting.isEmpty {
      guard let taken = waiting.withUnsafeBytes({ descriptor.writeSome($0) }) else {
        waiting = []
        end()
        return onClosed()
      }
      guard taken > 0 else { return waitForRoom() }
      waiting.removeFirst(taken)
      if waiting.isEmpty, lost > 0 {
        waiting = Array("\r\n(\(lost) bytes of output were lost: they were not read in time)\r\n".utf8)
        lost = 0
      }
    }
    end()
  }

  private func waitForRoom() {
    guard token == nil else { return }
    token = try? events.add(writable: writable.raw) { [self] in flush() }
  }
}
