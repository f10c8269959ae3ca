// What a subject says of itself at one moment. Values; one thread.

import PlaybackModel
import Player

/// What a subject says of itself at one moment.
struct Claims {
  var state: PlayerState
  var moment: Moment
  /// Whether it says that it waits for tracks.
  var isLoading: Bool
  /// Reports of its own parts that it could not understand.
  var contradictions: UInt64
  /// The last events and what became of them.
  var trail: History
  /// The number of the queue's current track, of the one that follows by itself, and of the one that a person's `next`
  /// leads to.
  var current: Int?
  var following: Int?
  var next: Int?
  /// Whether that is the very track that a fade is bringing already.
  var nextIsComing = false
  /// How long the one that follows is, as far as the box knows it.
  var followingLength: Frames?
  /// What the queue holds.
  var contents: Contents
  /// Where a person's `previous` leads.
  var previous: QueueMove
  /// The fades that it has been told to make.
  var fades: FadeSettings
  /// What is the case beside the queue and its music.
  var beside = Beside()
  /// The gain of the whole; nil where it is as it was ordered last.
  var gain: Double?
}

extension Claims {
  /// What the queue holds, and what becomes of it when it is edited.
  struct Contents {
    /// The number of its tracks.
    var count: Int
    /// The numbers of its tracks.
    var numbers: Set<Int>
    /// The places of its current track, and of the one that the state is about.
    var currentPlace: Int?
    var heldPlace: Int?
    /// Whether another track follows when the one that the state is about is removed.
    var followsHeld = false
    /// How long the longest fade takes that the player may make, in nanoseconds.
    var maxFade: UInt64
  }

  /// Learns from later claims where a person's `next` has led that was taken at a time, where that was not known yet.
  mutating func learnNext(from later: Claims, since taken: UInt64) {
    guard next == nil else { return }
    for index in (0..<later.trail.count).reversed() where later.trail[index].time >= taken {
      if case .skip(to: let track?) = later.trail[index].event { next = SimulatedDecoders.number(track.path) }
    }
  }

  /// How many tracks there are to play.
  var queueLength: Int { contents.count }

  /// Whether the track that was stopped or has ended was removed, and no track takes its place when a person presses play.
  var hasNothingLeft: Bool {
    switch state {
    case .fadingOut, .finished: queueLength == 0 && !beside.hasMusicBesides
    default: false
    }
  }

  struct Beside {
    /// Whether it is not known yet what the box remembers: a press of play waits for that.
    var isRemembering = false
    /// Whether a press of play fills an empty queue with all music that there is, as a box does.
    var hasMusicBesides = false
    /// Whether a live source sounds.
    var hasLiveInput = false
    /// Tracks that were left of late, oldest first.
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

  /// The last events and what became of them, for people.
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
    // A report that is spoilt may hold any number.
    let seconds = max(settings.automaticFadeLength.value, settings.manualFadeLength.value)
    maxFade = seconds > 0 ? UInt64(min(seconds, 3600) * 1e9) : 0
    // The queue has moved on to the track of a skip that is not heard yet.
    let held = queue.current?.id ?? state.heardTrack?.id
    heldPlace = tracks.firstIndex { $0.id == held }
    guard let held, heldPlace != nil else { return }
    var copy = queue
    try? copy.remove(held)
    followsHeld = copy.peekFirst != nil
  }
}
