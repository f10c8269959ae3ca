// A real player, mixer and audio loop over simulated time, whose every second track has a hostile worker. One thread; no clock,
// no chance.

import AudioRing
import Decoding
import Flight
import Media
import Platform
import PlaybackModel
import Player
import RealtimeAudio

/// What a conversation is held with.
final class TrialPlayer {
  /// The lowest rate of an engine: the least work for a second of sound.
  static let rate = SampleRate(8000)

  /// What differs from trial to trial.
  struct Shape {
    /// Frames of the first healthy track; the others are a little longer.
    var length = 12_000
    var fade = Seconds.zero
    var fadesManually = false
    var curve = FadeCurve.equalPower
    /// Whether the card's queue can be taken back.
    var isDeep = true
    /// What hostile workers play while they are honest; 0 for those that are told from the sound in a fade, too.
    var hostileLevel: Float = 0
  }

  let clock = TrialClock()
  let ear = Ear()
  let player: Player
  /// Those that live, oldest first.
  private(set) var workers: [FakeWorker] = []
  /// Whether hostile workers end as soon as they are started.
  var isSafe = false
  /// Something that never ends by itself.
  private(set) var finding: String?
  private let card: TrialCard
  private let loop: AudioLoop
  private let decoders: WorkerDecoders
  private let reports = Flag()
  private let reader = Reader()
  private let census: Census
  private let hostileLevel: Float
  private var audioDue: UInt64 = 0

  /// Set by the audio loop when it has reported something.
  private final class Flag: @unchecked Sendable {
    var isSet = false
  }

  init(_ shape: Shape, _ census: Census) {
    self.census = census
    hostileLevel = shape.hostileLevel
    let card = TrialCard(clock, rate: Self.rate, isDeep: shape.isDeep, ear: ear)
    let reports = reports
    self.card = card
    let link = AudioLink(wakeAudio: { card.wake() }, notifyControl: { reports.isSet = true })
    loop = AudioLoop(device: card, link: link)
    decoders = WorkerDecoders(clock, rate: Self.rate)
    player = Player(
      scheduler: clock, link: link, decoders: decoders, rate: Self.rate, isOffline: false, isStrict: false)
    player.flight = FlightRecorder(HeapFlightMemory(size: 16_384), clock, salt: 1)
    player.observer = reader
    for track in 0..<HealthySignal.tracks / 2 {
      ear.lengths.append(shape.length + 777 * track)
      _ = try? player.queue.add(Track(id: 0, path: Self.path(track, isHostile: false)))
      _ = try? player.queue.add(Track(id: 0, path: Self.path(track, isHostile: true)))
    }
    player.queue.repeatMode = .all
    decoders.standIn = self
    var settings = player.machine.settings
    (settings.automaticFadeLength, settings.manualFadeLength) = (shape.fade, shape.fade)
    (settings.fadesManually, settings.curve) = (shape.fadesManually, shape.curve)
    player.adopt(settings)
  }

  /// A regular file that always opens; its name says for whom.
  private static func path(_ track: Int, isHostile: Bool) -> String {
    "/proc/self/" + String(repeating: "./", count: track) + (isHostile ? "stat" : "limits")
  }

  /// The number of the healthy track at a path; nil for a hostile one.
  private static func track(_ path: String) -> Int? {
    path.utf8.last == 0x73 ? (path.utf8.count - 17) / 2 : nil
  }

  /// Lets time pass until a condition holds, or nothing is due before the end.
  func run(until end: UInt64, orUntil isDone: () -> Bool = { false }) {
    while finding == nil, !isDone() {
      let next = min(audioDue, clock.due ?? .max)
      guard next <= end else { return }
      clock.advance(to: next)
      settle()
    }
  }

  /// Does everything that is due now.
  func settle() {
    var rounds = 0
    while finding == nil, round() {
      rounds += 1
      if rounds > 5000 { finding = "the engine spins: 5000 rounds at one moment" }
    }
    workers.removeAll { !$0.process.canScribble }
    // As whoever shows a player would look at it.
    reader.playerDidChange(player)
    player.refresh()
    finding = finding ?? ear.finding
  }

  /// Notes what is wrong, unless something was before.
  func fail(_ text: String) { finding = finding ?? text }

  /// Whether anything was due.
  private func round() -> Bool {
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
    return clock.work() || worked
  }

  /// Ends the player. Returns what is left of it that should not be.
  func end() -> String? {
    card.stop()
    player.end()
    player.flight = nil
    decoders.standIn = nil
    defer { workers = [] }
    if player.machine.history.rejectedSystem > 0 {
      return "the player contradicts itself: an event of its own is rejected"
    }
    if clock.population > 0 { return "\(clock.population) timers and watches are left" }
    return workers.contains { !$0.process.isDead } ? "a worker lives on" : nil
  }
}

extension TrialPlayer: WorkerStandIn {
  func start(
    _ name: String, at start: Frames, socket: consuming MessageSocket, ring: consuming SharedMemory,
    _ layout: RingLayout
  ) throws(SystemError) -> any WorkerProcess {
    let track = Self.track(name)
    let process = try FakeProcess(clock, socket: socket)
    let source = HonestDecoding.Source(
      track: track, length: track.map { ear.lengths[$0] } ?? 12_000, level: hostileLevel)
    workers.append(
      FakeWorker(process, source, from: Int(clamping: start.count), ring: ring, layout, census))
    if track == nil, isSafe { process.die(.exited(1)) }
    return process
  }
}

/// Reads all that the player reports, as a display would.
private final class Reader: PlayerObserver {
  private var letters = 0

  func playerDidChange(_ player: Player) {
    letters &+= player.queue.current?.displayName.utf8.count ?? 0
    _ = (player.position, player.bufferedPosition, player.fadeProgress, player.moment())
  }
  func player(_ player: Player, reports error: PlaybackError) { letters &+= error.detail.utf8.count }
  func player(_ player: Player, notes text: String) { letters &+= text.utf8.count }
  func player(_ player: Player, began track: Track) {}
  func player(_ player: Player, left track: Track, at position: Frames, isOver: Bool) {}
}
