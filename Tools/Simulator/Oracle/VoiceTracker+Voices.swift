// Which decoders the tracker may hear, and which of them a person means. One thread.

import PlaybackModel

extension VoiceTracker {
  /// Whether what is heard is followed.
  enum Grip {
    case firm
    /// Not until it is silent.
    case lost
    /// It has been silent since, and voices may be further on than was followed.
    case loose
  }

  var isLost: Bool { grip == .lost }

  mutating func fallQuiet() {
    if isLost { grip = .loose }
  }

  mutating func add(_ voice: Voice) {
    voices.append(voice)
    // Those that are gone and silent are of no interest; places stay valid while anything sounds.
    if case .silence = sound, heldFade == nil { voices.removeAll { $0.isGone } }
  }

  /// A decoder's ring is gone.
  mutating func close(_ id: Int, at time: UInt64) {
    if let place = place(of: id) { voices[place].goneAt = time }
  }

  /// The voice of a track that a person means: of two, in a fade, the one that comes; of two that were never heard, the one
  /// whose decoder went where a person sought.
  func personsVoice(of track: Int, _ state: PlayerState, skippedAt: UInt64?, sought: Int?) -> Voice? {
    let present = voices.filter { $0.track == track && !$0.isGone }
    let all = present.contains { !$0.isLeft } ? present.filter { !$0.isLeft } : present
    // What a person has just skipped to begins anew, also when it is the same track once more.
    if let skippedAt, state.kind != .preparingCrossfade,
      let fresh = all.first(where: { $0.beganAt >= skippedAt }) ?? all.first(where: { $0.heardAt == 0 })
    {
      return fresh
    }
    // Where the two cannot be told apart by their track, and one of them may have run dry.
    if state.isCrossfadeRelated, state.kind != .preparingCrossfade,
      let coming = all.max(by: { $0.fadedInAt < $1.fadedInAt }), coming.fadedInAt > 0
    {
      return coming
    }
    // Restored, or held before its first frame: the one that comes is about as far as the fade is.
    let fadedIn: Frames? =
      switch state {
      case .crossfading(_, _, _, let progress, _): progress.index
      case .crossfadePaused(_, _, _, let snapshot, _): snapshot.toPosition
      default: nil
      }
    if let fadedIn, state.heardTrack?.path == state.personsTrack?.path || all.allSatisfy({ $0.heardAt == 0 })
    {
      func distance(_ voice: Voice) -> Int { abs(voice.next - Int(fadedIn.count)) }
      return all.min { distance($0) < distance($1) }
    }
    let last = all.max { $0.heardAt < $1.heardAt }
    return last?.heardAt == 0 ? all.first { $0.id == sought } ?? last : last
  }

  mutating func leave(_ id: Int) {
    if let place = place(of: id) { voices[place].isLeft = true }
  }

  func place(of id: Int) -> Int? { voices.firstIndex { $0.id == id } }

  /// A decoder ends before its time.
  /// - Parameter isOwn: Whether it is heard as a track's own end; nil: where it is the end that was announced.
  mutating func end(_ id: Int, at frame: Int, isOwn: Bool? = nil) {
    guard let place = place(of: id) else { return }
    let (next, wasEnd) = (voices[place].next, voices[place].end)
    let isLate = frame - next < circumstances.declick + circumstances.reactionFrames
    voices[place].breakOff =
      !(isOwn ?? (frame >= wasEnd)) ? Voice.BreakOff(toldAt: next, isLate: isLate) : nil
    if isOwn != nil {
      voices[place].lie += wasEnd - frame
      voices[place].truncatedAt = next
    }
    voices[place].end = frame
  }

  /// A decoder came to the end of its file, and says so.
  mutating func finish(_ id: Int, at time: UInt64) {
    if let place = place(of: id) { voices[place].finishedAt = time }
  }

  mutating func move(_ id: Int, to frame: Int) {
    guard let place = place(of: id) else { return }
    voices[place].next = frame
    voices[place].origin = frame
    voices[place].finishedAt = nil
    // A seek ends the fade that it came in.
    voices[place].fadedInAt = 0
    // What had followed already, before a person went back from it unknowingly, is to follow once more.
    for other in voices.indices
    where other != place && voices[other].gain == 0 && !voices[other].isLeft && !voices[other].isGone {
      voices[other].beginAnew()
    }
  }

  /// After the plug was pulled: nothing sounds, and nothing of before will.
  mutating func forgetAll() {
    (doubt, turnings) = ([], [])
    for place in voices.indices { voices[place].goneAt = voices[place].goneAt ?? time }
    sound = .silence
    fade = nil
    heldFade = nil
    silentSince = time
  }
}
