// Converts positions from one sample rate to another. Pure; any thread.

import PlaybackModel

/// Converts all frame counts in a player state to a different sample rate.
struct RateConversion {
  let from: SampleRate
  let to: SampleRate

  func frames(_ frames: Frames) -> Frames { to.frames(from.seconds(frames)) }

  func progress(_ progress: FadeProgress) -> FadeProgress {
    FadeProgress(index: frames(progress.index), length: frames(progress.length))
  }

  func track(_ track: Track) -> Track {
    var track = track
    track.length = track.length.map { frames($0) }
    return track
  }

  func snapshot(_ old: CrossfadeSnapshot) -> CrossfadeSnapshot {
    CrossfadeSnapshot(
      from: old.from, to: old.to, fromPosition: frames(old.fromPosition), toPosition: frames(old.toPosition),
      progress: progress(old.progress), curve: old.curve, rate: to, deck: old.deck, time: old.time)
  }

  func plan(_ plan: PlannedFade) -> PlannedFade {
    PlannedFade(
      plan.trigger, Fade(length: frames(plan.fade.length), curve: plan.fade.curve),
      start: frames(plan.start), isArmed: plan.isArmed)
  }

  func state(_ state: PlayerState) -> PlayerState {
    switch state {
    case .idle: state
    case .preparing(let track, let intent, let start):
      .preparing(track: self.track(track), intent: intent, start: frames(start))
    case .ready(let track, let position): .ready(track: self.track(track), position: frames(position))
    case .playing(let track): .playing(track: self.track(track))
    case .paused(let track, let position, let reason):
      .paused(track: self.track(track), position: frames(position), reason: reason)
    case .buffering(let track, let intent): .buffering(track: self.track(track), intent: intent)
    case .seeking(let track, let target, let intent):
      .seeking(track: self.track(track), target: frames(target), intent: intent)
    case .preparingCrossfade(let current, let next, let plan):
      .preparingCrossfade(current: track(current), next: track(next), plan: self.plan(plan))
    case .crossfading(let from, let to, let curve, let progress, let pace):
      .crossfading(
        from: track(from), to: track(to), curve: curve, progress: self.progress(progress), pace: pace)
    case .crossfadePaused(let from, let to, let strategy, let snapshot, let reason):
      .crossfadePaused(
        from: track(from), to: track(to), strategy: strategy, snapshot: self.snapshot(snapshot),
        reason: reason)
    case .fadingOut(let track, let duration):
      .fadingOut(track: self.track(track), duration: frames(duration))
    case .finished(let last): .finished(last: track(last))
    case .failed(let error, let track, let position, let intent):
      .failed(
        error: error, track: track.map { self.track($0) }, position: frames(position), intent: intent)
    }
  }
}
