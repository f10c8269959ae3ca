// A player with fake decoders on a virtual card, driven turn by turn on one thread. Test threads.

import Platform
import PlaybackModel
import Player
import RealtimeAudio

final class PlayerRig {
  let device = VirtualOutput()
  let decoders: FakeDecoders
  let player: Player
  let scheduler: OfflineScheduler
  private let ear = Ear()
  private let loop: AudioLoop
  private let link: AudioLink
  private var isBusy = false

  /// A player whose queue holds the first `queued` files. The state machine is not strict, because an
  /// optimized trap has no message: see `contradictions`.
  init(_ files: [FakeFile], queued: Int = .max) throws {
    scheduler = OfflineScheduler(over: try EventLoop())
    scheduler.advance(to: device.clock)
    decoders = FakeDecoders(files, scheduler)
    link = AudioLink(wakeAudio: {}, notifyControl: {})
    loop = AudioLoop(device: device, link: link)
    player = Player(
      scheduler: scheduler, link: link, decoders: decoders, rate: device.rate, isOffline: false,
      isStrict: false)
    for number in files.indices.prefix(queued) { try player.queue.add(Track(id: 0, path: "\(number)")) }
    player.observer = ear
  }

  /// A rig that is restored with the same files and a card after a power cut, prepared by `settle`.
  func afterPulledPlug(_ settle: (PlayerRig) -> Void) throws -> PlayerRig {
    let (state, moment, queue) = (player.machine.state, player.moment(), player.queue)
    let rig = try PlayerRig(decoders.files)
    settle(rig)
    rig.player.queue = queue
    rig.player.restore(state, saved: moment)
    rig.player.handle(.outputRestored)
    return rig
  }

  /// Breaks the retain cycles of the player's closures.
  deinit { player.end() }

  /// System events that the machine rejected, each with the events before it: the player's view of its
  /// components was inconsistent. A passing test has none.
  var contradictions: [String] {
    let history = player.machine.history
    guard history.rejectedSystem > 0 else { return [] }
    return (0..<history.count).suffix(25).map { n in
      let entry = history[n]
      return "\n\(entry.from.kind.name) \(entry.event) → \(entry.to.kind.name) \(entry.verdict)"
    }
  }

  var state: PlayerState { player.machine.state }
  var states: [PlayerState.Kind] { ear.states }
  var errors: [PlaybackError] { ear.errors }
  var notes: [String] { ear.notes }
  /// Number of messages about the sound device.
  var deviceNotes: Int { ear.deviceNotes }
  /// Paths of the tracks whose decoders were restarted.
  var restarts: [String] { ear.restarts }
  /// Results of announcements: the file's number and a keyword.
  var announced: [String] { ear.announced }
  var began: [String] { ear.began }
  var left: [(path: String, position: Int, isOver: Bool)] { ear.left }

  /// Runs for a time of the card's clock.
  func run(milliseconds: Double) {
    let end = device.clock + UInt64(milliseconds * 1e6)
    while device.clock < end { step(until: end) }
  }

  /// Runs until a condition holds, at most one minute of the card's clock.
  @discardableResult
  func run(until condition: () -> Bool) -> Bool {
    let end = device.clock + 60_000_000_000
    while device.clock < end {
      if condition() { return true }
      step(until: end)
    }
    return false
  }

  func run(to kind: PlayerState.Kind) -> Bool { run { state.kind == kind } }

  /// The longest silence between sounds, in frames.
  var maxSilence: Int {
    var (longest, present, hasBegun) = (0, 0, false)
    for n in stride(from: 0, to: device.heard.count, by: 2) {
      if device.heard[n] == 0, device.heard[n + 1] == 0 {
        present += 1
      } else {
        if hasBegun { longest = max(longest, present) }
        (present, hasBegun) = (0, true)
      }
    }
    return longest
  }

  private func step(until end: UInt64) {
    let pause = loop.turn()
    player.takeReports()
    _ = scheduler.fire()
    let wanted = UInt64(max(100_000, pause ?? 10_000_000))
    device.advance(min(wanted, 10_000_000, end - device.clock))
    scheduler.advance(to: device.clock)
  }

  // MARK: The output

  /// Runs of frames of one file, in order; silence is omitted, and ramps are bridged.
  var heardRuns: [(number: Int, frames: ClosedRange<Int>)] {
    var runs: [(number: Int, frames: ClosedRange<Int>)] = []
    for n in stride(from: 0, to: device.heard.count, by: 2) {
      let (left, right) = (device.heard[n], device.heard[n + 1])
      // Only samples at full gain encode number and index exactly.
      let number = Int((left * 64).rounded()) - 1
      let index = Int((right * 262_144).rounded()) - 1
      guard number >= 0, index >= 0, sample(number, index) == (left, right) else { continue }
      if let last = runs.last, last.number == number, last.frames.upperBound + 1 == index {
        runs[runs.count - 1].frames = last.frames.lowerBound...index
      } else {
        runs.append((number, index...index))
      }
    }
    // During a ramp a frame may match another one by chance.
    return runs.filter { $0.frames.count > 100 }
  }
}

extension Player {
  /// Sets the length of automatic and manual fades; zero disables them.
  func setCrossfade(_ length: Seconds) {
    var settings = machine.settings
    settings.automaticFadeLength = length
    settings.manualFadeLength = length
    settings.fadesManually = length > .zero
    adopt(settings)
  }
}

/// The player's observer. It is not the rig itself, which would then be part of a retain cycle.
private final class Ear: PlayerObserver {
  /// Kinds of the states, in order.
  private(set) var states: [PlayerState.Kind] = []
  private(set) var errors: [PlaybackError] = []
  private(set) var notes: [String] = []
  private(set) var deviceNotes = 0
  private(set) var restarts: [String] = []
  /// Paths of the tracks that began to play.
  private(set) var began: [String] = []
  private(set) var announced: [String] = []
  private(set) var left: [(path: String, position: Int, isOver: Bool)] = []

  func playerDidChange(_ player: Player) {
    if states.last != player.machine.state.kind { states.append(player.machine.state.kind) }
  }

  func player(_ player: Player, reports error: PlaybackError) { errors.append(error) }
  func player(_ player: Player, notes note: PlayerNote) {
    notes.append(note.text)
    if note.kind == .device { deviceNotes += 1 }
  }
  func player(_ player: Player, restarts track: Track, after error: PlaybackError) {
    restarts.append(track.path)
  }
  func player(_ player: Player, began track: Track) { began.append(track.path) }

  func player(_ player: Player, announcement: Announcement, came outcome: AnnouncementOutcome) {
    let word = if case .failed(let error) = outcome { "failed \(error.kind)" } else { "\(outcome)" }
    announced.append("\(announcement.track.path) \(word)")
  }

  func player(_ player: Player, left track: Track, at position: Frames, isOver: Bool) {
    left.append((track.path, Int(position.count), isOver))
  }
}
