// The mixer: a function of the timeline. Renders frames, goes back to a frame, renders it again otherwise.
// Audio thread only; allocated at start; nothing reachable from `render` may lock or allocate.

import PlaybackModel

/// Renders two decks, their fade and the listener's volume into an output's sample format.
public struct Mixer: ~Copyable, @unchecked Sendable {
  /// Frames between two saved states; stretches never cross a multiple of it.
  static var quantum: Int {
    @_noLocks @_noAllocation get { 256 }
  }
  /// How far back a frame can be rendered again.
  static var window: Seconds {
    @_noLocks @_noAllocation get { Seconds(0.75) }
  }

  let rate: SampleRate
  let encoder: SampleEncoder
  /// De-click ramp for starvation, in frames.
  let declick: Int64
  /// Frames that a starved deck must have before it is heard again.
  let refill: Int

  var state = MixerState()
  var timeline = CommandTimeline()
  var log = EventLog()
  private let saved: UnsafeMutablePointer<MixerState>
  private let savedCount: Int
  /// The mix of one stretch, interleaved stereo.
  let mix: UnsafeMutablePointer<Float>
  private let discarded: UnsafeMutableRawPointer

  /// Makes a mixer for an output. All memory it will ever use is allocated here.
  public init(rate: SampleRate, format: SampleFormat, channels: Int) {
    precondition(channels == 1 || channels == 2, "outputs have one or two channels")
    self.rate = rate
    encoder = SampleEncoder(format: format, channels: channels)
    declick = rate.frames(Seconds(0.008)).count
    refill = Int(rate.frames(Seconds(0.25)).count)
    savedCount = Int(rate.frames(Self.window).count) / Self.quantum + 2
    saved = .allocate(capacity: savedCount)
    saved.initialize(repeating: MixerState(), count: savedCount)
    mix = .allocate(capacity: Self.quantum * 2)
    mix.initialize(repeating: 0, count: Self.quantum * 2)
    discarded = .allocate(byteCount: Self.quantum * 8, alignment: 16)
    // Slots that were never saved must not pass for a state at frame zero.
    var i = 0
    while i < savedCount {
      saved[i].frame = -1
      i += 1
    }
  }

  deinit {
    saved.deallocate()
    mix.deallocate()
    discarded.deallocate()
  }

  /// Bytes of one output frame.
  public var frameBytes: Int {
    @_noLocks @_noAllocation get { encoder.frameBytes }
  }

  /// The timeline frame that is rendered next.
  public var frame: Frames {
    @_noLocks @_noAllocation get { Frames(state.frame) }
  }

  /// Pins a command. One that is pinned to a frame already rendered takes effect on the next frame.
  /// False if the timeline is full; nothing is changed then.
  @_noLocks @_noAllocation
  public mutating func insert(_ request: CommandRequest) -> Bool {
    guard !timeline.isFull else { return false }
    let frame: Int64
    switch request.pin {
    case .now: frame = state.frame
    case .at(let wanted): frame = max(wanted.count, state.frame)
    }
    timeline.insert(.init(frame: frame, id: request.id, command: request.command))
    return true
  }

  /// Renders the next `count` frames into `output`, in the output's format. With `stopsAtSilence` it ends
  /// where nothing is left to be heard. Answers the frames that were rendered.
  @_noLocks @_noAllocation
  public mutating func render(
    _ count: Int, into output: UnsafeMutableRawPointer, stopsAtSilence: Bool = false
  ) -> Int {
    var done = 0
    while done < count {
      saveIfDue()
      applyDueCommands()
      if stopsAtSilence, isQuiescent { break }
      let stretch = stretchLength(limit: count - done)
      renderStretch(stretch, into: output + done * encoder.frameBytes)
      done += stretch
    }
    return done
  }

  /// Applies what is due on the present frame, without rendering it: for a mixer whose output stands still.
  @_noLocks @_noAllocation
  public mutating func settle() {
    saveIfDue()
    applyDueCommands()
  }

