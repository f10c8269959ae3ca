// The real `Box` on a simulated host, from power-on to power-off, with its users and clients. One thread.

import Daemon
import Platform
import PlaybackModel
import Player

final class SimulatedBox: Subject {
  static let configuration = "/etc/swiftlet.conf"

  let machine: SimulatedMachine
  private let outside: SimulatedBoxes
  private var box: Box?
  private var hand: Correspondent?
  /// Clients that sent `exit`; earlier requests of theirs may still be in progress.
  private var leaving: [Correspondent] = []
  private var observer: Correspondent?
  private var lurkers: [SimulatedWire] = []
  private var nextPoll: UInt64 = .max

  init(_ outside: SimulatedBoxes) {
    self.outside = outside
    machine = SimulatedMachine(outside)
    var options = BoxOptions()
    options.configuration = Self.configuration
    do throws(SystemError) {
      box = try Box(options, on: machine)
    } catch {
      outside.oracle.impossible("a box that cannot begin: \(error.description)")
    }
  }

  func start() {
    outside.lastSignOfLife = now
    outside.judge.booted()
    box?.onResume = { [unowned self] in judgeBeginning() }
    box?.start()
    // Playback is not expected before the saved state is loaded.
    outside.oracle.takeUp(Intent())
    judgeBeginning()
    observer = Correspondent(machine.listener.connect(), self)
    observer?.type("format json")
    nextPoll = now + UInt64(outside.plan.polls) * 1_000_000
  }

  /// Checks the restored state once it is applied, and expects reactions to presses from the moment the box accepts
  /// them.
  private func judgeBeginning() {
    guard let box else { return }
    if box.isOpen, judge.openedAt == nil { judge.openedAt = now }
    guard !judge.isRestored else { return }
    switch box.resumeOutcome {
    case .pending: break
    case .taken:
      judge.restored(kept(), hasStick: outside.storage.hasStick)
      if let player, let claims = claims() { judge.hasResumed(claims, player, outside) }
    case .replaced: judge.replaced()
    }
  }

  /// Whether to lose the next answer, for `Saboteur.answers`.
  var loses: () -> Bool {
    let outside = outside
    return outside.saboteur == .answers ? { outside.random.oneIn(5) } : { false }
  }
  var player: Player? { box?.openedPlayer }
  /// State that the box shows on its status LED.
  var indicator: Indicator? { box?.indicator }
  var hasSkippedLines: Bool { box?.hasSkippedLines ?? false }
  var now: UInt64 { outside.scheduler.now }
  var judge: BoxOracle { outside.judge }
  var notesOrders: Bool { true }
  var hasEnded: Bool { box?.outcome != nil }
  var phase: BoxPhase.Kind? { box?.phase.kind }

  // MARK: Subject

  func turnAudio() -> UInt64? { machine.audio?.turn() }

  func claims() -> Claims? {
    guard let player = box?.openedPlayer else { return nil }
    var claims = Claims(of: player, rate: outside.card.rate)
    let part = Double(player.volume.percent) / 100
    claims.gain = part * part * part
    claims.beside.isRemembering = box?.resumeOutcome == .pending
    claims.beside.hasMusicBesides = true
    return claims
  }

  /// State that must survive a power cut.
  func kept() -> Kept? { box?.openedPlayer.map { Kept($0) } }

  func look(_ claims: Claims) {
    guard let player = box?.openedPlayer else { return }
    judgeBeginning()
    judge.look(claims, player, outside)
    judge.lookAtBookmarks(box?.bookmarks, player)
    hand?.judge(at: now)
    observer?.judge(at: now)
    if now > outside.lastSignOfLife + 6_000_000_000, now > judge.stalledUntil + 6_000_000_000 {
      outside.oracle.fail(
        .resources, expected: "a sign of life every 5 s",
        found: "none for \((now - outside.lastSignOfLife) / 1_000_000) ms")
    }
  }

  var due: UInt64? {
    var due = min(nextPoll, outside.agenda.due ?? .max, outside.receivers.due ?? .max)
    for entry in outside.workers { due = min(due, entry.worker.due ?? .max) }
    return due == .max ? nil : due
  }

  func work() {
    outside.agenda.work(at: now)
    for entry in outside.workers { entry.worker.work() }
    outside.receivers.work()
    if nextPoll <= now {
      nextPoll = now + UInt64(outside.plan.polls) * 1_000_000
      // Do not poll again before the last request is answered.
      if observer?.isIdle == true { observer?.type("status") }
    }
  }

  func die(_ death: Death) {
    judge.lookAtBookmarks(box?.bookmarks, player)
    judge.willDie(death, kept(), health: outside.storage.health)
    if death == .power { for entry in outside.workers { entry.worker.cutPower() } }
    hand = nil
    leaving = []
    observer = nil
    lurkers = []
    let player = box?.openedPlayer
    weak let former = box
    box = nil
    outside.scheduler.reset()
    // The player and its decks reference each other, so release them explicitly.
    player?.end()
    outside.slot.holder = nil
    outside.card.stop()
    if death == .power {
      outside.storage.cutPower()
    } else {
      outside.storage.operationsLeft = nil
    }
    outside.setLight(false)
    if outside.decoders.alive > 0 {
      outside.oracle.impossible("\(outside.decoders.alive) decoders at work without power")
    }
    if former != nil { outside.oracle.impossible("a box that somebody keeps without power") }
  }

  // MARK: Actions

