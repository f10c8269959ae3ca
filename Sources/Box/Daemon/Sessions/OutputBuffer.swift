// Bytes on their way to somebody who may read slowly, or not at all. Control thread; never waits, never grows
// beyond its limit.

import Platform

/// A bounded queue in front of a channel.
final class OutputBuffer {
  /// Bytes that wait at most.
  static let limit = 64 * 1024

  private let scheduler: any Scheduler
  private var watch: DescriptorWatch?
  private let channel: any ByteChannel
  private var waiting: [UInt8] = []
  private var lost = 0
  /// Called when the other end is gone.
  var onClosed: () -> Void = {}
  /// Called once, when all that waits now has been taken.
  var onEmpty: (() -> Void)?

  /// A queue for a channel.
  init(_ channel: any ByteChannel, scheduler: any Scheduler) {
    self.channel = channel
    self.scheduler = scheduler
  }

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
  func end() { watch = nil }

  private func flush() {
    while !waiting.isEmpty {
      guard let taken = channel.write(waiting) else {
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
    let then = onEmpty
    onEmpty = nil
    then?()
  }

  private func waitForRoom() {
    guard watch == nil else { return }
    watch = try? DescriptorWatch(scheduler, writable: channel.writable) { [unowned(unsafe) self] in flush() }
  }
}
