// The speaker correction filters between mix and limiter, and the crossfade from one filter set to the next. Audio
// thread; memory is allocated at start, then no locks and no allocation.

import PlaybackModel

/// The part of the filters' state that decides how frames are rendered. Part of `MixerState`, so it is small.
struct FilterPhase: Sendable {
  /// Whether any filter is set; otherwise the filter states are meaningless.
  var isOn = false
  /// Whether the filters have had input that has not decayed yet.
  var isSounding = false
  /// Whether the former filters still run during a crossfade.
  var isCrossing = false
  /// Whether another filter set waits for the end of the crossfade.
  var hasWaiting = false
  /// Share of the new filters in the output.
  var crossing = Ramp.constant(1)
  /// The frame at which the crossfade started.
  var begun: Int64 = -1

  @_noLocks @_noAllocation init() {}
}

/// Complete state of the filters at one frame.
struct FilterState: Sendable {
  /// The current filters, or the incoming ones of a crossfade.
  var present = FilterBank()
  /// The outgoing filters of a crossfade.
  var former = FilterBank()
  /// The filters that were last requested.
  var wanted = InlineArray<14, Biquad>(repeating: .unity)

  @_noLocks @_noAllocation init() {}
}

/// The filters' memory and work buffers.
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

  /// Resets all filters and their history.
  @_noLocks @_noAllocation
  func reset() { state.pointee = FilterState() }

  /// Clears the filters' history.
  @_noLocks @_noAllocation
  func silence() {
    state.pointee.present.silence()
    state.pointee.former.silence()
  }

  /// Uses the requested filters at once; unchanged filters keep their history.
  ///
  /// - Returns: Whether any filter is set.
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

  /// Filters interleaved stereo frames in place.
  ///
  /// - Parameters:
  ///   - samples: Interleaved stereo samples.
  ///   - frames: Number of frames.
  ///   - frame: Timeline frame of the first one.
  ///   - phase: State of the crossfade.
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
