// Asks several roots at once, and takes what the first of them has. Control thread.

import Decoding
import Platform

/// One question to some roots, in the order in which their answers count.
final class RootSearch<Value: Sendable> {
  /// What a root says.
  enum Answer {
    case pending
    case found(Value)
    case nothing
    /// It did not answer in time.
    case silent

    var value: Value? { if case .found(let value) = self { value } else { nil } }
  }

  /// Nanoseconds after which a root that has answered is not kept waiting for one that has not, though that counts before it.
  static var timeoutNanoseconds: UInt64 { 3_000_000_000 }

  /// What each root has said by the end.
  private(set) var answers: [Answer]
  private let roots: [String]
  private let wantsAll: Bool
  private let timer: DeadlineTimer
  private var then: ((RootSearch<Value>) -> Void)?

  /// Asks the roots; `then` gets what they say when that is known well enough. `work` runs in the background: nil is nothing.
  ///
  /// - Parameter wantsAll: Whether every root's answer counts, and not only the first one's that has something.
  @discardableResult
  init(
    _ roots: [String], in readers: RootReaders, _ scheduler: any Scheduler, wantsAll: Bool = false,
    _ work: @escaping @Sendable (_ root: String) -> Value?, then: @escaping (RootSearch<Value>) -> Void
  ) {
    self.roots = roots
    self.wantsAll = wantsAll
    self.then = then
    answers = roots.map { _ in .pending }
    timer = DeadlineTimer(scheduler)
    timer.start(after: Self.timeoutNanoseconds) { [unowned(unsafe) self] in finishIfKnown(isLate: true) }
    // What is asked keeps this alive until it is answered.
    for (index, root) in roots.enumerated() {
      readers.read(root, { work(root) }) { (found: Value??) in
        self.take(found, of: index)
      }
    }
    finishIfKnown(isLate: false)
  }

  /// The roots that have not answered.
  var silentRoots: [String] {
    var silent: [String] = []
    for (root, answer) in zip(roots, answers) {
      switch answer {
      case .pending, .silent: silent.append(root)
      case .found, .nothing: break
      }
    }
    return silent
  }

  /// The first root whose answer is such a value.
  func root(where isWanted: (Value) -> Bool) -> String? {
    for (root, answer) in zip(roots, answers) {
      if let value = answer.value, isWanted(value) { return root }
    }
    return nil
  }

  /// What the roots have, in their order.
  var found: [Value] { answers.compactMap { $0.value } }

  private func take(_ found: Value??, of index: Int) {
    switch found {
    case nil: answers[index] = .silent
    case .some(nil): answers[index] = .nothing
    case .some(let value?): answers[index] = .found(value)
    }
    finishIfKnown(isLate: then != nil && !timer.isRunning)
  }

  private func finishIfKnown(isLate: Bool) {
    guard then != nil, isKnown(isLate) else { return }
    timer.stop()
    let then = then
    self.then = nil
    then?(self)
  }

  private func isKnown(_ isLate: Bool) -> Bool {
    var isPending = false
    for answer in answers {
      switch answer {
      case .pending: isPending = true
      case .found: if isLate || !isPending && !wantsAll { return true }
      case .nothing, .silent: break
      }
    }
    return !isPending
  }
}
