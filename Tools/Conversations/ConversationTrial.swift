// One conversation with hostile workers: a real player, mixer and audio loop over simulated time. One thread; no clock, no
// chance.

import Decoding
import Flight
import Media
import AudioRing
import Platform
import PlaybackModel
import Player
import RealtimeAudio

/// A player with a queue in which every second track has a hostile worker.
package final class ConversationTrial {
  /// The lowest rate of an engine: the least work for a second of sound.
  static let rate = SampleRate(8000)
  /// Simulated seconds that a conversation may take, and that the player has to come back in.
  private static let longest: UInt64 = 30_000_000_000
  private static let patience: UInt64 = 40_000_000_000

  let clock = TrialClock()
  let ear = Ear()
  let card: TrialCard
  let player: Player
  private let link: AudioLink
  private let loop: AudioLoop
  private let decoders: WorkerDecoders
  private let reports = Flag()
  private let listener = Listener()
  /// All that live, oldest first.
  private(set) var workers: [FakeWorker] = []
  private var choices: Choices
  private let isQuiet: Bool
  private let hostileSample: Float
  private var isOver = false
  private var audioDue: UInt64 = 0
  private var commandAt: UInt64 = 0
  private var eventAt: UInt64 = 0
  private var eventCount: UInt64 = 0
  private var finding: String?
  private let census: Census
  private let journal: ((String) -> Void)?
  private var lastState = ""

  final class Flag: @unchecked Sendable {
    var isSet = false
  }

  private init(_ bytes: [UInt8], _ census: Census, _ journal: ((String) -> Void)?) {
    self.census = census
    self.journal = journal
    var choices = Choices(bytes)
    let shape = choices.byte()
    isQuiet = shape & 1 == 0
    hostileSample = isQuiet ? 0 : [0.25, 1, 8, 1e30][choices.below(4)]
    card = TrialCard(clock, rate: Self.rate, isDeep: shape & 2 == 0, ear: ear)
    let (card, reports) = (card, reports)
    link = AudioLink(wakeAudio: { card.wake() }, notifyControl: { reports.isSet = true })
    loop = AudioLoop(device: card, link: link)
    decoders = WorkerDecoders(clock, rate: Self.rate)
    player = Player(
      scheduler: clock, link: link, decoders: decoders, rate: Self.rate, isOffline: false, isStrict: false)
    player.flight = FlightRecorder(HeapFlightMemory(size: 16_384), clock, salt: 1)
    player.observer = listener
    let length = 12_000 + choices.below(16) * 1000
    for track in 0..<HealthySignal.tracks / 2 {
      ear.lengths.append(length + 777 * track)
      _ = try? player.queue.add(Track(id: 0, path: Self.path(track, isHostile: false)))
      _ = try? player.queue.add(Track(id: 0, path: Self.path(track, isHostile: true)))
    }
    player.queue.repeatMode = .all
    var settings = player.machine.settings
    let fade = Seconds([0, 0.01, 0.2, 0.5][choices.below(4)])
    (settings.automaticFadeLength, settings.manualFadeLength) = (fade, fade)
    settings.fadesManually = shape & 4 == 0
    settings.curve = FadeCurve.allCases[choices.below(FadeCurve.allCases.count)]
    self.choices = choices
    decoders.standIn = self
    player.adopt(settings)
  }

  /// Holds a conversation.
  ///
  /// - Parameters:
  ///   - bytes: All that a hostile worker and a person do, in order; any bytes are a conversation.
  ///   - isAlone: Whether no other thread opens descriptors meanwhile, so that one that is left is noticed.
  ///   - journal: Gets a line for each thing that happens.
  /// - Returns: What is wrong with how the engine took it; nil where nothing is.
  package static func finding(
    in bytes: [UInt8], isAlone: Bool, journal: ((String) -> Void)? = nil
  ) -> String? {
    let descriptor = isAlone ? lowestDescriptor : nil
    let census = Census()
    let finding = hold(bytes, census, journal)
    if isAlone, lowestDescriptor != descriptor { return finding ?? "a descriptor is left open" }
    if census.workers != 0 { return finding ?? "a worker's ring is left mapped" }
    return finding
  }

  private static func hold(_ bytes: [UInt8], _ census: Census, _ journal: ((String) -> Void)?) -> String? {
    let trial = ConversationTrial(bytes, census, journal)
    trial.hold()
    trial.recover()
    trial.tellHistory()
    return trial.end() ?? trial.finding
  }

  /// The number that the next descriptor gets.
  private static var lowestDescriptor: Int32? { (try? WakeUp())?.descriptor }

  /// A regular file that always opens: which worker it is for, its name says.
  private static func path(_ track: Int, isHostile: Bool) -> String {
    "/proc/self/" + String(repeating: "./", count: track) + (isHostile ? "stat" : "limits")
  }

  private func hold() {
    player.play()
    settle()
    while !choices.isOver, finding == nil, clock.now < Self.longest { step() }
  }

  private func step() {
    let choice = Int(choices.byte())
    switch choice % 8 {
    case 0, 1: run(for: [0, 1, 8, 20, 64, 250, 330, 700, 1500, 4100][choices.below(10)] * 1_000_000)
    case 2: command()
    default:
      let tricks = Trick.allCases
      let trick = tricks[choice / 8 % tricks.count]
      note { "trick \(trick)" }
      hostile(choices.byte())?.lie(trick, &choices, isQuiet: isQuiet)
    }
    settle()
  }

  /// Mostly the newest hostile worker, else an older one that is about to die.
  private func hostile(_ choice: UInt8) -> FakeWorker? {
    let found = workers.filter { $0.track == nil }
    return choice < 200 ? found.last : found.first
  }

  private func command() {
    let choice = choices.below(14)
    note { "command \(choice)" }
    // What leads away from a track that is heard; in a fade also what may finish it quickly.
    if choice > 3 || player.machine.state.fadeProgress != nil {
      ear.excuse()
      commandAt = clock.now
    }
    switch choice {
    case 0: player.play()
    case 1, 2: player.toggle()
    case 3: player.handle(.pause)
    case 4, 5: player.next()
    case 6: player.previous()
    case 7, 8: player.handle(.seek(Frames(Int64(choices.byte()) * 128)))
    case 9: player.handle(.seek(Frames(Extremes.steps[choices.below(Extremes.steps.count)])))
    case 10: player.handle(.stop)
    case 11: player.handle(.finishFade)
    case 12: player.handle(.retry)
    default: _ = player.seek(by: Frames(Extremes.steps[choices.below(Extremes.steps.count)]))
    }
  }

  // MARK: Time

  private func run(for nanoseconds: UInt64) {
    let end = clock.now + nanoseconds
    run(until: end) { false }
    clock.advance(to: end)
    settle()
  }

  /// Lets time pass until a condition holds, or nothing is due before the end.
  private func run(until end: UInt64, orUntil isDone: () -> Bool) {
    while finding == nil, !isDone() {
      let next = min(audioDue, clock.due ?? .max)
      guard next <= end else { return }
      clock.advance(to: next)
      settle()
    }
  }

  /// Does everything that is due now.
  private func settle() {
    var rounds = 0
    while finding == nil {
      card.advance()
      var worked = false
      for worker in workers { worker.work() }
      if clock.now >= audioDue || card.takeWake() {
        audioDue = loop.turn().map { clock.now + UInt64(max(50_000, $0)) } ?? .max
        worked = true
      }
      if reports.isSet {
        reports.isSet = false
        player.takeReports()
        worked = true
      }
      if clock.work() { worked = true }
      guard worked else { break }
      rounds += 1
      if rounds > 5000 { finding = "the engine spins: 5000 rounds at one moment" }
    }
    look()
  }

  /// As whoever shows a player would, and a checkpoint.
  private func look() {
    workers.removeAll { $0.isDead && !$0.canScribble }
    _ = (player.position, player.bufferedPosition, player.fadeProgress)
    player.refresh()
    note(nil)
    finding = finding ?? ear.finding
    let events = player.machine.history.total
    if events != eventCount { (eventCount, eventAt) = (events, clock.now) }
    // Nothing is pending in plain playing, and what was ordered is heard by then.
    if ear.isExcused, player.machine.state.kind == .playing, ear.isHearing(frames: 2000),
      clock.now > max(commandAt, eventAt) + 300_000_000
    {
      ear.expect()
    }
  }

  private func tellHistory() {
    guard let journal else { return }
    let history = player.machine.history
    for index in max(0, history.count - 30)..<history.count {
      let entry = history[index]
      journal("\(entry.time / 1_000_000) ms: \(entry.event.kind.name), \(entry.from.displayText) to \(entry.to.displayText)")
    }
  }

  private func note(_ text: (() -> String)?) {
    guard let journal else { return }
    let state = player.machine.state.displayText
    if state != lastState { journal("\(clock.now / 1_000_000) ms: \(state)") }
    lastState = state
    if let text { journal("\(clock.now / 1_000_000) ms: \(text())") }
  }

  // MARK: Afterwards

  /// Every hostile worker dies, and a person presses play: healthy music has to be heard again.
  private func recover() {
    isOver = true
    note { "all hostile workers die, and play is pressed" }
    for worker in workers where worker.track == nil { worker.die(.killed(signal: 11)) }
    settle()
    player.play()
    ear.beginAnew()
    settle()
    run(until: clock.now + Self.patience) { ear.isHearing(frames: 2000) }
    if finding == nil, !ear.isHearing(frames: 2000) {
      finding = "no healthy track is heard again; the player is \(player.machine.state.kind.name), \(ear.description)"
    }
  }

  /// Ends the player; nothing may be left of it.
  private func end() -> String? {
    card.stop()
    player.end()
    player.flight = nil
    if player.machine.history.rejectedSystem > 0 { return "the player contradicts itself: an event of its own is rejected" }
    if clock.population > 0 { return "\(clock.population) timers and watches are left" }
    if workers.contains(where: { !$0.isDead }) { return "a worker lives on" }
    workers = []
    decoders.standIn = nil
    return nil
  }
}

