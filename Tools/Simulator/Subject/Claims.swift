// Snapshot of what the subject reports about itself, for comparison with what is heard. Values; one thread.

import PlaybackModel
import Player

/// Snapshot of a subject's reported state.
struct Claims {
  var state: PlayerState
  var moment: Moment
  /// Whether the player shows that it is waiting for tracks.
  var isLoading: Bool
  /// Number of system events that its state machine rejected.
  var contradictions: UInt64
  /// The last events and the state machine's verdicts.
  var trail: History
  /// Track numbers: the queue's current track, the track that follows automatically, and the target of a user's
  /// `next`.
  var current: Int?
  var following: Int?
  var next: Int?
  /// Whether `next` is the track that a running fade already brings in.
  var nextIsComing = false
  /// Length of the following track, if the box has it.
  var followingLength: Frames?
  /// Contents of the queue.
  var contents: Contents
  /// Where a user's `previous` leads.
  var previous: QueueMove
  /// Fade settings in effect.
  var fades: FadeSettings
  /// State outside of the queue.
  var beside = Beside()
  /// Overall output gain; nil if it is the gain last requested.
  var gain: Double?
}

extension Claims {
  /// Contents of the queue, and what an edit would do to it.
  struct Contents {
    /// Number of entries.
    var count: Int
    /// Numbers of the tracks.
    var numbers: Set<Int>
    /// Indexes of the current track and of the track that the state refers to.
    var currentPlace: Int?
    var heldPlace: Int?
    /// Whether another track follows if the track that the state refers to is removed.
    var followsHeld = false
    /// Longest fade that the settings allow, in nanoseconds.
    var maxFade: UInt64
  }

  /// Fills in where a user's `next` led if that was undecided when it was handled.
  /// - Parameters:
  ///   - later: Claims made after the request was handled.
  ///   - taken: When the request was handled, in nanoseconds.
  mutating func learnNext(from later: Claims, since taken: UInt64) {
    guard next == nil else { return }
    for index in (0..<later.trail.count).reversed() where later.trail[index].time >= taken {
      if case .skip(to: let track?) = later.trail[index].event { next = SimulatedDecoders.number(track.path) }
    }
  }

  /// Number of entries in the queue.
  var queueLength: Int { contents.count }

  /// Whether the stopped or finished track was removed and no other track would start on play.
  var hasNothingLeft: Bool {
    switch state {
    case .fadingOut, .finished: queueLength == 0 && !beside.hasMusicBesides
    default: false
    }
  }

  struct Beside {
    /// Whether the box has not loaded its saved state yet; play waits for that.
    var isRemembering = false
    /// Whether play on an empty queue fills it with the whole library, as a box does.
    var hasMusicBesides = false
    /// Whether a live input is heard.
    var hasLiveInput = false
    /// Tracks left recently, oldest first.
    var left: [LeftTrack] = []
  }

  init(of player: Player, rate: SampleRate) {
    let history = player.machine.history
    let queue = player.queue
    var copy = queue
    if case .skip(let track) = copy.next() {
      next = SimulatedDecoders.number(track.path)
      if case .crossfading(_, let to, _, _, _) = player.machine.state { nextIsComing = track.id == to.id }
    }
    moment = player.moment()
    copy = queue
    previous = copy.previous(at: rate.seconds(player.position))
    state = player.machine.state
    isLoading = player.showsLoading
    let settings = player.machine.settings
    fades = FadeSettings(
      length: Int((settings.automaticFadeLength.value * 1000).rounded()), curve: settings.curve)
    contradictions = history.rejectedSystem
    trail = history
    contents = Contents(queue, state, settings)
    beside.hasLiveInput = player.liveInputName != nil
    current = queue.current.flatMap { SimulatedDecoders.number($0.path) }
    following = queue.peekNext.flatMap { SimulatedDecoders.number($0.path) }
    followingLength = queue.peekNext?.length
  }

  /// The last 30 events with their verdicts, as text for reports.
  func history() -> [String] {
    (max(0, trail.count - 30)..<trail.count).map { index in
      let entry = trail[index]
      let verdict = entry.verdict.isRejected ? " REJECTED" : ""
      return
        "\(entry.time / 1_000_000) ms: \(entry.event.kind.name) in \(entry.from.kind.name) → \(entry.to.kind.name)"
        + verdict
    }
  }
}

extension Claims.Contents {
  init(_ queue: PlayQueue, _ state: PlayerState, _ settings: PlayerSettings) {
    let tracks = queue.tracks
    count = tracks.count
    numbers = Set(tracks.compactMap { SimulatedDecoders.number($0.path) })
    currentPlace = queue.currentIndex
    // A corrupt report may hold any number, so clamp it.
    let seconds = max(settings.automaticFadeLength.value, settings.manualFadeLength.value)
    maxFade = seconds > 0 ? UInt64(min(seconds, 3600) * 1e9) : 0
    // On a skip, the queue's current track is ahead of the one heard.
    let held = queue.current?.id ?? state.heardTrack?.id
    heldPlace = tracks.firstIndex { $0.id == held }
    guard let held, heldPlace != nil else { return }
    var copy = queue
    try? copy.remove(held)
    followsHeld = copy.peekFirst != nil
  }
}
