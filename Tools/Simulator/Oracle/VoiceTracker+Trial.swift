// How the tracker finds out what a frame means that is not what the one before it announced: one frame can be explained
// in many ways, and only the right one explains those that follow as well. One thread.

/// One way through all that some frames may mean: at each place where something could be so, whether it is taken to be.
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

/// A place at which one explanation of several was settled on, with all that came since.
struct Turning {
  /// What the tracker explains: frames, and what it learns otherwise, in the order in which they came.
  enum Heard {
    case frame(VoiceTracker.Doubt)
    case news((inout VoiceTracker) -> Void)
  }

  fileprivate let before: VoiceTracker
  fileprivate var choices: [Bool]
  fileprivate var since: [Heard]
  /// The time of its first frame.
  fileprivate let time: UInt64
}

extension VoiceTracker {
  /// Explanations that are tried at most.
  private static let trialLimit = 2000
  /// How long an explanation may still turn out to be wrong: the first frames of a fade or a ramp are too quiet to tell
  /// at which frame it began.
  private static let suspense: UInt64 = 250_000_000

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
    let heard = doubt.map { Turning.Heard.frame($0) }
    let time = doubt.first?.time ?? time
    doubt = []
    var before = self
    before.turnings = []
    let (found, choices) = before.explanation(of: heard, from: [])
    let former = turnings
    guard let found else { return }
    self = found
    turnings = former
    if found.violation == nil {
      turnings.append(Turning(before: before, choices: choices, since: heard, time: time))
    }
  }

  /// The first explanation of what was heard, beginning with some choices; the one that goes furthest if none explains
  /// it all; nil if there is none to be tried.
  private func explanation(of heard: [Turning.Heard], from first: [Bool]) -> (VoiceTracker?, [Bool]) {
    var choices = first
    var best: (tracker: VoiceTracker, count: Int)?
    for _ in 0..<Self.trialLimit {
      var copy = self
      copy.trial = Trial(choices)
      var count = 0
      for one in heard where copy.violation == nil {
        switch one {
        case .frame(let frame):
          copy.time = frame.time
          copy.listen(frame.left, frame.right)
        case .news(let news): news(&copy)
        }
        count += 1
      }
      choices = copy.trial?.choices ?? []
      copy.trial = nil
      if copy.violation == nil { return (copy, choices) }
      if count > best?.count ?? 0 { best = (copy, count) }
      guard let next = Self.next(after: choices) else { break }
      choices = next
    }
    return (best?.tracker, choices)
  }

  /// The choices to be tried after some that led nowhere.
  private static func next(after choices: [Bool]) -> [Bool]? {
    var choices = choices
    while choices.last == false { choices.removeLast() }
    guard !choices.isEmpty else { return nil }
    choices[choices.count - 1] = false
    return choices
  }

  private mutating func listen(_ left: Float, _ right: Float) {
    if case .silence = sound, left == 0, right == 0 { return }
    hearFrame(left, right)
  }

  // MARK: Going back

  /// Something that is to be known from now on, under whatever explanation.
  mutating func learn(_ news: @escaping (inout VoiceTracker) -> Void) {
    news(&self)
    for i in turnings.indices { turnings[i].since.append(.news(news)) }
  }

  /// Keeps frames that were heard for as long as an explanation before them may be wrong.
  mutating func remember(_ samples: UnsafePointer<Float>, _ count: Int, at start: UInt64) {
    turnings.removeAll { $0.time + Self.suspense < start }
    guard !turnings.isEmpty else { return }
    let perFrame = 1e9 / Double(rate)
    for k in 0..<count {
      let frame = Doubt(
        left: samples[2 * k], right: samples[2 * k + 1], time: start + UInt64(Double(k) * perFrame))
      for i in turnings.indices { turnings[i].since.append(.frame(frame)) }
    }
  }

  /// What was heard breaks a rule under the explanations that were settled on. If there are others that explain all of
  /// it, those were wrong.
  mutating func goBack() {
    while let turning = turnings.popLast() {
      guard let next = Self.next(after: turning.choices) else { continue }
      let (found, choices) = turning.before.explanation(of: turning.since, from: next)
      guard var found, found.violation == nil else { continue }
      found.turnings = turnings
      found.turnings.append(
        Turning(before: turning.before, choices: choices, since: turning.since, time: turning.time))
      found.keepCount(of: self)
      self = found
      return
    }
  }
}
