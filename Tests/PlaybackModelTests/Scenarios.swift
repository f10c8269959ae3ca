// Named examples of states and events for the table test. They are independent of the module's own examples,
// so that the test does not share their omissions. Test threads.
import PlaybackModel

let rate = SampleRate(48000)

func track(_ id: UInt64, _ path: String, length: Frames? = nil) -> Track {
  Track(id: id, path: path, length: length)
}

let one = track(1, "/mnt/usb/one.flac", length: Frames(48_000 * 200))
let two = track(2, "/mnt/card/two.opus", length: Frames(48_000 * 180))
let three = track(3, "/srv/three.mp3", length: Frames(48_000 * 100))
let tenSeconds = Fade(Seconds(10), curve: .equalPower, rate: rate)
let corrupt = PlaybackError(.corrupt, path: one.path)

func progress(percent: Int) -> FadeProgress {
  FadeProgress(index: Frames(tenSeconds.length.count * Int64(percent) / 100), length: tenSeconds.length)
}

func snapshot(percent: Int) -> CrossfadeSnapshot {
  CrossfadeSnapshot(
    from: one.id, to: two.id, fromPosition: Frames(9_000_000), toPosition: Frames(48_000),
    progress: progress(percent: percent), curve: .equalPower, rate: rate, deck: .b, time: 7)
}

func held(_ percent: Int, _ reason: PauseReason) -> PlayerState {
  .crossfadePaused(
    from: one, to: two, strategy: percent < 50 ? .continueFromProgress : .quickFinish,
    snapshot: snapshot(percent: percent), reason: reason)
}

func fading(_ percent: Int, pace: FadePace = .ordered) -> PlayerState {
  .crossfading(from: one, to: two, curve: .equalPower, progress: progress(percent: percent), pace: pace)
}

/// A scheduled fade from `one` to `two`.
func waiting(_ trigger: PlannedFade.Trigger, isArmed: Bool) -> PlayerState {
  .preparingCrossfade(
    current: one, next: two, plan: PlannedFade(trigger, tenSeconds, isArmed: isArmed))
}

func failed(_ kind: PlaybackError.Kind, _ intent: Intent = .play) -> PlayerState {
  .failed(error: PlaybackError(kind, path: one.path), track: one, position: Frames(9), intent: intent)
}

func moment(percent: Int = 30) -> Moment {
  Moment(
    time: 1_000, current: Frames(9_100_000), next: Frames(144_000), fade: progress(percent: percent),
    deck: .b)
}

let crashed = PlaybackError(.decoderCrashed)

let events: [(name: String, event: PlayerEvent)] = [
  ("load", .load(three, at: Frames(500))), ("unload", .load(nil, at: .zero)), ("play", .play),
  ("pause", .pause), ("toggle", .toggle), ("stop", .stop), ("skip", .skip(to: three)),
  ("skipPastEnd", .skip(to: nil)), ("seek", .seek(Frames(77_000))), ("retry", .retry), ("reset", .reset),
  ("finishFade", .finishFade),
  ("oneRemoved", .removed(one, next: three)), ("oneRemovedLast", .removed(one, next: nil)),
  ("twoRemoved", .removed(two, next: three)), ("twoRemovedLast", .removed(two, next: nil)),
  ("didPrepare", .didPrepare), ("didFail", .didFail(corrupt)),
  ("outputFails", .didFail(PlaybackError(.outputUnavailable))), ("didStarve", .didStarve),
  ("didRefill", .didRefill), ("didSeek", .didSeek), ("didAdvance", .didAdvance(two)),
  ("strangeAdvance", .didAdvance(three)), ("didPrepareNext", .didPrepareNext),
  ("didFailNext", .didFailNext(corrupt)),
  ("decoderDied", .decoderDied(DecoderDeath(crashed, count: 1, isInTime: true))),
  ("decoderLost", .decoderDied(DecoderDeath(crashed, count: 2, isInTime: true))),
  ("nextDecoderDied", .nextDecoderDied(DecoderDeath(crashed, count: 1, isInTime: true))),
  ("nextDecoderLost", .nextDecoderDied(DecoderDeath(crashed, count: 1, isInTime: false))),
  ("nextDue", .nextDue(two, fade: tenSeconds)),
  ("otherNextDue", .nextDue(three, fade: tenSeconds)), ("nextWithdrawn", .nextWithdrawn),
  ("fadeBegan", .crossfadeBegan(to: two, fade: tenSeconds)),
  ("strangeFadeBegan", .crossfadeBegan(to: three, fade: tenSeconds)),
  ("fadeCompleted", .crossfadeCompleted), ("fadeOutCompleted", .fadeOutCompleted),
  ("didReachEnd", .didReachEnd(next: nil)), ("didReachEndOfMany", .didReachEnd(next: two)),
  ("queueMovedOn", .queueMovedOn(to: three)),
  ("interruption", .interruptionBegan), ("interruptionOver", .interruptionEnded(shouldResume: true)),
  ("interruptionOverStay", .interruptionEnded(shouldResume: false)), ("standby", .standby),
  ("wake", .wake), ("outputLost", .outputLost), ("outputRestored", .outputRestored),
  ("storageOfOne", .storageRemoved(path: "/mnt/usb")), ("storageOfTwo", .storageRemoved(path: "/mnt/card/")),
  ("storageOfBoth", .storageRemoved(path: "/mnt")), ("otherStorage", .storageRemoved(path: "/mnt/us")),
  ("powerFailing", .powerFailing), ("sleepTimer", .sleepTimerFired),
  ("announcement", .announcementBegan), ("announcementOver", .announcementEnded),
  ("guest", .liveInputBegan), ("guestOver", .liveInputEnded),
]
