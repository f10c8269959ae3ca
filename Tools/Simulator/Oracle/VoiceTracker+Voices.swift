// Which decoders the tracker may hear, and which of two that sound alike it has heard. One thread.

import PlaybackModel

extension VoiceTracker {
  mutating func add(_ voice: Voice) {
    voices.append(voice)
    // Those that are gone and silent are of no interest; places stay valid while anything sounds.
    if case .silence = sound, heldFade == nil { voices.removeAll { $0.isGone } }
  }

  /// A decoder's ring is gone. If it is heard still, it was its twin that went; what was heard by now and is not explained
  /// yet may have been its last frames, though.
  mutating func close(_ id: Int, at time: UInt64) {
    guard let place = place(of: id) else { return }
    voices[place].goneAt = time
    if doubt.isEmpty, sounding.contains(place) {
      swapTwin(of: place)
    } else if voices[place].heardAt > 0, let twin = silentTwin(of: place) {
      voices[twin].twinNext = voices[place].next
    }
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
    let last = all.max { $0.heardAt < $1.heardAt }
    return last?.heardAt == 0 ? all.first { $0.id == sought } ?? last : last
  }

  mutating func leave(_ id: Int) {
    if let place = place(of: id) { voices[place].isLeft = true }
  }

  func place(of id: Int) -> Int? { voices.firstIndex { $0.id == id } }

  /// A decoder ends before its time. If more of it was heard than that, it was its twin that was heard.
  mutating func end(_ id: Int, at frame: Int) {
    guard let place = place(of: id) else { return }
    voices[place].end = frame
    let voice = voices[place]
    guard voice.next > frame else { return }
    if let twin = twin(of: place, where: { voices[$0].next <= frame }) { exchange(place, twin) }
  }

  mutating func move(_ id: Int, to frame: Int) {
    guard let place = place(of: id) else { return }
    voices[place].next = frame
    voices[place].origin = frame
    voices[place].twinNext = nil
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

  // MARK: Twins

  /// Two decoders of one track that begin at one frame sound alike: it may have been the other one that was heard. Looks
  /// for one that could have been, and takes each for the other.
  @discardableResult
  mutating func swapTwin(of place: Int) -> Bool {
    let voice = voices[place]
    let sounding = sounding
    guard
      let twin = twin(
        of: place,
        where: {
          let other = voices[$0]
          return !other.isGone && voice.next <= other.end && (other.heardAt == 0 || !sounding.contains($0))
        })
    else { return false }
    exchange(place, twin)
    return true
  }

  /// Where a voice has ended that should have gone on, and a twin of it that was not heard ends there: it was the twin.
  mutating func takeTwinThatEnds(_ place: Int) {
    let voice = voices[place]
    guard !voice.isAtEnd,
      let twin = twin(of: place, where: { voices[$0].end == voice.next && voices[$0].heardAt == 0 })
    else { return }
    exchange(place, twin)
  }

  /// A decoder that offers the same sound, and was not heard yet.
  private func silentTwin(of place: Int) -> Int? {
    twin(of: place, where: { !voices[$0].isGone && voices[$0].heardAt == 0 })
  }

  /// The first other voice of the same track that begins at the same frame, and that fits.
  private func twin(of place: Int, where fits: (Int) -> Bool) -> Int? {
    voices.indices.first {
      $0 != place && voices[$0].track == voices[place].track && voices[$0].origin == voices[place].origin
        && fits($0)
    }
  }

  /// What was heard of two voices stays where it is, and each belongs to the other's decoder.
  private mutating func exchange(_ a: Int, _ b: Int) {
    (voices[a].id, voices[b].id) = (voices[b].id, voices[a].id)
    (voices[a].end, voices[b].end) = (voices[b].end, voices[a].end)
    (voices[a].lie, voices[b].lie) = (voices[b].lie, voices[a].lie)
    (voices[a].goneAt, voices[b].goneAt) = (voices[b].goneAt, voices[a].goneAt)
    (voices[a].isLeft, voices[b].isLeft) = (voices[b].isLeft, voices[a].isLeft)
    (voices[a].isSane, voices[b].isSane) = (voices[b].isSane, voices[a].isSane)
  }
}
