// The transition table as data: each row has a state and the result of every event. Events missing from a row
// must be rejected. Test threads.
import PlaybackModel

let table: [Row] = [
  Row(
    name: "idle", state: .idle(cause: nil, armed: .disarmed),
    expected: [
      "preparing": "load skip", "~": "play toggle",
      "=": "pause stop unload skipPastEnd sleepTimer powerFailing \(removals) \(notSounding) \(allStorage)",
    ]),
  Row(
    name: "idle, armed", state: .idle(cause: nil, armed: .armed),
    expected: [
      "preparing": "load skip", "~": "pause toggle",
      "=": "play stop unload skipPastEnd sleepTimer powerFailing \(removals) \(notSounding) \(allStorage)",
    ]),
  Row(
    name: "idle after an error", state: .idle(cause: corrupt, armed: .disarmed),
    expected: [
      "preparing": "load skip", "~": "play toggle unload",
      "=": "pause stop skipPastEnd sleepTimer powerFailing \(removals) \(notSounding) \(allStorage)",
    ]),
  Row(
    name: "preparing to play", state: .preparing(track: one, intent: .play, start: .zero),
    expected: [
      "idle": "oneRemovedLast \(ends)", "failed": "\(failures) decoderLost", "playing": "didPrepare",
      "~": "load skip seek pause toggle oneRemoved \(holds)",
      "=": "play decoderDied powerFailing \(othersRemoved) \(otherTracks) \(releases)",
    ]),
  Row(
    name: "preparing to be ready", state: .preparing(track: one, intent: .cue, start: .zero),
    expected: [
      "idle": "oneRemovedLast \(ends)", "failed": "\(failures) decoderLost", "ready": "didPrepare",
      "~": "load skip seek play toggle oneRemoved",
      "=": "pause decoderDied powerFailing \(othersRemoved) \(otherTracks) \(holds) \(releases)",
    ]),
  Row(
    name: "preparing, paused", state: .preparing(track: one, intent: .pause(.user), start: .zero),
    expected: [
      "idle": "oneRemovedLast \(ends)", "failed": "\(failures) decoderLost", "paused": "didPrepare",
      "~": "load skip seek play toggle oneRemoved",
      "=": "pause decoderDied powerFailing \(othersRemoved) \(otherTracks) \(holds) \(releases)",
    ]),
  Row(
    name: "preparing during an interruption",
    state: .preparing(track: one, intent: .pause(.interruption), start: .zero),
    expected: [
      "idle": "oneRemovedLast \(ends)", "failed": "\(failures) decoderLost", "paused": "didPrepare",
      "~": "load skip seek play toggle pause standby interruptionOver interruptionOverStay oneRemoved",
      "=":
        "decoderDied powerFailing \(othersRemoved) \(otherTracks) interruption announcement announcementOver guest guestOver outputLost wake outputRestored",
    ]),
  Row(
    name: "ready", state: .ready(track: one, position: .zero),
    expected: [
      "playing": "play toggle", "idle": "oneRemovedLast \(ends)", "preparing": "skip load oneRemoved",
      "seeking": "seek", "failed": "\(failures) decoderLost",
      "=": "pause decoderDied powerFailing \(othersRemoved) \(otherTracks) \(notSounding)",
    ]),
  Row(name: "playing", state: .playing(track: one), expected: playingRow(replaced: "preparing")),
  Row(
    name: "playing with manual fades", state: .playing(track: one), fadesManually: true,
    expected: playingRow(replaced: "preparingCrossfade")),
  Row(
    name: "paused by a person", state: .paused(track: one, position: Frames(9), reason: .user),
    expected: pausedRow("play toggle", changes: "", keeps: "pause \(holds) \(releases)")),
  Row(
    name: "paused by an interruption",
    state: .paused(track: one, position: Frames(9), reason: .interruption),
    expected: pausedRow(
      "play toggle interruptionOver", changes: "pause standby interruptionOverStay",
      keeps: "interruption announcement announcementOver guest guestOver outputLost wake outputRestored")),
  Row(
    name: "paused by an announcement",
    state: .paused(track: one, position: Frames(9), reason: .announcement),
    expected: pausedRow(
      "play toggle announcementOver", changes: "pause interruption guest standby",
      keeps: "announcement guestOver outputLost interruptionOver interruptionOverStay wake outputRestored")),
  Row(
    name: "paused by a live source",
    state: .paused(track: one, position: Frames(9), reason: .liveInput),
    expected: pausedRow(
      "play toggle guestOver", changes: "pause interruption standby",
      keeps:
        "guest announcement announcementOver outputLost interruptionOver interruptionOverStay wake outputRestored"
    )),
  Row(
    name: "paused by standby", state: .paused(track: one, position: Frames(9), reason: .standby),
    expected: pausedRow(
      "play toggle wake", changes: "pause",
      keeps:
        "interruption announcement announcementOver guest guestOver standby outputLost interruptionOver interruptionOverStay "
        + "outputRestored")),
  Row(
    name: "paused for want of an output",
    state: .paused(track: one, position: Frames(9), reason: .outputLost),
    expected: pausedRow(
      "outputRestored", changes: "pause interruption announcement guest standby",
      keeps: "play toggle outputLost interruptionOver interruptionOverStay announcementOver guestOver wake")),
  Row(
    name: "buffering to play", state: .buffering(track: one, intent: .play),
    expected: bufferingRow(
      done: "playing", fade: "crossfading", changes: "pause toggle \(holds)", keeps: "play \(releases)")),
  Row(
    name: "buffering, paused", state: .buffering(track: one, intent: .pause(.user)),
    expected: bufferingRow(
      done: "paused", fade: "crossfadePaused", changes: "play toggle",
      keeps: "pause \(holds) \(releases)")),
  Row(
    name: "seeking to play", state: .seeking(track: one, target: Frames(5), intent: .play),
    expected: [
      "idle": "oneRemovedLast \(ends)", "preparing": "skip load oneRemoved", "playing": "didSeek",
      "failed": "\(failures) decoderLost", "~": "seek pause toggle \(holds)",
      "=": "play \(othersRemoved) \(moot) \(releases)",
    ]),
  Row(
    name: "seeking, paused", state: .seeking(track: one, target: Frames(5), intent: .pause(.user)),
    expected: [
      "idle": "oneRemovedLast \(ends)", "preparing": "skip load oneRemoved", "paused": "didSeek",
      "failed": "\(failures) decoderLost", "~": "seek play toggle",
      "=": "pause \(othersRemoved) \(moot) \(holds) \(releases)",
    ]),
  Row(
    name: "seeking, cued", state: .seeking(track: one, target: Frames(5), intent: .cue),
    expected: [
      "idle": "oneRemovedLast \(ends)", "preparing": "skip load oneRemoved", "ready": "didSeek",
      "failed": "\(failures) decoderLost", "~": "seek play toggle",
      "=": "pause \(othersRemoved) \(moot) \(holds) \(releases)",
    ]),
  Row(
    name: "preparingCrossfade, manual", state: waiting(.manual, isArmed: false),
    expected: preparingCrossfadeRow([
      "~": "didPrepareNext twoRemoved", "fadingOut": "twoRemovedLast",
      "=": "nextDue otherNextDue nextWithdrawn oneRemoved oneRemovedLast",
      "preparing": "didStarve \(holds)",
    ])),
  Row(
    name: "preparingCrossfade, manual and armed", state: waiting(.manual, isArmed: true),
    expected: preparingCrossfadeRow([
      "~": "twoRemoved", "fadingOut": "twoRemovedLast",
      "=": "didPrepareNext nextDue otherNextDue nextWithdrawn oneRemoved oneRemovedLast",
      "preparing": "didStarve \(holds)",
    ])),
  Row(
    name: "preparingCrossfade, automatic", state: waiting(.automatic, isArmed: true),
    expected: preparingCrossfadeRow([
      "~": "otherNextDue oneRemoved", "fadingOut": "oneRemovedLast",
      "=": "didPrepareNext nextDue \(othersRemoved)", "playing": "nextWithdrawn",
      "buffering": "didStarve", "paused": holds,
    ])),
  Row(
    name: "crossfading", state: fading(20),
    expected: crossfadingRow(skip: "preparing", finish: "~")),
  Row(
    name: "crossfading with manual fades", state: fading(20), fadesManually: true,
    expected: crossfadingRow(skip: "preparingCrossfade", finish: "~")),
  Row(
    name: "crossfading, finishing quickly", state: fading(20, pace: .quick),
    expected: crossfadingRow(skip: "preparing", finish: nil)),
  Row(
    name: "crossfadePaused by a person", state: held(30, .user),
    expected: crossfadePausedRow("play toggle", changes: "", keeps: "pause \(holds) \(releases)")),
  Row(
    name: "crossfadePaused by an interruption", state: held(70, .interruption),
    expected: crossfadePausedRow(
      "play toggle interruptionOver", changes: "pause standby interruptionOverStay",
      keeps: "interruption announcement announcementOver guest guestOver outputLost wake outputRestored")),
  Row(
    name: "crossfadePaused by an announcement",
    state: held(70, .announcement),
    expected: crossfadePausedRow(
      "play toggle announcementOver", changes: "pause interruption guest standby",
      keeps: "announcement guestOver outputLost interruptionOver interruptionOverStay wake outputRestored")),
  Row(
    name: "crossfadePaused by a live source",
    state: held(70, .liveInput),
    expected: crossfadePausedRow(
      "play toggle guestOver", changes: "pause interruption standby",
      keeps:
        "guest announcement announcementOver outputLost interruptionOver interruptionOverStay wake outputRestored"
    )),
  Row(
    name: "crossfadePaused for want of an output", state: held(70, .outputLost),
    expected: crossfadePausedRow(
      "outputRestored", changes: "pause interruption announcement guest standby",
      keeps: "play toggle outputLost interruptionOver interruptionOverStay announcementOver guestOver wake")),
  Row(
    name: "fadingOut", state: .fadingOut(track: one, duration: Frames(24_000)),
    expected: fadingOutRow(replaced: "preparing", removed: "=")),
  Row(
    name: "fadingOut with manual fades", state: .fadingOut(track: one, duration: Frames(24_000)),
    fadesManually: true, expected: fadingOutRow(replaced: "preparingCrossfade", removed: "=")),
  Row(
    name: "fadingOut for the sleep timer", state: .fadingOut(track: one, duration: Frames(960_000)),
    expected: fadingOutRow(replaced: "preparing", removed: "finished")),
  Row(
    name: "finished", state: .finished(last: one),
    expected: [
      "preparing": "play toggle skip load seek oneRemoved", "idle": "stop unload sleepTimer oneRemovedLast",
      "=": "pause skipPastEnd powerFailing \(othersRemoved) \(notSounding) \(allStorage)",
    ]),
  Row(
    name: "failed for good", state: failed(.corrupt),
    expected: failedRow(retries: "play toggle retry", changes: "pause \(holds)", keeps: releases)),
  Row(
    name: "failed for good while paused", state: failed(.corrupt, .pause(.user)),
    expected: failedRow(retries: "play toggle retry", changes: "", keeps: "pause \(holds) \(releases)")),
  Row(
    name: "failed for now", state: failed(.network),
    expected: failedRow(retries: "play toggle retry", changes: "pause \(holds)", keeps: releases)),
  Row(
    name: "failed for now while paused", state: failed(.network, .pause(.user)),
    expected: failedRow(retries: "play toggle retry", changes: "", keeps: "pause \(holds) \(releases)")),
  Row(
    name: "failed for now in an interruption", state: failed(.network, .pause(.interruption)),
    expected: failedRow(
      retries: "play toggle retry", changes: "pause standby interruptionOver interruptionOverStay",
      keeps: "interruption announcement announcementOver guest guestOver outputLost wake outputRestored")),
  Row(
    name: "failed for want of an output", state: failed(.outputUnavailable),
    expected: failedRow(
      retries: "play toggle retry outputRestored", changes: "pause \(holds)",
      keeps: "interruptionOver interruptionOverStay announcementOver guestOver wake")),
]
