// Encodes the player's state. Tracks are saved as ids of queue entries, because paths do not fit into a slot.
// Pure; any thread but the audio thread.

import PlaybackModel

extension ByteWriter {
  static let detailLimit = 80
  static let pathLimit = 160
  /// The intent of a cued track: a value that is no pause reason, and not a pause reason plus one.
  static let cue: UInt8 = 0xFE

  /// Appends a state: at most 360 bytes, for a failure with its texts.
  mutating func state(_ state: PlayerState) {
    byte(UInt8(state.kind.rawValue))
    switch state {
    case .idle(let cause, let armed):
      byte(armed.rawValue)
      flag(cause != nil)
      if let cause { error(cause, about: nil) }
    case .preparing(let track, let intent, let start):
      compact(track.id)
      self.intent(intent)
      frames(start)
    case .ready(let track, let position):
      compact(track.id)
      frames(position)
    case .playing(let track), .finished(let track):
      compact(track.id)
    case .paused(let track, let position, let reason):
      compact(track.id)
      frames(position)
      byte(reason.rawValue)
    case .buffering(let track, let intent):
      compact(track.id)
      self.intent(intent)
    case .seeking(let track, let target, let intent):
      compact(track.id)
      frames(target)
      self.intent(intent)
    case .preparingCrossfade(let current, let next, let plan):
      compact(current.id)
      compact(next.id)
      byte(plan.trigger.rawValue)
      frames(plan.fade.length)
      byte(plan.fade.curve.rawValue)
      frames(plan.start)
      flag(plan.isArmed)
    case .crossfading(let from, let to, let curve, let progress, let pace):
      compact(from.id)
      compact(to.id)
      byte(curve.rawValue)
      self.progress(progress)
      flag(pace == .ordered)
    case .crossfadePaused(let from, let to, let strategy, let snapshot, let reason):
      compact(from.id)
      compact(to.id)
      byte(strategy.rawValue)
      raw(snapshot.bytes)
      byte(reason.rawValue)
    case .fadingOut(let track, let duration):
      compact(track.id)
      frames(duration)
    case .failed(let error, let track, let position, let intent):
      flag(track != nil)
      if let track { compact(track.id) }
      frames(position)
      self.error(error, about: track)
      // Slots of version 0.1 end here, followed by zeros, which mean play.
      switch intent {
      case .play: byte(0)
      case .pause(let reason): byte(reason.rawValue + 1)
      case .cue: byte(Self.cue)
      }
    }
  }

  mutating func moment(_ moment: Moment) {
    compact(moment.time)
    frames(moment.current)
    flag(moment.next != nil)
    if let next = moment.next { frames(next) }
    flag(moment.fade != nil)
    if let fade = moment.fade { progress(fade) }
    byte(moment.deck.rawValue)
  }

  private mutating func intent(_ intent: Intent) {
    switch intent {
    case .play: byte(0xFF)
    case .pause(let reason): byte(reason.rawValue)
    case .cue: byte(Self.cue)
    }
  }

  private mutating func progress(_ progress: FadeProgress) {
    frames(progress.index)
    frames(progress.length)
  }

  private mutating func error(_ error: PlaybackError, about track: Track?) {
    byte(error.kind.rawValue)
    text(error.detail, limit: Self.detailLimit)
    let isTracks = track.map { $0.path == error.path } ?? false
    flag(isTracks)
    if !isTracks { text(error.path, limit: Self.pathLimit) }
  }
}

