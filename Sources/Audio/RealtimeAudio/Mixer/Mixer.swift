// The mixer: a function of the timeline. Renders frames, goes back to a frame, renders it again otherwise.
// Audio thread only; allocated at start; nothing reachable from `render` may lock or allocate.

import AudioRing
import PlaybackModel

/// Renders two decks, their fade and the listener's volume into an output's sample format.
@usableFromInline package struct Mixer: ~Copyable, @unchecked Sendable {
  /// The shortest quantum and the longest.
  static var shortestQuantum: Int {
    @_noLocks @_noAllocation get { 512 }
  }
  static var longestQuantum: Int {
    @_noLocks @_noAllocation get { 2048 }
  }
  /// How far back a frame can be rendered again.
  static var window: Seconds {
    @_noLocks @_noAllocation get { Seconds(1.5) }
  }
  /// The longest queue that can be taken back.
  static var maxQueue: Seconds {
    @_noLocks @_noAllocation get { Seconds(1.4) }
  }

  let rate: SampleRate
  let encoder: SampleEncoder
  /// Frames between two saved states, a power of two; stretches never cross a multiple of it.
  let quantum: Int
  /// De-click ramp for starvation, in frames.
  let declick: Int64

  var state = MixerState()
  var timeline = CommandTimeline()
  var log = EventLog()
  var trail = PositionTrail()
  /// Filters for the speaker's sake, between the mix and the limiter.
  let filters = SpeakerFilters()
  private let saved: SavedStates
  /// The newest quantum whose state was saved.
  private var savedFrame: Int64 = -1
  /// The frame at which the output last stood still: its state, with the commands of that frame applied, is
  /// kept behind the quanta's, and nothing before it can be rendered again.
  var anchorFrame: Int64 = -1
  /// The frame that was decided without being rendered; of no meaning once another one is the present frame.
  private var decidedFrame: Int64 = -1
  /// The mix of one stretch, interleaved stereo.
  let mix: UnsafeMutablePointer<Float>
  private let discarded: UnsafeMutableRawPointer

  /// Makes a mixer for an output. All memory it will ever use is allocated here.
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

  /// What is done once for a quantum costs as much as hundreds of frames. So it is long, but no longer than 50 ms where the
  /// rate is low: a ring that runs dry is noticed as a quantum begins.
  private static func quantum(at rate: SampleRate) -> Int {
    var quantum = shortestQuantum
    while quantum < longestQuantum, quantum * 2 <= Int(rate.frames(Seconds(0.05)).count) { quantum *= 2 }
    return quantum
  }

  deinit {
    mix.deallocate()
    discarded.deallocate()
  }

  /// Frames that a starved deck must have before it is heard again: more than may have to be rendered at once.
  var refill: Int {
    @_noLocks @_noAllocation get { max(Int(rate.frames(Seconds(0.25)).count), 3 * quantum) }
  }

  /// Bytes of one output frame.
  package var frameBytes: Int {
    @_noLocks @_noAllocation get { encoder.frameBytes }
  }

  /// The timeline frame that is rendered next.
  package var frame: Frames {
    @_noLocks @_noAllocation get { Frames(state.frame) }
  }

  /// Pins a command. One that is pinned to a frame already rendered takes effect on the next frame.
  /// False if the timeline is full; nothing is changed then.
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

  /// Renders the next `count` frames into `output`, in the output's format. With `stopsAtSilence` it ends
  /// where nothing is left to be heard, with `stopsAtEvents` where something is to be told. Answers the frames that were rendered.
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

  /// Applies what is due on the present frame, without rendering it.
  @_noLocks @_noAllocation
  mutating func applyDue() {
    enterQuantum()
    applyDueCommands()
    decidedFrame = state.frame
  }

  /// Takes back what was decided on the present frame, of which nothing was rendered yet. Commands that come now belong
  /// to it like those before them: rendered again, all of a frame's commands are applied before anything is decided.
  @_noLocks @_noAllocation
  mutating func reopenFrame() {
    if decidedFrame == state.frame { _ = goBack(to: state.frame) }
  }

  /// Applies what is due on the present frame, for good: for a mixer whose output stands still. It can do so
  /// any number of times; none of the frames before can be rendered again.
  @_noLocks @_noAllocation
  package mutating func settle() {
    applyDue()
    timeline.forgetApplied()
    log.fix()
    decidedFrame = -1
    saved.keep(state, filters.state, in: saved.quanta)
    anchorFrame = state.frame
  }

  /// Whether no more commands can be pinned.
  var isTimelineFull: Bool {
    @_noLocks @_noAllocation get { timeline.isFull }
  }

  /// Goes back to `target`, an earlier frame: as if nothing from there on had been rendered. False, and no
  /// change, if that is further back than the window.
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

  /// Forgets what lies before `frame`, the oldest frame that can still be asked for, and tells the decks'
  /// writers what they may overwrite.
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
    // The ring that was heard then may not be the one that is attached now, even at the same address.
    guard let ring = state.decks[id].ring,
      savedState(covering: frame.count).decks[id].attachment == state.decks[id].attachment
    else { return }
    let retention = UInt64(rate.frames(RingLayout.retention).count)
    ring.retain(from: heard > retention ? heard - retention : 0)
  }

  /// The same for the decks beside them: they let go of nothing that was read since the quantum began in which the frame lies.
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

  /// The state at the beginning of the quantum in which `frame` lies, or the present one for frames that are
  /// not on record.
  @_noLocks @_noAllocation
  func savedState(covering frame: Int64) -> MixerState {
    let start = quantumStart(of: frame)
    guard frame >= 0, frame < state.frame, saved.frame(in: slot(of: start)) == start else { return state }
    return saved[slot(of: start)]
  }

  /// Where decks and fade stood at a frame of the last moments.
  @_noLocks @_noAllocation
  package func positions(at wanted: Frames) -> MixerPositions {
    let frame = min(wanted.count, state.frame)
    return trail.positions(at: frame) ?? Self.positions(of: state)
  }

  /// Until which frame everything moves as it does at a frame of the last moments, as far as is rendered.
  @_noLocks @_noAllocation
  func steadyUntil(from frame: Frames) -> Frames { Frames(trail.change(after: frame.count) ?? state.frame) }

  /// Where everything stands at the present frame.
  var positions: MixerPositions {
    @_noLocks @_noAllocation get { Self.positions(of: state) }
  }

  @_noLocks @_noAllocation
  private static func positions(of state: MixerState) -> MixerPositions {
    PositionTrail.Mark(of: state).positions(at: state.frame)
  }

  /// Takes note of what the writers of all rings have done.
  @_noLocks @_noAllocation
  mutating func lookAtRings() {
    state.decks.look(at: state.frame)
    state.announcer.deck.look(at: state.frame)
    state.liveInput.deck.look(at: state.frame)
  }

  /// At the beginning of a quantum: looks at the rings and saves the state, once.
  @_noLocks @_noAllocation
  private mutating func enterQuantum() {
    guard state.frame % Int64(quantum) == 0, state.frame > savedFrame else { return }
    lookAtRings()
    if state.filters.isSounding { restFilters() }
    saved.keep(state, filters.state, in: slot(of: state.frame))
    savedFrame = state.frame
  }
}
