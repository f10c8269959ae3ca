// Output queue of a connection whose client may read slowly or not at all. Control thread; never blocks, bounded in
// size.

import Platform

/// A bounded byte queue in front of a channel.
final class OutputBuffer {
  /// Maximum size in bytes.
  static let limit = 64 * 1024

  private let scheduler: any Scheduler
  private var watch: DescriptorWatch?
  private let channel: any ByteChannel
  private var waiting: [UInt8] = []
  private var lost = 0
  /// Called when the client has closed the connection.
  var onClosed: () -> Void = {}
  /// Called once, when the queue is empty.
  var onEmpty: (() -> Void)?

  /// Creates a queue for a channel.
  init(_ channel: any ByteChannel, scheduler: any Scheduler) {
    self.channel = channel
    self.scheduler = scheduler
  }

  /// Whether everything has been written to the channel.
  var isEmpty: Bool { waiting.isEmpty }

  /// Queues bytes; if they do not fit, all of them are dropped and counted.
  func write(_ bytes: [UInt8]) {
    guard waiting.count + bytes.count <= Self.limit else {
      lost += bytes.count
      return
    }
    waiting += bytes
    flush()
  }

  /// Queues text, as UTF-8.
  func write(_ text: String) { write(Array(text.utf8)) }

  /// Stops writing.
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