extension ConversationTrial: WorkerStandIn {
  package func start(
    _ name: String, at start: Frames, socket: consuming MessageSocket, ring: consuming SharedMemory, _ layout: RingLayout
  ) throws(SystemError) -> any WorkerProcess {
    let bytes = name.utf8.count
    let isHostile = name.utf8.last == 0x74
    let track = (bytes - (isHostile ? 15 : 17)) / 2
    let worker = try FakeWorker(
      clock, census, track: isHostile ? nil : track, length: isHostile ? 12_000 : ear.lengths[track],
      start: Int(clamping: start.count), hostileSample: hostileSample, socket: socket, ring: ring, layout)
    if isHostile, isOver { worker.die(.exited(1)) }
    worker.isHonest = !isHostile
    workers.append(worker)
    return worker
  }
}

/// Reads what the player reports, as a display would.
private final class Listener: PlayerObserver {
  var changes = 0
  var letters = 0

  func playerDidChange(_ player: Player) {
    changes += 1
    letters &+= player.queue.current?.displayName.utf8.count ?? 0
    _ = (player.position, player.bufferedPosition, player.moment())
  }
  func player(_ player: Player, reports error: PlaybackError) { letters &+= error.detail.utf8.count }
  func player(_ player: Player, notes text: String) { letters &+= text.utf8.count }
  func player(_ player: Player, began track: Track) {}
  func player(_ player: Player, left track: Track, at position: Frames, isOver: Bool) {}
}
