// How the tracker finds out what a frame means that is not what the one before it announced: one frame can be explained
// in many ways, and only the right one explains those that follow as well. One thread.

/// One way through all that some frames may mean: at each place where something could be so, whether it is taken to be.
struct Trial {
  fileprivate var choices: [Bool]
  /// How many of them were made.
  fileprivate private(set) var made = 0
  /// Whether it is worth the time to find words for what goes wrong: of thousands of ways one is told.
  let isTold: Bool
  /// What was heard after the frame that is looked at.
  fileprivate var ahead: ArraySlice<Turning.Heard> = []

  fileprivate init(_ choices: [Bool], isTold: Bool) { (self.choices, self.isTold) = (choices, isTold) }

  fileprivate mutating func choose() -> Bool {
    if made == choices.count { choices.append(true) }
    made += 1
    return choices[made - 1]
  }
}

/// A moment on a way, before one of the frames: what parts from that way further on need not begin at the beginning.
private final class Stage {
  let tracker: VoiceTracker
  let place: Int

  init(_ tracker: VoiceTracker, at place: Int) { (self.tracker, self.place) = (tracker, place) }
}

/// How a way begins that is to be tried.
private struct Beginning {
  var choices: [Bool] = []
  /// A stage of the way that it parts from; nil at the beginning.
  var stage: Stage?
}

/// What has come of a way.
private struct Way {
  var tracker: VoiceTracker
  var choices: [Bool]
  /// How many frames went well.
  var count: Int
  /// The last stage before each choice from one on.
  var stages: [Stage]
  var firstStage: Int
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
  /// The same of all that is tried to explain anew what was heard under a wrong explanation, which takes seconds. Where that is not
  /// enough, the violation says so.
  private static let budget = 50_000
  /// The same while what is heard need not be explained.
  private static let budgetWhileLost = 100
  /// Frames from a stage to the next.
  private static let stageLength = 4
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
    var budget = isLost ? Self.budgetWhileLost : Self.budget
    let found = before.explanation(of: heard, isTold: true, &budget)
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
  /// `isTold`: whether words are to be found for what goes wrong then.
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

  /// The way that explains it, with a cue that is taken to begin or end somewhere or without one; the one that goes furthest
  /// if there is none.
  private func search(_ heard: [Turning.Heard], _ cue: CueTurn?, _ budget: inout Int) -> Way {
    /// Beginnings to be tried, by how many explanations they turn down, those with fewer first.
    var open = [Beginning()]
    var tried = 0
    var best: Way?
    while tried < min(open.count, Self.trialLimit), budget > 0 {
      budget -= 1
      let beginning = open[tried]
      // What was tried is not looked at again.
      open[tried].stage = nil
      tried += 1
      let way = trying(beginning, heard, cue, isTold: !ignored.isEmpty)
      if way.tracker.violation == nil { return way }
      if way.count > best?.count ?? -1 { best = way }
      // The children turn down one more, each another one, the latest first.
      var place = way.choices.count
      while place > beginning.choices.count, open.count < Self.trialLimit {
        place -= 1
        open.append(
          Beginning(choices: way.choices[..<place] + [false], stage: way.stages[place - way.firstStage]))
      }
    }
    return best ?? trying(Beginning(), heard, cue, isTold: false)
  }

  /// What comes of one way, with all choices that were made on it.
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

  /// Explains one thing after the other until a rule is broken. Answers how many went well. `stages`: one for each choice.
  private mutating func listen(
    to heard: [Turning.Heard], from start: Int, _ cue: CueTurn?, _ stages: inout [Stage]
  ) -> Int {
    let before = trial?.made ?? 0
    var stage = Stage(self, at: start)
    var count = start
    for place in start..<heard.count where violation == nil {
      // Keeping all of it costs as much as a few frames.
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

  /// Whether the next frames, too, are a voice's, from one on.
  func isHeardAhead(_ voice: Voice, from first: Int) -> Bool {
    guard let trial, ear.isIdle else { return true }
    var frame = first
    for case .frame(let heard) in trial.ahead.prefix(Self.confirmations) {
      guard frame < voice.end, gain(voice, frame, heard.left, heard.right) != nil else { return false }
      frame += 1
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
