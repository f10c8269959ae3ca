// Looking into folders and playlists on storage that may be slow, or hang: one wish after another, on a thread that
// ends with each. Control thread, but for the wishes themselves.

import Platform
import Synchronization

/// Carries out what has to wait for storage, and tells the result on the control thread.
final class StorageReader {
  /// Nanoseconds within which somebody who waits is answered, one way or the other.
  static let patience: UInt64 = 30_000_000_000
  /// Wishes that may wait at once.
  static let most = 16

  private final class Wish {
    let work: @Sendable () -> Void
    var done: ((_ isInTime: Bool) -> Void)?
    var timer: EventLoop.Token?

    init(_ work: @escaping @Sendable () -> Void, _ done: @escaping (Bool) -> Void) {
      self.work = work
      self.done = done
    }
  }

  /// What the thread leaves behind; looked at only after it is done.
  private final class Result<Value>: @unchecked Sendable { var value: Value? }

  private let events: EventLoop
  private let wake: WakeUp
  private var token: EventLoop.Token?
  private var waiting: [Wish] = []
  private var running: (wish: Wish, thread: BackgroundThread, isDone: Flag)?

  private final class Flag: Sendable { let isSet = Atomic<Bool>(false) }

  init(events: EventLoop) throws(SystemError) {
    self.events = events
    wake = try WakeUp()
    token = try events.add(readable: wake.descriptor) { [self] in takeResult() }
  }

  /// Has `work` done on another thread and calls `then` with its result: nil if that takes too long, or too many
  /// wait. Storage that hangs is not touched by a second thread before it answers the first.
  func read<Value: Sendable>(
    _ work: @escaping @Sendable () -> Value, then: @escaping (Value?) -> Void
  ) {
    guard waiting.count < Self.most else { return then(nil) }
    let result = Result<Value>()
    let wish = Wish({ result.value = work() }) { isInTime in then(isInTime ? result.value : nil) }
    wish.timer = events.after(Self.patience) { [self] in giveUp(wish) }
    waiting.append(wish)
    startNext()
  }

  /// Reads no more, and answers nobody.
  func end() {
    if let token { events.remove(token) }
    token = nil
    for wish in waiting { if let timer = wish.timer { events.remove(timer) } }
    waiting = []
    if let timer = running?.wish.timer { events.remove(timer) }
    running?.thread.abandon()
    running = nil
  }

  private func startNext() {
    while running == nil, !waiting.isEmpty {
      let wish = waiting.removeFirst()
      let (work, flag, wake) = (wish.work, Flag(), wake)
      do throws(SystemError) {
        running = (
          wish,
          try BackgroundThread {
            work()
            flag.isSet.store(true, ordering: .releasing)
            wake.signal()
          },
          flag
        )
      } catch {
        finish(wish, isInTime: false)
      }
    }
  }

  private func takeResult() {
    wake.clear()
    guard let (wish, thread, isDone) = running, isDone.isSet.load(ordering: .acquiring) else { return }
    thread.join()
    running = nil
    finish(wish, isInTime: true)
    startNext()
  }

  private func giveUp(_ wish: Wish) {
    waiting.removeAll { $0 === wish }
    finish(wish, isInTime: false)
  }

  private func finish(_ wish: Wish, isInTime: Bool) {
    if let timer = wish.timer { events.remove(timer) }
    wish.timer = nil
    let done = wish.done
    wish.done = nil
    done?(isInTime)
  }
}
