// Search for the explanation of unexpected frames. One frame has many possible explanations; only the correct one
// also explains the frames after it. One thread.

/// Sequence of decisions through the possible explanations: for each possibility, whether it is accepted.
struct Trial {
  fileprivate var choices: [Bool]
  /// Number of decisions made so far.
  fileprivate private(set) var made = 0
  /// Whether to build the text of violations. Skipped for most of the thousands of trials.
  let isTold: Bool
  /// Frames after the one being explained.
  fileprivate var ahead: ArraySlice<Turning.Heard> = []

  fileprivate init(_ choices: [Bool], isTold: Bool) { (self.choices, self.isTold) = (choices, isTold) }

  fileprivate mutating func choose() -> Bool {
    if made == choices.count { choices.append(true) }
    made += 1
    return choices[made - 1]
  }
}

/// Saved tracker state before a frame, so that a related trial need not start from the beginning.
private final class Stage {
  let tracker: VoiceTracker
  let place: Int

  init(_ tracker: VoiceTracker, at place: Int) { (self.tracker, self.place) = (tracker, place) }
}

/// Start of a trial.
private struct Beginning {
  var choices: [Bool] = []
  /// Saved state of the trial it branches off; nil for the initial state.
  var stage: Stage?
}

/// Result of a trial.
private struct Way {
  var tracker: VoiceTracker
  var choices: [Bool]
  /// Number of frames explained.
  var count: Int
  /// Saved state before each decision, from `firstStage` on.
  var stages: [Stage]
  var firstStage: Int
}

/// Point at which one of several explanations was chosen, with everything heard since, so that the choice can be
/// revised.
struct Turning {
  /// Input of the tracker: frames and other information, in order of arrival.
  enum Heard {
    case frame(VoiceTracker.Doubt)
    case news((inout VoiceTracker) -> Void)
  }

  fileprivate let before: VoiceTracker
  fileprivate var since: [Heard]
  /// Number of frames of sound in `since`.
  fileprivate var frames = 0
}

extension VoiceTracker {
  /// Maximum number of trials per search.
  private static let trialLimit = 2000
  /// Maximum number of trials for revising wrong explanations, which takes seconds. A violation mentions it if that
  /// is not enough.
  private static let budget = 50_000
  /// Maximum number of trials while tracking is lost, when an explanation is optional.
  private static let budgetWhileLost = 100
  /// Number of frames between saved states.
  private static let stageLength = 4
  /// Seconds of sound for which an explanation may still be revised: the first frames of a fade or ramp are too quiet
  /// to determine where it began. Silence does not count.
  private static let suspense = 0.25
  /// Maximum number of other inputs before an explanation is final.
  private static let newsLimit = 400

  /// Defers an unexpected frame, to be explained together with the following ones.
  /// - Returns: Whether it must be explained now.
  mutating func mustExplain(_ left: Float, _ right: Float) -> Bool {
    if trial != nil { return true }
    doubt.append(Doubt(left: left, right: right, time: time))
    return false
  }

  /// Decides whether a possible explanation is accepted in the present trial.
  mutating func accepts() -> Bool { trial?.choose() ?? true }

  /// Finds the first explanation of the deferred frames that breaks no rule. If there is none, the attempt that
  /// explains most frames determines the violation.
  mutating func settleDoubt() {
    let heard = doubt.map { Turning.Heard.frame($0) }
    doubt = []
    var before = self
    before.turnings = []
    var budget = isLost ? Self.budgetWhileLost : Self.budget
    let found = before.explanation(of: heard, isTold: true, &budget)
    let former = turnings
    // Keep the state before frames that may be corrupt.
    self = found.violation != nil && found.mayBeNonsense ? before : found
    (violation, mayBeNonsense) = (found.violation, found.mayBeNonsense)
    turnings = former
    if found.violation == nil { turnings.append(Turning(before: before, since: heard)) }
  }

  /// Searches for an explanation, in order of the number of rejected possibilities. Depth-first search would not
  /// revise an early wrong decision in time.
  /// - Parameters:
  ///   - heard: Frames and other input to explain.
  ///   - isTold: Whether to build the text of a violation.
  ///   - budget: Trials left.
  /// - Returns: The state after the explanation, or after the attempt that explains most frames, with a violation.
  private func explanation(of heard: [Turning.Heard], isTold: Bool, _ budget: inout Int) -> VoiceTracker {
    let plain = search(heard, nil, &budget)
    guard plain.tracker.violation != nil else { return plain.tracker }
    var informed = self
    informed.learnCues(from: plain.tracker)
    for turn in informed.cueTurns(in: heard, after: plain.count) {
      let found = search(heard, turn, &budget).tracker
      if found.violation == nil { return found }
    }
    guard isTold else { return plain.tracker }
    return trying(Beginning(choices: plain.choices), heard, nil, isTold: true).tracker
  }

