// The mixer: renders frames of the timeline, and can rewind to an earlier frame and render it again with other
// commands. Audio thread only. All memory is allocated at start; nothing reachable from `render` may lock or allocate.

import AudioRing
import PlaybackModel

/// Mixes two decks, a fade, announcements and a live input into an output's sample format, with the user's volume.
///
/// The timeline is divided into quanta; the state is saved at the start of each. A stretch is a run of frames within a
/// quantum in which only ramps change; decisions are made between stretches.
@usableFromInline package struct Mixer: ~Copyable, @unchecked Sendable {
  /// Smallest quantum in frames; `longestQuantum` is the largest.
  static var shortestQuantum: Int {
    @_noLocks @_noAllocation get { 512 }
  }
  static var longestQuantum: Int {
    @_noLocks @_noAllocation get { 2048 }
  }
  /// How far back the mixer can rewind.
  static var window: Seconds {
    @_noLocks @_noAllocation get { Seconds(1.5) }
  }
  /// Longest output queue that can be rewound.
  static var maxQueue: Seconds {
    @_noLocks @_noAllocation get { Seconds(1.4) }
  }

  let rate: SampleRate
  let encoder: SampleEncoder
  /// Frames between two saved states, a power of two. Stretches never cross a multiple of it.
  let quantum: Int
  /// Length in frames of the ramp that prevents clicks at starvation.
  let declick: Int64

  var state = MixerState()
  var timeline = CommandTimeline()
  var log = EventLog()
  var trail = PositionTrail()
  /// Speaker correction filters, between the mix and the limiter.
  let filters = SpeakerFilters()
  private let saved: SavedStates
  /// Start of the newest quantum whose state was saved.
  private var savedFrame: Int64 = -1
  /// The frame at which the output last stood still.
  ///
  /// Its state, with the commands of that frame applied, is saved after those of the quanta. Rewinding beyond it is
  /// impossible.
  var anchorFrame: Int64 = -1
  /// The frame whose commands were applied before rendering it; meaningless at any other present frame.
  private var decidedFrame: Int64 = -1
  /// Mix buffer of one stretch, interleaved stereo.
  let mix: UnsafeMutablePointer<Float>
  private let discarded: UnsafeMutableRawPointer

  /// Creates a mixer and allocates all of its memory.
  ///
  /// - Parameters:
  ///   - rate: Sample rate of the output.
  ///   - format: Sample format of the output.
  ///   - channels: Channels of the output, one or two.
  package init(rate: SampleRate, format: SampleFormat, channels: Int) {
    precondition(channels == 1 || channels == 2, "outputs have one or two channels")
    self.rate = rate
    encoder = SampleEncoder(format: format, channels: channels)
    quantum = Self.quantum(at: rate)
    declick = rate.frames(Seconds(0.008)).count
    saved = SavedStates(quanta: Int(rate.frames(Self.window).count) / quantum + 2)
    mix = .allocate(capacity: quantum * 2)
    mix.initialize(repeating: 0, count: quantum * 2)
    discarded = .allocate(byteCount: quantum * 8, alignment: 16)
    discarded.initializeMemory(as: UInt8.self, repeating: 0, count: quantum * 8)
  }

  /// Quantum length for a sample rate.
  ///
  /// The work per quantum costs as much as hundreds of frames, so quanta are long; but at most 50 ms, because
  /// starvation is detected only at the start of a quantum.
  private static func quantum(at rate: SampleRate) -> Int {
    var quantum = shortestQuantum
    while quantum < longestQuantum, quantum * 2 <= Int(rate.frames(Seconds(0.05)).count) { quantum *= 2 }
    return quantum
  }

  deinit {
    mix.deallocate()
    discarded.deallocate()
  }

  /// Frames required before a starved deck resumes: more than one refill of the output may need.
  var refill: Int {
    @_noLocks @_noAllocation get { max(Int(rate.frames(Seconds(0.25)).count), 3 * quantum) }
  }

  /// Bytes of one output frame.
  package var frameBytes: Int {
    @_noLocks @_noAllocation get { encoder.frameBytes }
  }

  /// The next timeline frame to render.
  package var frame: Frames {
    @_noLocks @_noAllocation get { Frames(state.frame) }
  }

  /// Adds a command to the timeline. A command for a frame that is already rendered takes effect at the next frame.
  ///
  /// - Returns: False, without a change, if the timeline is full.
  @_noLocks @_noAllocation
  package mutating func insert(_ request: CommandRequest) -> Bool {
    guard !timeline.isFull else { return false }
    switch request.pin {
    case .now:
      timeline.hurry(to: state.frame)
      timeline.insert(.init(frame: state.frame, id: request.id, command: request.command))
    case .at(let wanted):
      timeline.insert(
        .init(frame: max(wanted.count, state.frame), id: request.id, command: request.command, isPinned: true)
      )
    }
    return true
  }

  /// Renders the next frames.
  ///
  /// - Parameters:
  ///   - count: Maximum number of frames.
  ///   - output: Memory for `count` frames in the output's format.
  ///   - stopsAtSilence: Return once the output is silent.
  ///   - stopsAtEvents: Return at the frame of an event.
  /// - Returns: Frames rendered.
  @_noLocks @_noAllocation
  package mutating func render(
    _ count: Int, into output: UnsafeMutableRawPointer, stopsAtSilence: Bool = false,
    stopsAtEvents: Bool = false
  ) -> Int {
    var done = 0
    while done < count {
      enterQuantum()
      applyDueCommands()
      if stopsAtSilence, isQuiescent { break }
      if stopsAtEvents, let event = nextEventFrame, event.count <= state.frame { break }
      let stretch = stretchLength(limit: count - done)
      renderStretch(stretch, into: output + done * encoder.frameBytes)
      done += stretch
    }
    return done
  }

  /// Applies the commands that are due at the present frame, without rendering it.
  @_noLocks @_noAllocation
  mutating func applyDue() {
    enterQuantum()
    applyDueCommands()
    decidedFrame = state.frame
  }

  /// Reverts the effects of `applyDue` at the present frame.
  ///
  /// New commands then join the earlier ones of that frame, as if rendered again: all commands of a frame are applied
  /// before anything is decided.
  @_noLocks @_noAllocation
  mutating func reopenFrame() {
    if decidedFrame == state.frame { _ = goBack(to: state.frame) }
  }

  /// Applies the commands that are due at the present frame permanently, while the output stands still. May be called
  /// repeatedly; earlier frames can no longer be rendered again.
  @_noLocks @_noAllocation
  package mutating func settle() {
    applyDue()
    timeline.forgetApplied()
    log.fix()
    decidedFrame = -1
    saved.keep(state, filters.state, in: saved.quanta)
    anchorFrame = state.frame
  }

  /// Whether the timeline cannot accept more commands.
  var isTimelineFull: Bool {
    @_noLocks @_noAllocation get { timeline.isFull }
  }

  /// Rewinds to an earlier frame, as if no frame from there on had been rendered.
  ///
  /// - Returns: False, without a change, if the frame is outside the window.
  @_noLocks @_noAllocation
  package mutating func restore(to target: Frames) -> Bool {
    guard target.count < state.frame else { return target.count == state.frame }
    return goBack(to: target.count)
  }

  @_noLocks @_noAllocation
  private mutating func goBack(to wanted: Int64) -> Bool {
    guard wanted >= anchorFrame, wanted >= 0 else { return false }
    let start = max(quantumStart(of: wanted), anchorFrame)
    let slot = start == anchorFrame ? saved.quanta : slot(of: start)
    guard saved.frame(in: slot) == start else { return false }
    saved.restore(&state, filters.state, from: slot)
    decidedFrame = -1
    savedFrame = min(savedFrame, wanted - 1)
    timeline.rewind(to: start, changing: wanted)
    log.rewind(to: wanted)
    trail.rewind(to: wanted)
    while state.frame < wanted {
      applyDueCommands()
      let stretch = stretchLength(limit: Int(wanted - state.frame))
      renderStretch(stretch, into: discarded)
    }
    return true
  }

  /// Drops the history before a frame and releases ring memory for overwriting.
  ///
  /// - Parameter frame: The oldest frame that can still be rewound to or queried.
  @_noLocks @_noAllocation
  package mutating func forget(before frame: Frames) {
    timeline.forget(before: min(frame.count, state.frame) - Int64(quantum))
    trail.forget(before: frame.count)
    let heard = positions(at: frame)
    retain(.a, heard: heard.a, at: frame)
    retain(.b, heard: heard.b, at: frame)
    retainBeside(at: frame.count)
  }

  @_noLocks @_noAllocation
  private func retain(_ id: Deck, heard: UInt64, at frame: Frames) {
    // The deck may have had another ring at that frame, even one at the same address.
    guard let ring = state.decks[id].ring,
      savedState(covering: frame.count).decks[id].attachment == state.decks[id].attachment
    else { return }
    let retention = UInt64(rate.frames(RingLayout.retention).count)
    ring.retain(from: heard > retention ? heard - retention : 0)
  }

  /// Releases ring memory of the announcement and live input decks, up to the start of the quantum that contains
  /// `frame`.
  @_noLocks @_noAllocation
  private func retainBeside(at frame: Int64) {
    guard state.announcer.deck.ring != nil || hasLiveInput else { return }
    let then = savedState(covering: frame)
    retain(state.announcer.deck, as: then.announcer.deck)
    retain(state.liveInput.deck, as: then.liveInput.deck)
  }

  @_noLocks @_noAllocation
  private func retain(_ deck: DeckState, as then: DeckState) {
    guard let ring = deck.ring, then.attachment == deck.attachment else { return }
    let retention = UInt64(rate.frames(RingLayout.retention).count)
    ring.retain(from: then.index > retention ? then.index - retention : 0)
  }

  @_noLocks @_noAllocation
  func quantumStart(of frame: Int64) -> Int64 { frame - frame % Int64(quantum) }

  @_noLocks @_noAllocation
  private func slot(of quantumStart: Int64) -> Int {
    Int((quantumStart / Int64(quantum)) % Int64(saved.quanta))
  }

  /// The saved state at the start of the quantum that contains `frame`; the present state if none is saved.
  @_noLocks @_noAllocation
  func savedState(covering frame: Int64) -> MixerState {
    let start = quantumStart(of: frame)
    guard frame >= 0, frame < state.frame, saved.frame(in: slot(of: start)) == start else { return state }
    return saved[slot(of: start)]
  }

  /// Positions of the decks and the fade at a recent frame.
  @_noLocks @_noAllocation
  package func positions(at wanted: Frames) -> MixerPositions {
    let frame = min(wanted.count, state.frame)
    return trail.positions(at: frame) ?? Self.positions(of: state)
  }

  /// The frame until which all positions advance at the same pace as at `frame`, up to the last rendered frame.
  @_noLocks @_noAllocation
  func steadyUntil(from frame: Frames) -> Frames { Frames(trail.change(after: frame.count) ?? state.frame) }

  /// Positions at the present frame.
  var positions: MixerPositions {
    @_noLocks @_noAllocation get { Self.positions(of: state) }
  }

  @_noLocks @_noAllocation
  private static func positions(of state: MixerState) -> MixerPositions {
    PositionTrail.Mark(of: state).positions(at: state.frame)
  }

  /// Takes new snapshots of all rings.
  @_noLocks @_noAllocation
  mutating func lookAtRings() {
    state.decks.look(at: state.frame)
    state.announcer.deck.look(at: state.frame)
    state.liveInput.deck.look(at: state.frame)
  }

  /// At the start of a quantum, takes snapshots of the rings and saves the state, once.
  @_noLocks @_noAllocation
  private mutating func enterQuantum() {
    guard state.frame % Int64(quantum) == 0, state.frame > savedFrame else { return }
    lookAtRings()
    if state.filters.isSounding { restFilters() }
    saved.keep(state, filters.state, in: slot(of: state.frame))
    savedFrame = state.frame
  }
}
