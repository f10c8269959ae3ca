// Simulation of a world: advances simulated time from one event to the next, without a real clock or entropy. One
// thread.

import PlaybackModel

/// Result of a simulation run.
package struct Outcome: Sendable {
  /// First violation; nil if there was none.
  package var violation: Violation?
  /// Simulated duration in nanoseconds.
  package var duration: UInt64
  /// Hash of all samples heard and all states; equal worlds have equal digests.
  package var digest: UInt64
  /// Number of frames heard.
  package var frames: Int
  /// Number of script lines carried out.
  package var lines: Int
  /// Number of power cuts and kills.
  package var powerCuts: Int
  /// Last events of the state machine, as text.
  package var history: [String]
  /// Last audible events, as text.
  package var edges: [String]
  /// Last actions and state changes, as text.
  package var journal: [String]
  /// Reactions of the state machine that occurred.
  package var coverage: Coverage
}

/// Runs one world.
package final class Simulation {
  let world: World
  let scheduler = SimulatedScheduler()
  let oracle: Oracle
  let card: SimulatedCard
  let decoders: SimulatedDecoders
  let maker: any SubjectMaker
  var subject: (any Subject)?
  var line = 0
  /// When the present script line is due, once its condition holds; and since when it waits.
  var lineDue: UInt64?
  var lineSince: UInt64
  /// When to check the present line's condition again.
  var lookAgain: UInt64 = .max
  private var audioDue: UInt64 = .max
  private var audioStalledUntil: UInt64 = 0
  /// When the oracle checks the subject without an event: ten times a second while the card plays.
  private var glanceDue: UInt64 = 0
  private var controlStalledUntil: UInt64 = 0
  private var bootAt: UInt64 = .max
  private var endAt: UInt64 = .max
  private var powerCuts = 0
  private var isOver = false
  /// Whether faults are repaired at the next boot, because the subject is currently dead.
  private var mendsAtBoot = false
  /// Whether to record a journal and coverage.
  private let isTraced: Bool
  private var journal: [String] = []
  private var digest: UInt64 = 0
  private var coverage = Coverage()
  private let begin: UInt64
  private var stepsAtOneTime = 0

  /// Prepares a world to run.
  /// - Parameters:
  ///   - world: World to run.
  ///   - ignored: Rules that are not checked.
  ///   - saboteur: Deliberate misbehavior of the simulated host, for tests of the oracle.
  ///   - isTraced: Whether to record a journal and coverage. The rest of the outcome does not depend on it.
  package init(
    _ world: World, ignoring ignored: Set<Violation.Rule> = [], saboteur: Saboteur? = nil,
    isTraced: Bool = true
  ) {
    self.world = world
    self.isTraced = isTraced
    begin = scheduler.now
    lineSince = scheduler.now
    oracle = Oracle(world, scheduler: scheduler)
    let rate = SampleRate(world.rate)
    card = SimulatedCard(world.card, rate: rate, scheduler: scheduler, listener: oracle)
    decoders = SimulatedDecoders(world.tracks, rate: rate, scheduler: scheduler, listener: oracle)
    decoders.queued = min(world.card.buffer + 200_000_000, 300_000_000)
    oracle.decoders = decoders
    oracle.card = card
    oracle.ignored = ignored
    if let plan = world.box {
      maker = SimulatedBoxes(
        world, plan, scheduler: scheduler, card: card, decoders: decoders, oracle: oracle,
        saboteur: saboteur)
    } else {
      maker = BarePlayers(world, scheduler: scheduler, card: card, decoders: decoders)
    }
    let decoders = decoders
    (maker as? SimulatedBoxes)?.onControlStall = { [unowned self] in stallControl($0) }
    oracle.tracker.isShort = { [unowned decoders] voice, frame in decoders.isShort(voice, at: frame) }
  }

  private var now: UInt64 { scheduler.now }

  private func stallControl(_ nanoseconds: UInt64) {
    controlStalledUntil = max(controlStalledUntil, now + nanoseconds)
    oracle.controlStalledUntil = controlStalledUntil
  }

  /// Runs the world to its end or to the first violation.
  package func run() -> Outcome {
    boot()
    if world.lines.isEmpty { mend() }
    while oracle.violation == nil, !isOver, let next = nextTime() {
      step(at: min(max(next, now), max(endAt, now)))
    }
    if oracle.violation == nil { judgeEnd() }
    let history = subject?.claims()?.history() ?? []
    subject?.die(.power)
    subject = nil
    let time = now - begin
    return Outcome(
      violation: oracle.violation, duration: time, digest: digest ^ oracle.tracker.digest,
      frames: oracle.tracker.frames, lines: line,
      powerCuts: powerCuts, history: history,
      edges: oracle.tracker.edges.suffix(12).map { edge in
        "\(Self.seconds(edge.time - begin)) track \(edge.track) \(edge.kind.rawValue) at frame \(edge.frame)"
      }, journal: journal, coverage: coverage)
  }

  private func boot() {
    bootAt = .max
    subject = maker.boot()
    coverage.restart()
    audioDue = now
    look()
    if mendsAtBoot { mend() }
  }

  private var controlDue: UInt64? {
    guard subject != nil, let due = scheduler.due else { return nil }
    return max(due + world.weather.latency(of: .control, at: due), controlStalledUntil)
  }

  private func nextTime() -> UInt64? {
    var next = min(audioDue, bootAt)
    if card.isWoken, subject != nil { next = min(next, wokenAt) }
    if let due = controlDue { next = min(next, due) }
    if let due = decoders.due { next = min(next, due) }
    if let due = subject?.due { next = min(next, due) }
    if subject != nil, now < oracle.lastFrame + 100_000_000 { next = min(next, glanceDue) }
    lookAgain = .max
    if let due = lineTime() { next = min(next, max(due, controlStalledUntil)) }
    next = min(next, lookAgain)
    next = min(next, endAt)
    return next == .max ? nil : next
  }

  private var wokenAt: UInt64 {
    let since = wokenSince ?? now
    return max(since + world.weather.latency(of: .audio, at: since), audioStalledUntil)
  }
  private var wokenSince: UInt64?

  private func step(at time: UInt64) {
    if time == now { stepsAtOneTime += 1 } else { stepsAtOneTime = 0 }
    if stepsAtOneTime > 20_000 {
      oracle.fail(.spin, expected: "time to pass", found: "20 000 steps at one moment")
      return
    }
    scheduler.advance(to: time)
    card.advance()
    if oracle.violation != nil { return }
    if let due = lineTime(), due <= now, controlStalledUntil <= now { return takeLine() }
    if now >= endAt {
      isOver = true
      return
    }
    if bootAt <= now { return boot() }
    if let due = decoders.due, due <= now { decoders.work() }
    guard let subject else { return }
    if let due = subject.due, due <= now { subject.work() }
    if audioDue <= now || (card.isWoken && wokenAt <= now) {
      _ = card.takeWake()
      wokenSince = nil
      turnAudio(subject)
    } else if let due = controlDue, due <= now {
      scheduler.turn(waits: false)
      look()
      if subject.hasEnded { end(.ended, restartsAfter: 1000) }
    } else if glanceDue <= now {
      look()
    }
    noticeWake()
  }

  private func noticeWake() {
    if card.isWoken, wokenSince == nil { wokenSince = now }
  }

  private func turnAudio(_ subject: any Subject) {
    guard let pause = subject.turnAudio() else {
      audioDue = .max
      return
    }
    let due = now + max(pause, 50_000)
    audioDue = max(due + world.weather.latency(of: .audio, at: due), audioStalledUntil)
  }

  private func look() {
    guard let subject else { return }
    glanceDue = now + 100_000_000
    guard let claims = subject.claims() else { return }
    if isTraced { coverage.note(claims.trail) }
    let key = oracle.stateKey
    oracle.look(claims)
    subject.look(claims)
    if key != oracle.stateKey, let new = oracle.stateKey {
      record("→ \(claims.state.displayText)")
      digest = (digest ^ UInt64(new.kind.rawValue) ^ now) &* 0x100_0000_01B3
    }
  }

  func record(_ text: @autoclosure () -> String) {
    guard isTraced else { return }
    if journal.count >= 60 { journal.removeFirst(20) }
    journal.append("\(Self.seconds(now - begin)) \(text())")
  }

  // MARK: Script

  private func takeLine() {
    guard line < world.lines.count else { return }
    let action = world.lines[line].action
    line += 1
    lineDue = nil
    lineSince = now
    record("\(line): \(action.text)")
    perform(action)
    noticeWake()
    if line == world.lines.count { mend() }
  }

  private func perform(_ action: Action) {
    guard let subject else { return }
    // Process pending reports first, so that a request is evaluated in the same state by subject and oracle.
    if action.isRequest { subject.catchUp() }
    if action.isFault || !subject.notesOrders, let claims = subject.claims() {
      oracle.willPerform(action, claims)
    }
    switch action {
    case .cardLost(let calls):
      card.lose(afterCalls: calls)
      oracle.isCardLost = true
    case .cardBack:
      card.comeBack()
      oracle.isCardLost = false
    case .cardDeaf: card.becomeDeaf()
    case .cardSuspended: card.suspend()
    case .audioStall(let length):
      audioStalledUntil = now + UInt64(length) * 1_000_000
      audioDue = max(audioDue, audioStalledUntil)
    case .controlStall(let length): controlStalledUntil = now + UInt64(length) * 1_000_000
    case .storage(let percent): decoders.setStorage(percent)
    case .stickOut, .stickIn:
      decoders.setStick(isOut: action == .stickOut)
      subject.perform(action)
    case .crashWorkers, .hangWorkers, .truncateFiles: decoders.perform(action)
    case .powerCut(let length):
      return end(.power, restartsAfter: length)
    case .kill(let length): return end(.killed, restartsAfter: length)
    default: subject.perform(action)
    }
    look()
  }

  private func end(_ death: Death, restartsAfter milliseconds: Int) {
    powerCuts += 1
    subject?.die(death)
    subject = nil
    audioDue = .max
    oracle.rebooted()
    bootAt = now + UInt64(max(1, milliseconds)) * 1_000_000
  }

  /// Repairs all faults after the last line; then the subject is left alone for `calm` seconds.
  private func mend() {
    guard subject != nil else {
      mendsAtBoot = true
      return
    }
    mendsAtBoot = false
    endAt = now + UInt64(world.calm) * 1_000_000_000
    card.comeBack()
    oracle.isCardLost = false
    oracle.faultAt = now
    if decoders.storage != 100 { decoders.setStorage(100) }
    if decoders.isStickOut { perform(.stickIn) }
    for action in maker.mendings { perform(action) }
  }

  private func judgeEnd() {
    guard let claims = subject?.claims() else { return }
    decoders.pool.inspect()
    oracle.look(claims)
    oracle.judgeEnd(claims)
  }
}