  /// Searches for an explanation with or without an assumed cue.
  /// - Returns: The explanation, or the trial that explains most frames.
  private func search(_ heard: [Turning.Heard], _ cue: CueTurn?, _ budget: inout Int) -> Way {
    /// Trials to run, ordered by the number of rejected possibilities.
    var open = [Beginning()]
    var tried = 0
    var best: Way?
    while tried < min(open.count, Self.trialLimit), budget > 0 {
      budget -= 1
      let beginning = open[tried]
      // Release the saved state, which is not needed again.
      open[tried].stage = nil
      tried += 1
      let way = trying(beginning, heard, cue, isTold: !ignored.isEmpty)
      if way.tracker.violation == nil { return way }
      if way.count > best?.count ?? -1 { best = way }
      // Branches reject one more possibility each, the latest first.
      var place = way.choices.count
      while place > beginning.choices.count, open.count < Self.trialLimit {
        place -= 1
        open.append(
          Beginning(choices: way.choices[..<place] + [false], stage: way.stages[place - way.firstStage]))
      }
    }
    return best ?? trying(Beginning(), heard, cue, isTold: false)
  }

  /// Runs one trial, with the given decisions and default ones after them.
  private func trying(
    _ beginning: Beginning, _ heard: [Turning.Heard], _ cue: CueTurn?, isTold: Bool
  ) -> Way {
    var copy = beginning.stage?.tracker ?? self
    if beginning.stage == nil { copy.trial = Trial([], isTold: isTold) }
    copy.trial?.choices = beginning.choices
    var way = Way(tracker: copy, choices: [], count: 0, stages: [], firstStage: copy.trial?.made ?? 0)
    way.count = way.tracker.listen(to: heard, from: beginning.stage?.place ?? 0, cue, &way.stages)
    way.choices = way.tracker.trial?.choices ?? []
    way.tracker.trial = nil
    return way
  }

  /// Processes input until a rule is broken.
  /// - Parameters:
  ///   - heard: Frames and other input.
  ///   - start: Index to begin at.
  ///   - cue: Assumed cue, if any.
  ///   - stages: Receives a saved state for each decision.
  /// - Returns: Index after the last input processed without a violation.
  private mutating func listen(
    to heard: [Turning.Heard], from start: Int, _ cue: CueTurn?, _ stages: inout [Stage]
  ) -> Int {
    let before = trial?.made ?? 0
    var stage = Stage(self, at: start)
    var count = start
    for place in start..<heard.count where violation == nil {
      // Saving the state costs as much as a few frames.
      if place >= stage.place + Self.stageLength { stage = Stage(self, at: place) }
      if let cue, count == cue.place {
        if case .frame(let frame) = heard[place] { time = frame.time }
        if !ear.take(cue, at: time) {
          fail(.cue, expected: "one sound of the box's own at a time", found: "two")
        }
      }
      trial?.ahead = heard[(place + 1)...]
      switch heard[place] {
      case .frame(let frame):
        time = frame.time
        listen(frame.left, frame.right)
      case .news(let news): news(&self)
      }
      if violation == nil { count += 1 }
      while before + stages.count < trial?.made ?? 0 { stages.append(stage) }
    }
    return count
  }

  private mutating func listen(_ left: Float, _ right: Float) {
    if case .silence = sound, left == 0, right == 0, ear.isIdle { return }
    hearFrame(left, right)
  }

  /// Whether the next frames may be the same two voices. A single frame has too many explanations; the search would
  /// otherwise miss the correct one.
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

  /// Whether the next frames also match a voice, from frame `first` on.
  func isHeardAhead(_ voice: Voice, from first: Int) -> Bool {
    guard let trial, ear.isIdle else { return true }
    var frame = first
    for case .frame(let heard) in trial.ahead.prefix(Self.confirmations) {
      guard frame < voice.end, gain(voice, frame, heard.left, heard.right) != nil else { return false }
      frame += 1
    }
    return true
  }

  // MARK: Revision

  /// Applies information that is valid under any explanation.
  mutating func learn(_ news: @escaping (inout VoiceTracker) -> Void) {
    news(&self)
    for i in turnings.indices { turnings[i].since.append(.news(news)) }
  }

  /// Records frames for as long as an earlier explanation may be revised.
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

  /// Revises earlier explanations after a violation, if others explain everything heard since.
  mutating func goBack() {
    var budget = Self.budget
    while let turning = turnings.popLast() {
      var found = turning.before.explanation(of: turning.since, isTold: false, &budget)
      guard found.violation == nil else { continue }
      found.turnings = turnings
      found.turnings.append(turning)
      found.keepCount(of: self)
      self = found
      return
    }
    guard budget <= 0, let last = violation else { return }
    violation = Violation(
      last.rule, at: last.time, expected: last.expected,
      found: last.found + "; there are too many explanations to try them all")
  }
}
