// How the tracker finds out what a frame means that is not what the one before it announced: one frame can be explained
// in many ways, and only the right one explains those that follow as well. One thread.

/// One way through all that some frames may mean: at each place where something could be so, whether it is taken to be.
struct Trial {
  fileprivate var choices: [Bool]
  /// Whether it is worth the time to find words for what goes wrong: of thousands of ways one is told.
  let isTold: Bool
  private var next = 0
  /// What was heard after the frame that is looked at.
  fileprivate var ahead: ArraySlice<Turning.Heard> = []

  fileprivate init(_ choices: [Bool], isTold: Bool) { (self.choices, self.isTold) = (choices, isTold) }

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
  fileprivate var since: [Heard]
  /// How many frames of sound there are among them.
  fileprivate var frames = 0
}

extension VoiceTracker {
  /// Explanations that are tried at most.
  private static let trialLimit = 2000
  /// For how many seconds of sound an explanation may still turn out to be wrong: the first frames of a fade or a
  /// ramp are too quiet to tell at which frame it began. Silence tells nothing, however long it is.
  private static let suspense = 0.25
  /// What is learnt at most before an explanation is believed.
  private static let newsLimit = 400

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
    doubt = []
    var before = self
    before.turnings = []
    let found = before.explanation(of: heard)
    let former = turnings
    // Nothing is learnt from what may be nonsense.
    self = found.violation != nil && found.mayBeNonsense ? before : found
    (violation, mayBeNonsense) = (found.violation, found.mayBeNonsense)
    turnings = former
    if found.violation == nil { turnings.append(Turning(before: before, since: heard)) }
  }

  /// The explanation of what was heard that turns down the fewest of those that come first; the one that goes
  /// furthest if none explains it all. Where one wrong choice makes many right ones impossible, trying the last choices
  /// first would not come back to it in time.
  private func explanation(of heard: [Turning.Heard]) -> VoiceTracker {
    let (plain, explained) = search(heard, nil)
    guard plain.violation != nil else { return plain }
    for turn in cueTurns(in: heard, after: explained) {
      let found = search(heard, turn).tracker
      if found.violation == nil { return found }
    }
    return plain
  }

  /// The explanation, with a cue that is taken to begin or end somewhere or without one, and how much of it went well.
  private func search(
    _ heard: [Turning.Heard], _ cue: CueTurn?
  ) -> (tracker: VoiceTracker, count: Int) {
    /// Beginnings to be tried, by how many explanations they turn down, those with fewer first.
    var open: [[Bool]] = [[]]
    var tried = 0
    var best: (choices: [Bool], count: Int) = ([], -1)
    while tried < min(open.count, Self.trialLimit) {
      let beginning = open[tried]
      tried += 1
      let (copy, choices, count) = trying(beginning, heard, cue, isTold: !ignored.isEmpty)
      if copy.violation == nil { return (copy, count) }
      if count > best.count { best = (choices, count) }
      // The children turn down one more, each another one, the latest first.
      var place = choices.count
      while place > beginning.count, open.count < Self.trialLimit {
        place -= 1
        open.append(choices[..<place] + [false])
      }
    }
    let (told, _, count) = trying(best.choices, heard, cue, isTold: true)
    return (told, count)
  }

  /// What comes of one way, with all choices that were made on it.
  private func trying(
    _ beginning: [Bool], _ heard: [Turning.Heard], _ cue: CueTurn?, isTold: Bool
  ) -> (tracker: VoiceTracker, choices: [Bool], count: Int) {
    var copy = self
    copy.trial = Trial(beginning, isTold: isTold)
    let count = copy.listen(to: heard, cue)
    let choices = copy.trial?.choices ?? []
    copy.trial = nil
    return (copy, choices, count)
  }

  /// Explains one thing after the other until a rule is broken. Answers how many went well.
  private mutating func listen(to heard: [Turning.Heard], _ cue: CueTurn?) -> Int {
    var count = 0
    for (index, one) in heard.enumerated() where violation == nil {
      if let cue, count == cue.place {
        if case .frame(let frame) = one { time = frame.time }
        if !ear.take(cue, at: time) {
          fail(.cue, expected: "one sound of the box's own at a time", found: "two")
        }
      }
      trial?.ahead = heard[(index + 1)...]
      switch one {
      case .frame(let frame):
        time = frame.time
        listen(frame.left, frame.right)
      case .news(let news): news(&self)
      }
      if violation == nil { count += 1 }
    }
    return count
  }

  private mutating func listen(_ left: Float, _ right: Float) {
    if case .silence = sound, left == 0, right == 0, ear.isIdle { return }
    hearFrame(left, right)
  }

  /// Whether the next frames, too, may be those of two voices: one alone can be so many things that the right one
  /// would not be come upon.
  func areAudibleAhead(_ a: Sounded, _ b: Sounded, below bound: Double) -> Bool {
    guard let trial, ear.isIdle else { return true }
    var offset = 0
    for one in trial.ahead.prefix(6) {
      guard case .frame(let frame) = one, frame.left > 0 else { continue }
      offset += 1
      let (nextA, nextB) = (a.later(offset), b.later(offset))
      guard let both = gains(nextA, nextB, frame.left, frame.right) else { continue }
      if !both.isPossible || max(both.a, both.b) > bound * Double(offset + 1) { return false }
    }
    return true
  }

  // MARK: Going back

  /// Something that is to be known from now on, under whatever explanation.
  mutating func learn(_ news: @escaping (inout VoiceTracker) -> Void) {
    news(&self)
    for i in turnings.indices { turnings[i].since.append(.news(news)) }
  }

  /// Keeps frames that were heard for as long as an explanation before them may be wrong.
  mutating func remember(_ samples: UnsafePointer<Float>, _ count: Int, at start: UInt64) {
    let frames = Int(Self.suspense * Double(rate))
    turnings.removeAll { $0.frames > frames || $0.since.count > frames + Self.newsLimit }
    guard !turnings.isEmpty else { return }
    let perFrame = 1e9 / Double(rate)
    var isSilent = false
    for k in 0..<count {
      let wasSilent = isSilent
      isSilent = samples[2 * k] == 0 && samples[2 * k + 1] == 0
      if wasSilent && isSilent && ear.isIdle { continue }
      let frame = Doubt(
        left: samples[2 * k], right: samples[2 * k + 1], time: start + UInt64(Double(k) * perFrame))
      for i in turnings.indices {
        turnings[i].since.append(.frame(frame))
        turnings[i].frames += 1
      }
    }
  }

  /// What was heard breaks a rule under the explanations that were settled on. If there are others that explain all of
  /// it, those were wrong.
  mutating func goBack() {
    while let turning = turnings.popLast() {
      var found = turning.before.explanation(of: turning.since)
      guard found.violation == nil else { continue }
      found.turnings = turnings
      found.turnings.append(turning)
      found.keepCount(of: self)
      self = found
      return
    }
  }
}
