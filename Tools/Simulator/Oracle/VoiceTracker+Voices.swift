// Voice tracker: bookkeeping of decoders, and the choice of the voice that a user refers to. One thread.

import PlaybackModel

extension VoiceTracker {
  /// Whether the output is being tracked.
  enum Grip {
    case firm
    /// Tracking is suspended until silence.
    case lost
    /// Tracking resumed with silence; voices may have advanced unobserved.
    case loose
  }

  var isLost: Bool { grip == .lost }

  mutating func fallQuiet() {
    if isLost { grip = .loose }
  }

  mutating func add(_ voice: Voice) {
    voices.append(voice)
    // Remove unmapped voices, but only in silence: indexes must stay valid while anything sounds.
    if case .silence = sound, heldFade == nil { voices.removeAll { $0.isGone } }
  }

  /// Notes that a decoder's ring was unmapped.
  mutating func close(_ id: Int, at time: UInt64) {
    if let place = place(of: id) { voices[place].goneAt = time }
  }

  /// The voice of a track that a user refers to.
  /// - Parameters:
  ///   - track: Track number.
  ///   - state: State of the player.
  ///   - skippedAt: When the user skipped to this track, if recently.
  ///   - sought: Decoder that was moved by a seek, if any.
  func personsVoice(of track: Int, _ state: PlayerState, skippedAt: UInt64?, sought: Int?) -> Voice? {
    let present = voices.filter { $0.track == track && !$0.isGone }
    let all = present.contains { !$0.isLeft } ? present.filter { !$0.isLeft } : present
    // After a skip the track starts anew, even if it is the same track.
    if let skippedAt, state.kind != .preparingCrossfade,
      let fresh = all.first(where: { $0.beganAt >= skippedAt }) ?? all.first(where: { $0.heardAt == 0 })
    {
      return fresh
    }
    // During a fade between equal tracks, one of which may have run dry, take the incoming one.
    if state.isCrossfadeRelated, state.kind != .preparingCrossfade,
      let coming = all.max(by: { $0.fadedInAt < $1.fadedInAt }), coming.fadedInAt > 0
    {
      return coming
    }
    // In a fade restored or held before its first frame, the incoming voice is about as far as the fade.
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

  /// Notes that a decoder ends early.
  /// - Parameters:
  ///   - id: Number of the decoder.
  ///   - frame: Index after its last frame.
  ///   - isOwn: Whether that end counts as the track's own; nil if the decoder was sealed.
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

  /// Notes that a decoder reported the end of its file.
  mutating func finish(_ id: Int, at time: UInt64) {
    if let place = place(of: id) { voices[place].finishedAt = time }
  }

  mutating func move(_ id: Int, to frame: Int) {
    guard let place = place(of: id) else { return }
    voices[place].next = frame
    voices[place].origin = frame
    voices[place].finishedAt = nil
    // A seek ends the fade that the voice came in with.
    voices[place].fadedInAt = 0
    // A track that had already followed, before the user seeked back from it, will follow again.
    for other in voices.indices
    where other != place && voices[other].gain == 0 && !voices[other].isLeft && !voices[other].isGone {
      voices[other].beginAnew()
    }
  }

  /// Resets everything after a power cut.
  mutating func forgetAll() {
    (doubt, turnings) = ([], [])
    for place in voices.indices { voices[place].goneAt = voices[place].goneAt ?? time }
    sound = .silence
    fade = nil
    heldFade = nil
    silentSince = time
  }
}
