// Saved mixer states of the recent quanta, so that their frames can be rendered again. Audio thread; memory is
// allocated at start, then no locks and no allocation.

/// One slot per quantum (a fixed number of frames), and one more for the anchor: the frame of the last
/// `Mixer.settle()`, which no rewind goes behind. The large filter states are saved
/// only if filters are in use.
struct SavedStates: ~Copyable {
  /// Number of slots for quanta.
  let quanta: Int
  private let states: UnsafeMutablePointer<MixerState>
  /// Untouched until filters are in use, so that its pages take no memory.
  private let filters: UnsafeMutablePointer<FilterState>

  /// Allocates empty slots, whose frame is −1.
  init(quanta: Int) {
    self.quanta = quanta
    let count = quanta + 1
    states = .allocate(capacity: count)
    states.initialize(repeating: MixerState(), count: count)
    for i in 0..<count { states[i].frame = -1 }
    filters = .allocate(capacity: count)
  }

  deinit {
    states.deallocate()
    filters.deallocate()
  }

  /// The state in a slot, without filter states.
  subscript(_ place: Int) -> MixerState {
    @_noLocks @_noAllocation get { states[place] }
  }

  /// The frame of the state in a slot; −1 if it is empty.
  @_noLocks @_noAllocation
  func frame(in place: Int) -> Int64 { states[place].frame }

  /// Saves a state and its filter states.
  @_noLocks @_noAllocation
  func keep(_ state: MixerState, _ memory: UnsafeMutablePointer<FilterState>, in place: Int) {
    states[place] = state
    if state.filters.isOn { filters[place] = memory.pointee }
  }

  /// Restores a state and its filter states.
  @_noLocks @_noAllocation
  func restore(_ state: inout MixerState, _ memory: UnsafeMutablePointer<FilterState>, from place: Int) {
    state = states[place]
    if state.filters.isOn { memory.pointee = filters[place] }
  }
}
