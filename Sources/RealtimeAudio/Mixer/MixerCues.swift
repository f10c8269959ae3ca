// Adding the cue that sounds to the mix: past the volume and the gate, so that it is heard in a pause, too.
// Audio thread; may not lock or allocate.

import PlaybackModel

extension Mixer {
  /// Whether a cue sounds or waits.
  var hasCues: Bool {
    @_noLocks @_noAllocation get { !state.cues.isIdle }
  }

  /// Forgets all cues, for an output that cannot be heard: nobody wants to be told late. Only where the output
  /// stands still.
  @_noLocks @_noAllocation
  mutating func dropCues() { state.cues = CuePlayer() }

  /// Adds what the cue has for the frames `first` to `last` of the present stretch.
  @_noLocks @_noAllocation
  func addCue(from first: Int, to last: Int) {
    guard let cue = state.cues.running else { return }
    switch cue.sound {
    case .clip(let clip): add(clip, of: cue, from: first, to: last)
    case .builtIn(let name):
      var n = 0
      while let note = name.note(n) {
        add(note, of: cue, from: first, to: last)
        n += 1
      }
    }
  }

  @_noLocks @_noAllocation
  private func add(_ clip: CueClip, of cue: CueRun, from first: Int, to last: Int) {
    let offset = Int(state.frame - cue.start)
    let end = min(last, clip.frames - offset)
    var i = first
    while i < end {
      let gain = cue.gain * state.entry.value(at: state.frame + Int64(i))
      mix[2 * i] += clip.samples[2 * (offset + i)] * gain
      mix[2 * i + 1] += clip.samples[2 * (offset + i) + 1] * gain
      i += 1
    }
  }

  @_noLocks @_noAllocation
  private func add(_ note: CueNote, of cue: CueRun, from first: Int, to last: Int) {
    let begin = cue.start + rate.frames(Seconds(note.start)).count
    let end = Int(min(Int64(last), begin + rate.frames(Seconds(note.length)).count - state.frame))
    var i = Int(max(Int64(first), begin - state.frame))
    while i < end {
      let frame = state.frame + Int64(i)
      let value = note.value(at: rate.seconds(Frames(frame - begin)).value)
      let gain = cue.gain * state.entry.value(at: frame)
      mix[2 * i] += value * note.left * gain
      mix[2 * i + 1] += value * note.right * gain
      i += 1
    }
  }
}
