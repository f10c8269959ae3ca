// When the speaker's filters work, change and rest. Audio thread; may not lock or allocate.

import PlaybackModel

extension Mixer {
  /// New filters are fed for this long before anything of them is heard: what they make of a beginning in the midst of a
  /// wave is over then.
  private static var feedingTime: Seconds {
    @_noLocks @_noAllocation get { Seconds(0.01) }
  }
  /// How long both sets are heard.
  private static var crossingTime: Seconds {
    @_noLocks @_noAllocation get { Seconds(0.02) }
  }

  /// Wants another filter in one of the places, from the present frame on.
  @_noLocks @_noAllocation
  mutating func setFilter(_ index: Int, to biquad: Biquad) {
    guard index >= 0, index < FilterBank.count else { return }
    if !state.filters.isOn {
      guard !biquad.isUnity else { return }
      filters.reset()
      state.filters = FilterPhase()
      state.filters.isOn = true
    }
    guard !filters.state.pointee.wanted[index].isSame(as: biquad) else { return }
    filters.state.pointee.wanted[index] = biquad
    if isMute, !isAnnouncing, !state.filters.isSounding {
      // Out of silence it begins as it was ordered.
      state.filters.isCrossing = false
      state.filters.hasWaiting = false
      state.filters.isOn = filters.adopt()
    } else if !state.filters.isCrossing {
      beginCrossing()
    } else if state.filters.begun == state.frame {
      _ = filters.adopt()
    } else {
      state.filters.hasWaiting = true
    }
  }

  @_noLocks @_noAllocation
  private mutating func beginCrossing() {
    filters.state.pointee.former = filters.state.pointee.present
    _ = filters.adopt()
    state.filters.isCrossing = true
    state.filters.hasWaiting = false
    state.filters.begun = state.frame
    state.filters.crossing = Ramp(
      from: 0, to: 1, start: state.frame + rate.frames(Self.feedingTime).count,
      length: rate.frames(Self.crossingTime).count)
  }

  /// Ends a change of filters that is over on the present frame.
  @_noLocks @_noAllocation
  mutating func passFilters() {
    guard state.filters.isCrossing, state.frame >= state.filters.crossing.end else { return }
    state.filters.isCrossing = false
    if state.filters.hasWaiting { return beginCrossing() }
    if filters.state.pointee.present.isUnity { state.filters = FilterPhase() }
  }

  /// Filters a part of the present stretch, which is mixed.
  @_noLocks @_noAllocation
  mutating func filterMix(from first: Int, to last: Int) {
    // Nothing goes in, and nothing is left of what went in before.
    guard state.filters.isSounding || !isMute || isAnnouncing else { return }
    state.filters.isSounding = true
    filters.process(mix + 2 * first, frames: last - first, at: state.frame + Int64(first), state.filters)
  }

  /// At the beginning of a quantum: lets filters rest that have rung out.
  @_noLocks @_noAllocation
  mutating func restFilters() {
    guard isMute, !isAnnouncing, filters.state.pointee.present.isSilent,
      !state.filters.isCrossing || filters.state.pointee.former.isSilent
    else { return }
    silenceFilters()
  }

  /// Has the filters begin as if nothing had been heard: what comes next comes out of silence.
  @_noLocks @_noAllocation
  mutating func silenceFilters() {
    guard state.filters.isOn else { return }
    filters.silence()
    state.filters.isSounding = false
  }
}
