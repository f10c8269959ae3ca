// The filters between the mix and the limiter, and the change from one set of them to another without a click.
// Audio thread; allocated at start; may not lock or allocate after.

import PlaybackModel

/// What of the filters decides how frames are rendered. Part of `MixerState`; small, because it is there without filters, too.
struct FilterPhase: Sendable {
  /// Whether there is any filter. Otherwise what they remember means nothing.
  var isOn = false
  /// Whether they have heard something that is not over.
  var isSounding = false
  /// Whether the former filters still run beside the new ones.
  var isCrossing = false
  /// Whether others were wanted meanwhile.
  var hasWaiting = false
  /// How much of the new ones is heard.
  var crossing = Ramp.constant(1)
  /// The frame on which they came.
  var begun: Int64 = -1

  @_noLocks @_noAllocation init() {}
}

/// All that the filters remember at one frame.
struct FilterState: Sendable {
  /// Those that are heard, or come to be.
  var present = FilterBank()
  /// Those that are on their way out while the filters change.
  var former = FilterBank()
  /// Those that are wanted.
  var wanted = InlineArray<14, Biquad>(repeating: .unity)

  @_noLocks @_noAllocation init() {}
}

/// The filters' memory, and room to work in.
struct SpeakerFilters: ~Copyable {
  let state: UnsafeMutablePointer<FilterState>
  private let blocks: UnsafeMutablePointer<SIMD2<Double>>

  init() {
    state = .allocateResident(capacity: 1)
    state.initialize(to: FilterState())
    blocks = .allocateResident(capacity: 2 * FilterBank.blockFrames)
  }

  deinit {
    state.deallocate()
    blocks.deallocate()
  }

  /// Forgets everything, filters included.
  @_noLocks @_noAllocation
  func reset() { state.pointee = FilterState() }

  /// Forgets what was heard.
  @_noLocks @_noAllocation
  func silence() {
    state.pointee.present.silence()
    state.pointee.former.silence()
  }

  /// Takes what is wanted, at once; the rest of the filters remember what they did. Whether any is left.
  @_noLocks @_noAllocation
  func adopt() -> Bool {
    var i = 0
    while i < FilterBank.count {
      if !state.pointee.present.biquads[i].isSame(as: state.pointee.wanted[i]) {
        state.pointee.present.replace(i, by: state.pointee.wanted[i])
      }
      i += 1
    }
    return !state.pointee.present.isUnity
  }

  /// Filters interleaved stereo frames in place, of which the first is `frame` of the timeline.
  @_noLocks @_noAllocation
  func process(
    _ samples: UnsafeMutablePointer<Float>, frames: Int, at frame: Int64, _ phase: FilterPhase
  ) {
    let other = blocks + FilterBank.blockFrames
    var done = 0
    while done < frames {
      let now = frame + Int64(done)
      let place = Int(now & Int64(FilterBank.blockFrames - 1))
      if place == 0 {
        state.pointee.present.tend()
        if phase.isCrossing { state.pointee.former.tend() }
      }
      let count = min(frames - done, FilterBank.blockFrames - place)
      let piece = samples + 2 * done
      Self.load(piece, into: blocks, frames: count)
      state.pointee.present.process(blocks, frames: count)
      if phase.isCrossing {
        Self.load(piece, into: other, frames: count)
        state.pointee.former.process(other, frames: count)
        var i = 0
        while i < count {
          let share = Double(phase.crossing.value(at: now + Int64(i)))
          blocks[i] = other[i] + (blocks[i] - other[i]) * share
          i += 1
        }
      }
      Self.store(blocks, into: piece, frames: count)
      done += count
    }
  }

  @_noLocks @_noAllocation
  private static func load(
    _ samples: UnsafeMutablePointer<Float>, into block: UnsafeMutablePointer<SIMD2<Double>>, frames: Int
  ) {
    var i = 0
    while i < frames {
      block[i] = SIMD2(Double(samples[2 &* i]), Double(samples[2 &* i &+ 1]))
      i = i &+ 1
    }
  }

  @_noLocks @_noAllocation
  private static func store(
    _ block: UnsafeMutablePointer<SIMD2<Double>>, into samples: UnsafeMutablePointer<Float>, frames: Int
  ) {
    var i = 0
    while i < frames {
      samples[2 &* i] = Float(block[i].x)
      samples[2 &* i &+ 1] = Float(block[i].y)
      i = i &+ 1
    }
  }
}
