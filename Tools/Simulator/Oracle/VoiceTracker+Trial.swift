// How the tracker finds out what a frame means that is not what the one before it announced: one frame can be explained
// in many ways, and only the right one explains those that follow as well. One thread.

/// One way through all that a few frames may mean: at each place where something could be so, whether it is taken to be.
struct Trial {
  fileprivate var choices: [Bool]
  private var next = 0

  fileprivate init(_ choices: [Bool]) { self.choices = choices }

  fileprivate mutating func choose() -> Bool {
    if next == choices.count { choices.append(true) }
    next += 1
    return choices[next - 1]
  }
}

extension VoiceTracker {
  /// Explanations that are tried at most.
  private static let trialLimit = 600

  /// A frame is not what was to be expected. Answers whether it has to be explained now, and not together with some
  /// that follow.
  mutating func mustExplain(_ left: Float, _ right: Float) -> Bool {
    if trial != nil { return true }
    doubt.append(Doubt(left: left, right: right, time: time))
    return false
  }

  /// Something that a frame may mean: whether it is taken to mean that in this trial.
  mutating func accepts() -> Bool { trial?.choose() ?? true }

  /// Finds the first explanation of some frames that breaks no rule. If there is none, the one that goes furthest tells
  /// what is wrong.
  mutating func settleDoubt() {
    let frames = doubt
    doubt = []
    var choices: [Bool] = []
    var best: (tracker: VoiceTracker, count: Int)?
    for _ in 0..<Self.trialLimit {
      var copy = self
      copy.trial = Trial(choices)
      var count = 0
      for frame in frames where copy.violation == nil {
        copy.time = frame.time
        copy.hearFrame(frame.left, frame.right)
        count += 1
      }
      choices = copy.trial?.choices ?? []
      copy.trial = nil
      if copy.violation == nil {
        self = copy
        return
      }
      if count > best?.count ?? 0 { best = (copy, count) }
      while choices.last == false { choices.removeLast() }
      guard !choices.isEmpty else { break }
      choices[choices.count - 1] = false
    }
    if let best { self = best.tracker }
  }
}
