// Boots whole boxes on one simulated host, and owns what survives a reboot: storage, buttons and LED, senders,
// pending user actions. One thread.

import Daemon
import Platform
import PlaybackModel

/// Parts of a box's environment that survive loss of power, and its boot process.
final class SimulatedBoxes: SubjectMaker {
  /// Unretained reference; workers remove themselves from the list in their deinitializers.
  struct Unowned {
    unowned(unsafe) let worker: SimulatedWorker
  }

  let world: World
  let saboteur: Saboteur?
  let plan: BoxPlan
  let scheduler: SimulatedScheduler
  let card: SimulatedCard
  let decoders: SimulatedDecoders
  unowned let oracle: Oracle
  let judge: BoxOracle
  let storage: SimulatedStorage
  let agenda = Agenda()
  let contacts = Contacts()
  let slot = CardSlot()
  let wiring: Wiring
  let receivers: SimulatedReceivers
  let senders: [Sender]
  var workers: [Unowned] = []
  var random: Randomness
  /// Called when the control thread blocks for this many nanoseconds.
  var onControlStall: (UInt64) -> Void = { _ in }
  var lastSignOfLife: UInt64 = 0
  var hasSerialLine = true
  var hasKeypad = true
  var keysDown: [UInt16] = []
  /// Offset in nanoseconds from the scheduler's time to the wall clock.
  private var clockOffset: UInt64
  private(set) weak var box: SimulatedBox?

  init(
    _ world: World, _ plan: BoxPlan, scheduler: SimulatedScheduler, card: SimulatedCard,
    decoders: SimulatedDecoders, oracle: Oracle, saboteur: Saboteur? = nil
  ) {
    self.saboteur = saboteur
    self.world = world
    self.plan = plan
    self.scheduler = scheduler
    self.card = card
    self.decoders = decoders
    self.oracle = oracle
    let lines = BoxPlan.configuration + plan.configuration
    judge = BoxOracle(oracle, BoxSettings(lines), rate: world.rate)
    wiring = Wiring(lines)
    receivers = SimulatedReceivers(scheduler, decoders.pool, rate: world.rate, drift: world.card.drift)
    senders = wiring.sources.map { Sender($0.name, takesOverAlways: $0.takesOverAlways) }
    random = Randomness(seed: plan.seed)
    storage = SimulatedStorage(world.tracks, seed: plan.seed &+ 1)
    storage.put(SimulatedBox.configuration, Array((lines.joined(separator: "\n") + "\n").utf8))
    clockOffset = UInt64(plan.minute) * 60_000_000_000
    storage.forgetsSyncs = saboteur == .storage
    storage.forgetsFiles = saboteur == .files
    slot.emptyUntil = plan.cardAbsent > 0 ? scheduler.now + UInt64(plan.cardAbsent) * 1_000_000 : 0
    oracle.expectsCue = { [unowned judge] in judge.expectsCue }
    oracle.receivers = { [unowned receivers] in receivers.written }
    oracle.bounds = Oracle.Bounds(timers: 70, descriptors: 70, decoders: 4, rings: 8)
  }

  func boot() -> any Subject {
    let box = SimulatedBox(self)
    self.box = box
    box.start()
    return box
  }

  var mendings: [Action] {
    (storage.health == .well ? [] : [.flash(.well)]) + (hasSerialLine ? [] : [.serial(isThere: true)])
      + (hasKeypad ? [] : [.keypad(isThere: true)])
      + senders.filter { $0.isSounding }.map { .sender($0.name, .pauses) }
  }

  // MARK: Time

  var localTime: LocalTime { LocalTime(seconds: Int64((scheduler.now &+ clockOffset) / 1_000_000_000)) }

  func setClock(_ minute: Int) {
    clockOffset = UInt64(minute % 1440 + 2880) * 60_000_000_000 &- scheduler.now % 86_400_000_000_000
    box?.machine.wallClock.signal()
    judge.clockSetAt = scheduler.now
  }

  /// Duration of the next job of a background thread, in nanoseconds.
  func storageLatency() -> UInt64 {
    let bits = Randomness.mixed(plan.seed ^ scheduler.now &* 0x9E37_79B9_7F4A_7C15)
    if bits & 63 == 0 { return 200_000_000 + (bits >> 20) % 200_000_000 }
    return 1_000_000 + (bits >> 20) % 15_000_000
  }

  // MARK: Reports of the box

  /// Called just before the box reads input of buttons or knobs.
  func willTakeInput() { judge.willTake(box?.claims()) }

  /// Called just before the box saves its state, which it may change again within the same turn of its event loop.
  func willStore() {
    if let player = box?.player { judge.willStore(player) }
  }

  func logged(_ level: LogLevel, _ text: String) { judge.logged(level, text) { [self] in box?.claims() } }

  func setLight(_ isOn: Bool) {
    let isOn = isOn && saboteur != .light
    guard isOn != contacts.light.isOn else { return }
    judge.lightChanged(to: isOn, after: scheduler.now - contacts.light.since, in: self)
    contacts.light = (isOn, scheduler.now)
  }

  // MARK: Contacts

  /// Opens or closes a contact, with bounces for some milliseconds.
  func setLine(_ offset: Int, isActive: Bool, bounces: Bool = true) {
    if isActive { contacts.pressed.append(offset) } else { contacts.pressed.removeAll { $0 == offset } }
    var time = scheduler.now
    if bounces {
      for _ in 0..<random.below(4) {
        for level in [isActive, !isActive] {
          agenda.add(at: time) { [unowned self] in edge(offset, level) }
          time += UInt64(random.within(50_000...700_000))
        }
      }
    }
    agenda.add(at: time) { [unowned self] in edge(offset, isActive) }
  }

  private func edge(_ offset: Int, _ isActive: Bool) {
    let bit = UInt64(1) << UInt64(offset)
    guard (contacts.levels & bit != 0) != isActive else { return }
    contacts.levels ^= bit
    if saboteur == .buttons, random.oneIn(3) { return }
    box?.machine.devices.chip.edge(offset, isActive)
  }

  /// Turns an encoder: four edges per detent.
  func turn(_ lines: (a: Int, b: Int), detents: Int) {
    var time = scheduler.now
    let order = detents > 0 ? [lines.a, lines.b] : [lines.b, lines.a]
    for _ in 0..<abs(detents) {
      for step in 0..<4 {
        let (offset, level) = (order[step % 2], step < 2)
        agenda.add(at: time) { [unowned self] in edge(offset, level) }
        time += UInt64(random.within(3_000_000...9_000_000))
      }
      time += 4_000_000
    }
  }
}