  func perform(_ action: Action) {
    switch action {
    case .type(let text): type(text)
    case .typeHalf(let text): currentHand().typeHalf(text)
    case .hangUp:
      if let hand, !hand.isIdle {
        // The client that hangs up does not learn whether pending requests will be carried out, so accept both.
        outside.oracle.mayPlay(until: now + hand.timeout)
        outside.oracle.intent.mayStaySilent()
        outside.oracle.intent.seek = nil
      }
      hand?.wire.hangUp()
      hand = nil
    case .flood(let count): flood(count)
    case .button(let name, let isDown): press(name, isDown)
    case .turn(let name, let detents):
      if let knob = outside.wiring.knobs.first(where: { $0.name == name }) {
        outside.turn(knob.lines, detents: detents)
      }
    case .noise(let count):
      machine.serialLine?.send((0..<count).map { _ in UInt8(outside.random.below(256)) })
    case .serial(let isThere):
      outside.hasSerialLine = isThere
      if !isThere { machine.serialLine?.hangUp() }
    case .keypad(let isThere):
      outside.hasKeypad = isThere
      if !isThere { outside.keysDown = [] }
      machine.devices.keypadChanged()
    case .flash(let health):
      outside.storage.health = health
      judge.flashChanged(to: health)
    case .clock(let minute): outside.setClock(minute)
    case .sender(let name, let action):
      for sender in outside.senders where sender.name == name { sender.perform(action, at: now) }
    case .stickOut, .stickIn:
      outside.storage.hasStick = action == .stickIn
      judge.cueIsDue("storage", isCertain: false)
      machine.mounts.tell()
    case .cardSwapped:
      outside.slot.generation += 1
      outside.slot.holder = nil
    case .terminate:
      judge.isEnding = true
      judge.announcementsStop(within: 35_000_000_000)
      machine.terminate()
    default: for text in commands(action) { type(text) }
    }
  }

  private func currentHand() -> Correspondent {
    if let hand {
      if hand.isOpen, now < hand.typedAt + 590_000_000_000 { return hand }
      // Requests made before `exit` are still carried out.
      leaving = leaving.suffix(2) + [hand]
    }
    let new = Correspondent(machine.listener.connect(), self)
    hand = new
    new.type("format json")
    return new
  }

  private func type(_ text: String) {
    judge.alarmIsTyped(text[...])
    // The announcement is heard even if no client waits for the answer.
    judge.noteAnnouncement(text, isCertain: false)
    currentHand().type(text)
  }

  private func flood(_ count: Int) {
    let wire = machine.listener.connect()
    wire.room = 3000
    for number in 0..<count { wire.send(Array((number % 2 == 0 ? "watch\n" : "history 50\n").utf8)) }
    lurkers.append(wire)
    if lurkers.count > 3 { lurkers.removeFirst().hangUp() }
  }

  private func press(_ name: String, _ isDown: Bool) {
    guard let button = outside.wiring.buttons.first(where: { $0.name == name }) else { return }
    switch button.place {
    case .line(let offset):
      guard outside.contacts.pressed.contains(offset) != isDown else { return }
      judge.pressed(name, isDown)
      outside.setLine(offset, isActive: isDown)
    case .key(let code):
      guard outside.hasKeypad, outside.keysDown.contains(code) != isDown else { return }
      if isDown { outside.keysDown.append(code) } else { outside.keysDown.removeAll { $0 == code } }
      if machine.devices.hearsKeypad { judge.pressed(name, isDown) }
      machine.devices.key(code, isDown: isDown)
    case .panel:
      machine.devices.panelSays(Array(((isDown ? "down " : "up ") + name + "\n").utf8))
    }
  }

  // MARK: Sessions

  /// Records what a line means and what the box claims just before the box handles it.
  func willTake(_ text: String) -> (action: Action, claims: Claims, at: UInt64)? {
    claims().map { (Orders.action(text, in: $0), $0, now) }
  }

  /// Checks the answer to a line and reports the line's effect to the oracle.
  func answered(_ order: Correspondent.Order, _ answer: Substring) {
    guard let claims = claims() else { return }
    // `wake` and the end of an interruption answer with an error if the track has failed, and still resume playback.
    let endsHold = claims.state.kind == .failed && ["wake", "interruption end resume"].contains(order.text)
    guard endsHold || answer.hasPrefix("{\"ok\":true") else { return }
    if order.text == "status" { return judge.judgeStatus(answer, claims, box?.openedPlayer, outside) }
    judge.noteCue(of: order.text)
    judge.alarmIsAnswered(order.text[...], answer, claims)
    judge.noteAnnouncement(order.text, isCertain: box?.openedPlayer?.announcements.count == 1)
    guard case (let action, var before, let taken)? = order.taken else { return }
    // Since the line was taken, the box has noticed a stick whose tracks may be next in the queue.
    if judge.stickNoticedAt >= taken { before.learnNext(from: claims, since: taken) }
    if order.text.hasPrefix("play ") {
      outside.oracle.playsNow(claims)
    } else {
      outside.oracle.willPerform(action, before, isFresh: taken == now)
    }
  }

  func unanswered(_ order: Correspondent.Order, since: UInt64) {
    let bound: UInt64 = judge.hasHung(since: since) ? 33_000_000_000 : 2_000_000_000
    guard now > max(since, judge.stalledUntil) + bound, !judge.isEnding else { return }
    outside.oracle.fail(
      .answers, expected: "an answer to '\(order.text)' within \(bound / 1_000_000_000) s", found: "none")
  }

  func answeredUnasked(_ text: Substring) {
    outside.oracle.fail(.answers, expected: "one answer to each line", found: "another: \(text.prefix(200))")
  }

  /// The console lines that perform a script's action; empty while there is no player.
  private func commands(_ action: Action) -> [String] {
    guard let player = box?.openedPlayer else { return [] }
    return Orders.commands(action, player, outside.world.tracks)
  }
}