  /// Goes back to `target`, an earlier frame: as if nothing from there on had been rendered. False, and no
  /// change, if that is further back than the window.
  @_noLocks @_noAllocation
  public mutating func restore(to target: Frames) -> Bool {
    let wanted = target.count
    guard wanted < state.frame else { return wanted == state.frame }
    let quantum = Int64(Self.quantum)
    let start = wanted - wanted % quantum
    let slot = Int((start / quantum) % Int64(savedCount))
    guard saved[slot].frame == start else { return false }
    state = saved[slot]
    timeline.rewind(to: start)
    log.rewind(to: wanted)
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
  public mutating func forget(before frame: Frames) {
    timeline.forget(before: min(frame.count, state.frame) - Int64(Self.quantum))
    let heard = positions(at: frame)
    let retention = UInt64(rate.frames(RingLayout.retention).count)
    retain(.a, heard: heard.a, retention: retention)
    retain(.b, heard: heard.b, retention: retention)
  }

  @_noLocks @_noAllocation
  private func retain(_ id: DeckID, heard: UInt64, retention: UInt64) {
    guard let ring = state.decks[id].ring else { return }
    ring.retain(from: heard > retention ? heard - retention : 0)
  }

  /// Where decks and fade stood at a frame of the last moments: exact to the frame while the decks run
  /// undisturbed, within a quantum otherwise.
  @_noLocks @_noAllocation
  public func positions(at wanted: Frames) -> MixerPositions {
    let frame = min(wanted.count, state.frame)
    let quantum = Int64(Self.quantum)
    let start = frame - frame % quantum
    let slot = Int((start / quantum) % Int64(savedCount))
    guard frame >= 0, saved[slot].frame == start, start < state.frame else { return positions }
    let then = saved[slot]
    let past = frame - start
    let isHeld = then.gate.isClosed
    return MixerPositions(
      frame: Frames(frame),
      a: Self.advanced(then.decks[.a], now: state.decks[.a], by: past, isHeld: isHeld),
      b: Self.advanced(then.decks[.b], now: state.decks[.b], by: past, isHeld: isHeld),
      fade: then.fade.map { fade in
        FadePosition(position: fade.position(after: isHeld ? 0 : past), length: fade.length)
      })
  }

  @_noLocks @_noAllocation
  private static func advanced(_ deck: Deck, now: Deck, by frames: Int64, isHeld: Bool) -> UInt64 {
    guard deck.isAudible, !isHeld else { return deck.index }
    let moved = deck.index &+ UInt64(frames)
    return now.index >= deck.index ? min(moved, now.index) : moved
  }

  /// Where everything stands at the present frame.
  var positions: MixerPositions {
    @_noLocks @_noAllocation get {
      var fade: FadePosition?
      if let run = state.fade { fade = FadePosition(position: run.position(), length: run.length) }
      return MixerPositions(
        frame: Frames(state.frame), a: state.decks[.a].index, b: state.decks[.b].index, fade: fade)
    }
  }

  /// Takes the oldest event that lies at or before `frame`, the last one that was heard.
  @_noLocks @_noAllocation
  public mutating func takeEvent(heardUpTo frame: Frames) -> StampedEvent? {
    log.take(upTo: frame.count)
  }

  /// The frame of the oldest event that was not taken.
  public var nextEventFrame: Frames? {
    @_noLocks @_noAllocation get {
      guard let frame = log.nextFrame else { return nil }
      return Frames(frame)
    }
  }

  /// Whether nothing sounds, nothing moves and nothing is pinned: rendering on would add silence only.
  public var isQuiescent: Bool {
    @_noLocks @_noAllocation get {
      if timeline.hasPending { return false }
      switch state.gate.phase {
      case .closed: return true
      case .closing: return false
      case .open:
        return !state.decks[.a].isAudible && !state.decks[.b].isAudible
      }
    }
  }

  /// Whether every deck that is heard has at least `frames` frames to give, or all that its track has.
  @_noLocks @_noAllocation
  public func canRender(_ frames: Int) -> Bool {
    if state.gate.isClosed { return true }
    return canRender(frames, from: state.decks[.a]) && canRender(frames, from: state.decks[.b])
  }

  @_noLocks @_noAllocation
  private func canRender(_ frames: Int, from deck: Deck) -> Bool {
    guard deck.isAudible, let ring = deck.ring else { return true }
    return ring.holds(frames, from: deck.index)
  }

  @_noLocks @_noAllocation
  private mutating func saveIfDue() {
    let quantum = Int64(Self.quantum)
    guard state.frame % quantum == 0 else { return }
    saved[Int((state.frame / quantum) % Int64(savedCount))] = state
  }
}