extension ByteReader {
  /// Decodes a state.
  ///
  /// - Parameter tracks: Returns the track with an id, or nil.
  /// - Throws: `Malformed` for invalid data, or for a track that is not found.
  mutating func state(_ tracks: (UInt64) -> Track?) throws(Malformed) -> PlayerState {
    switch try choice(PlayerState.Kind.self, "state") {
    case .idle:
      let armed = try choice(Arming.self, "arming")
      return .idle(cause: try flag() ? try error(about: nil) : nil, armed: armed)
    case .preparing:
      let track = try track(tracks)
      let intent = try intent()
      return .preparing(track: track, intent: intent, start: try frames())
    case .ready: return .ready(track: try track(tracks), position: try frames())
    case .playing: return .playing(track: try track(tracks))
    case .paused:
      let track = try track(tracks)
      let position = try frames()
      return .paused(track: track, position: position, reason: try choice(PauseReason.self, "pause reason"))
    case .buffering: return .buffering(track: try track(tracks), intent: try intent())
    case .seeking:
      let track = try track(tracks)
      let target = try frames()
      return .seeking(track: track, target: target, intent: try intent())
    case .preparingCrossfade:
      let (current, next) = (try track(tracks), try track(tracks))
      let trigger = try choice(PlannedFade.Trigger.self, "fade trigger")
      let length = try fadeLength()
      let fade = Fade(length: length, curve: try choice(FadeCurve.self, "fade curve"))
      let start = try frames()
      let plan = PlannedFade(trigger, fade, start: start, isArmed: try flag())
      return .preparingCrossfade(current: current, next: next, plan: plan)
    case .crossfading:
      let (from, to) = (try track(tracks), try track(tracks))
      let curve = try choice(FadeCurve.self, "fade curve")
      let progress = try progress()
      return .crossfading(
        from: from, to: to, curve: curve, progress: progress, pace: try flag() ? .ordered : .quick)
    case .crossfadePaused:
      let (from, to) = (try track(tracks), try track(tracks))
      let strategy = try choice(ResumeStrategy.self, "resume strategy")
      guard let snapshot = CrossfadeSnapshot(bytes: Array(try raw(CrossfadeSnapshot.byteCount))),
        snapshot.fromPosition <= .maxLength, snapshot.toPosition <= .maxLength,
        snapshot.progress.length <= .longestFade
      else { throw Malformed("a fade's snapshot is out of bounds") }
      return .crossfadePaused(
        from: from, to: to, strategy: strategy, snapshot: snapshot,
        reason: try choice(PauseReason.self, "pause reason"))
    case .fadingOut: return .fadingOut(track: try track(tracks), duration: try frames())
    case .finished: return .finished(last: try track(tracks))
    case .failed:
      let track = try flag() ? try track(tracks) : nil
      let position = try frames()
      let error = try error(about: track)
      return .failed(error: error, track: track, position: position, intent: try failedIntent())
    }
  }

  mutating func moment() throws(Malformed) -> Moment {
    let time = try compact(padded: 8)
    let current = try frames()
    let next = try flag() ? try frames() : nil
    let fade = try flag() ? try progress() : nil
    return Moment(time: time, current: current, next: next, fade: fade, deck: try choice(Deck.self, "deck"))
  }

  private mutating func track(_ tracks: (UInt64) -> Track?) throws(Malformed) -> Track {
    let id = try compact(padded: 8)
    guard let track = tracks(id) else { throw Malformed("its queue does not hold track " + String(id)) }
    return track
  }

  private mutating func intent() throws(Malformed) -> Intent {
    let value = try byte()
    guard value != 0xFF else { return .play }
    guard value != ByteWriter.cue else { return .cue }
    guard let reason = PauseReason(rawValue: value) else { throw Malformed("unknown intent") }
    return .pause(reason)
  }

  private mutating func failedIntent() throws(Malformed) -> Intent {
    let value = try byte()
    guard value > 0 else { return .play }
    guard value != ByteWriter.cue else { return .cue }
    guard let reason = PauseReason(rawValue: value - 1) else { throw Malformed("unknown intent") }
    return .pause(reason)
  }

  private mutating func fadeLength() throws(Malformed) -> Frames {
    let length = try frames()
    guard length <= .longestFade else { throw Malformed("a fade is too long") }
    return length
  }

  private mutating func progress() throws(Malformed) -> FadeProgress {
    let index = try frames()
    let length = try fadeLength()
    guard index <= length else { throw Malformed("a fade is past its end") }
    return FadeProgress(index: index, length: length)
  }

  private mutating func error(about track: Track?) throws(Malformed) -> PlaybackError {
    let kind = try choice(PlaybackError.Kind.self, "kind of failure")
    let detail = try text(limit: ByteWriter.detailLimit)
    let path = try flag() ? track?.path ?? "" : try text(limit: ByteWriter.pathLimit)
    return PlaybackError(kind, path: path, detail: detail)
  }
}

extension Frames {
  /// The longest fade at the highest sample rate of a slot.
  static var longestFade: Frames { Frames(Int64(Fade.maxLength.value) * Int64(CheckpointSlot.highestRate)) }
}
