// Queries several media roots in parallel and combines the results. Control thread.

import Decoding
import Platform

/// One query to several media roots, in order of precedence.
final class RootSearch<Value: Sendable> {
  /// Result of one root.
  enum Answer {
    case pending
    case found(Value)
    case nothing
    /// No reply in time.
    case silent

    var value: Value? { if case .found(let value) = self { value } else { nil } }
  }

  /// Nanoseconds after which a result is used although a root with higher precedence has not responded.
  static var timeoutNanoseconds: UInt64 { 3_000_000_000 }

  /// Result of each root.
  private(set) var answers: [Answer]
  private let roots: [String]
  private let wantsAll: Bool
  private let timer: DeadlineTimer
  private var then: ((RootSearch<Value>) -> Void)?

  /// Starts the query.
  ///
  /// - Parameters:
  ///   - roots: The media roots, in order of precedence.
  ///   - readers: Workers of the roots.
  ///   - scheduler: The event loop.
  ///   - wantsAll: Whether to wait for all roots, rather than for the first one with a result.
  ///   - work: Runs in the background for each root; nil: not found.
  ///   - then: Receives this object once the result is known.
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
    // The closures below keep this object alive until all roots have responded.
    for (index, root) in roots.enumerated() {
      readers.read(root, { work(root) }) { (found: Value??) in
        self.take(found, of: index)
      }
    }
    finishIfKnown(isLate: false)
  }

  /// Roots that have not responded.
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

  /// The first root whose result matches.
  func root(where isWanted: (Value) -> Bool) -> String? {
    for (root, answer) in zip(roots, answers) {
      if let value = answer.value, isWanted(value) { return root }
    }
    return nil
  }

  /// Results in order of precedence.
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
