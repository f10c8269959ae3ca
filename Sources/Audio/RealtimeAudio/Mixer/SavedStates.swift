// The mixer's states of the last moments, so that any frame of them can be rendered again.
// Audio thread; allocated at start; may not lock or allocate after.

/// Places for states: one for each quantum, and behind them one for where the output stood still. What the filters
/// remember is large, and is kept only where there are any.
struct SavedStates: ~Copyable {
  /// How many quanta have a place.
  let quanta: Int
  private let states: UnsafeMutablePointer<MixerState>
  /// Not touched before there are filters: a page that was never used takes no memory.
  private let filters: UnsafeMutablePointer<FilterState>

  /// Places without a state: their frame is −1.
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

  /// The state in a place, without what filters remember.
  subscript(_ place: Int) -> MixerState {
    @_noLocks @_noAllocation get { states[place] }
  }

  /// The frame of the state in a place.
  @_noLocks @_noAllocation
  func frame(in place: Int) -> Int64 { states[place].frame }

  /// Keeps a state.
  @_noLocks @_noAllocation
  func keep(_ state: MixerState, _ memory: UnsafeMutablePointer<FilterState>, in place: Int) {
    states[place] = state
    if state.filters.isOn { filters[place] = memory.pointee }
  }

  /// Brings a state back.
  @_noLocks @_noAllocation
  func restore(_ state: inout MixerState, _ memory: UnsafeMutablePointer<FilterState>, from place: Int) {
    state = states[place]
    if state.filters.isOn { memory.pointee = filters[place] }
  }
}
