// Start, crossfade and rest of the speaker correction filters. Audio thread: no locks, no allocation.

import PlaybackModel

extension Mixer {
  /// How long new filters run before they become audible, so that their initial transient has decayed.
  private static var feedingTime: Seconds {
    @_noLocks @_noAllocation get { Seconds(0.01) }
  }
  /// Length of the crossfade between the former and the new filters.
  private static var crossingTime: Seconds {
    @_noLocks @_noAllocation get { Seconds(0.02) }
  }

  /// Replaces the filter at `index`, from the present frame on.
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
      // Nothing is audible: use the new filter at once.
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

  /// Finishes a filter crossfade whose last frame is the present one, and starts the waiting one.
  @_noLocks @_noAllocation
  mutating func passFilters() {
    guard state.filters.isCrossing, state.frame >= state.filters.crossing.end else { return }
    state.filters.isCrossing = false
    if state.filters.hasWaiting { return beginCrossing() }
    if filters.state.pointee.present.isUnity { state.filters = FilterPhase() }
  }

  /// Filters the frames `first..<last` of the mixed stretch.
  @_noLocks @_noAllocation
  mutating func filterMix(from first: Int, to last: Int) {
    // Skip filters with silent input and no decaying output.
    guard state.filters.isSounding || !isMute || isAnnouncing else { return }
    state.filters.isSounding = true
    filters.process(mix + 2 * first, frames: last - first, at: state.frame + Int64(first), state.filters)
  }

  /// At the start of a quantum, stops filters whose output has decayed.
  @_noLocks @_noAllocation
  mutating func restFilters() {
    guard isMute, !isAnnouncing, filters.state.pointee.present.isSilent,
      !state.filters.isCrossing || filters.state.pointee.former.isSilent
    else { return }
    silenceFilters()
  }

  /// Clears the filters' history, because the next audio starts from silence.
  @_noLocks @_noAllocation
  mutating func silenceFilters() {
    guard state.filters.isOn else { return }
    filters.silence()
    state.filters.isSounding = false
  }
}
