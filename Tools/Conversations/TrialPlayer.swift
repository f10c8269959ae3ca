// Real player, mixer and audio loop over simulated time, in which every second track has a hostile worker. One
// thread; no real clock, no entropy.

import AudioRing
import Decoding
import Flight
import Media
import Platform
import PlaybackModel
import Player
import RealtimeAudio

/// Subject of a conversation trial.
final class TrialPlayer {
  /// Lowest rate that the engine supports, for the least work per second of sound.
  static let rate = SampleRate(8000)

  /// Parameters that vary between trials.
  struct Shape {
    /// Length of the first healthy track in frames; each further one is slightly longer.
    var length = 12_000
    var fade = Seconds.zero
    var fadesManually = false
    var curve = FadeCurve.equalPower
    /// Whether the card can rewind.
    var isDeep = true
    /// Signal level of hostile workers; 0 makes healthy tracks identifiable even during a fade.
    var hostileLevel: Float = 0
  }

  let clock = TrialClock()
  let ear = Ear()
  let player: Player
  /// Running workers, oldest first.
  private(set) var workers: [FakeWorker] = []
  /// Whether hostile workers exit as soon as they start.
  var isSafe = false
  /// First violation found.
  private(set) var finding: String?
  private let card: TrialCard
  private let loop: AudioLoop
  private let decoders: WorkerDecoders
  private let reports = Flag()
  private let reader = Reader()
  private let census: Census
  private let hostileLevel: Float
  private var audioDue: UInt64 = 0

  /// Set by the audio loop when it has sent a report.
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

  /// Path of a regular file that always opens and encodes the track number.
  private static func path(_ track: Int, isHostile: Bool) -> String {
    "/proc/self/" + String(repeating: "./", count: track) + (isHostile ? "stat" : "limits")
  }

  /// The number of the healthy track at a path; nil for a hostile one.
  private static func track(_ path: String) -> Int? {
    path.utf8.last == 0x73 ? (path.utf8.count - 17) / 2 : nil
  }

  /// Advances time until `isDone` is true or nothing is due before `end`.
  func run(until end: UInt64, orUntil isDone: () -> Bool = { false }) {
    while finding == nil, !isDone() {
      let next = min(audioDue, clock.due ?? .max)
      guard next <= end else { return }
      clock.advance(to: next)
      settle()
    }
  }

  /// Runs everything that is due now.
  func settle() {
    var rounds = 0
    while finding == nil, round() {
      rounds += 1
      if rounds > 5000 { finding = "the engine spins: 5000 rounds at one moment" }
    }
    workers.removeAll { !$0.process.canScribble }
    // Read the player's state, as a display does.
    reader.playerDidChange(player)
    player.refresh()
    finding = finding ?? ear.finding
  }

  /// Records a violation, unless there already is one.
  func fail(_ text: String) { finding = finding ?? text }

  /// Runs one round.
  /// - Returns: Whether anything was due.
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

  /// Ends the player.
  /// - Returns: What it left behind, such as timers or workers; nil if nothing.
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

/// Reads everything that the player reports, as a display does.
private final class Reader: PlayerObserver {
  private var letters = 0

  func playerDidChange(_ player: Player) {
    letters &+= player.queue.current?.displayName.utf8.count ?? 0
    _ = (player.position, player.bufferedPosition, player.fadeProgress, player.moment())
  }
  func player(_ player: Player, reports error: PlaybackError) { letters &+= error.detail.utf8.count }
  func player(_ player: Player, notes note: PlayerNote) { letters &+= note.text.utf8.count }
  func player(_ player: Player, began track: Track) {}
  func player(_ player: Player, left track: Track, at position: Frames, isOver: Bool) {}
}
