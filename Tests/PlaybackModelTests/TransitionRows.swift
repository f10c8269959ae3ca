// Entries of the transition table that several rows share. Test threads.
import PlaybackModel

let notSounding =
  "interruption interruptionOver interruptionOverStay announcement announcementOver guest guestOver standby wake outputLost "
  + "outputRestored"
let holds = "interruption announcement guest standby outputLost"
let releases = "interruptionOver interruptionOverStay announcementOver guestOver wake outputRestored"
let allStorage = "storageOfOne storageOfTwo storageOfBoth otherStorage"
let failures = "didFail outputFails storageOfOne storageOfBoth"
let restarts = "decoderDied nextDecoderDied nextDecoderLost"
let outlived = "decoderDied decoderLost nextDecoderDied"
let deaths = "\(outlived) nextDecoderLost"
let ends = "stop unload skipPastEnd sleepTimer"
let advances = "didAdvance strangeAdvance"
let fadesBegin = "fadeBegan strangeFadeBegan"
let reachesEnd = "didReachEnd didReachEndOfMany"
/// Late reports of operations that a user command has superseded, and events that concern neither the state
/// nor its track.
let late = "fadeCompleted fadeOutCompleted powerFailing"
let otherTracks = "storageOfTwo otherStorage"
let othersRemoved = "twoRemoved twoRemovedLast"
let removals = "oneRemoved oneRemovedLast \(othersRemoved)"

let moot =
  "didFailNext \(restarts) didStarve didRefill \(advances) \(fadesBegin) \(reachesEnd) \(late) \(otherTracks)"

func playingRow(replaced: String) -> [String: String] {
  var row = [
    "paused": "pause toggle \(holds)", "fadingOut": "oneRemovedLast \(ends)",
    "preparing": "didReachEndOfMany", "seeking": "seek", "buffering": "didStarve",
    "preparingCrossfade": "nextDue otherNextDue",
    "~": advances, "finished": "didReachEnd", "failed": failures, "crossfading": fadesBegin,
    "=": "play didFailNext \(deaths) didRefill \(othersRemoved) \(late) \(otherTracks) \(releases)",
  ]
  row[replaced, default: ""] += " skip load oneRemoved"
  return row
}

func pausedRow(_ plays: String, changes: String, keeps: String) -> [String: String] {
  [
    "playing": plays, "idle": "oneRemovedLast \(ends)", "preparing": "skip load oneRemoved didReachEndOfMany",
    "seeking": "seek",
    "buffering": "didStarve", "failed": failures, "finished": "didReachEnd",
    "crossfadePaused": fadesBegin, "~": "\(advances) \(changes)",
    "=": "didFailNext \(deaths) didRefill \(othersRemoved) \(late) \(otherTracks) \(keeps)",
  ]
}

func bufferingRow(
  done: String, fade: String, changes: String, keeps: String
) -> [String: String] {
  [
    "idle": "oneRemovedLast \(ends)", "preparing": "skip load oneRemoved didReachEndOfMany",
    "seeking": "seek", "failed": "\(failures) decoderLost",
    "finished": "didReachEnd", done: "didRefill \(advances)", fade: fadesBegin, "~": changes,
    "=": "didFailNext \(restarts) didStarve \(othersRemoved) \(late) \(otherTracks) \(keeps)",
  ]
}

func preparingCrossfadeRow(_ own: [String: String]) -> [String: String] {
  [
    "paused": "pause toggle", "fadingOut": ends, "~": "skip load", "seeking": "seek",
    "crossfading": "fadeBegan", "playing": "didFailNext storageOfTwo didAdvance",
    "preparing": "didFail \(reachesEnd) storageOfOne", "failed": "outputFails storageOfBoth",
    "=": "play \(deaths) didRefill otherStorage \(late) \(releases)",
  ].merging(own) { $0 + " " + $1 }
}

func crossfadingRow(skip: String, finish: String?) -> [String: String] {
  var row = [
    "crossfadePaused": "pause toggle \(holds)", "fadingOut": "twoRemovedLast \(ends)", "seeking": "seek",
    "playing": "fadeCompleted didAdvance didFailNext nextDecoderLost storageOfTwo",
    "failed": "outputFails storageOfBoth",
    "=":
      "play oneRemoved oneRemovedLast fadeBegan didFail \(outlived) storageOfOne \(reachesEnd) didStarve didRefill fadeOutCompleted powerFailing "
      + "otherStorage \(releases)",
  ]
  row[skip, default: ""] += " skip load twoRemoved"
  if let finish { row[finish, default: ""] += " finishFade" }
  return row
}

func crossfadePausedRow(_ plays: String, changes: String, keeps: String) -> [String: String] {
  [
    "crossfading": plays, "idle": "twoRemovedLast \(ends)", "preparing": "skip load twoRemoved",
    "seeking": "seek",
    "paused":
      "oneRemoved oneRemovedLast didFail storageOfOne didFailNext nextDecoderLost storageOfTwo fadeCompleted didAdvance",
    "failed": "outputFails storageOfBoth", "~": changes,
    "=":
      "fadeBegan \(outlived) \(reachesEnd) didStarve didRefill fadeOutCompleted powerFailing otherStorage \(keeps)",
  ]
}

func failedRow(retries: String, changes: String, keeps: String) -> [String: String] {
  [
    "preparing": "skip load queueMovedOn oneRemoved \(retries)",
    "idle": "stop sleepTimer reset unload oneRemovedLast", "~": changes,
    "=": "skipPastEnd powerFailing \(othersRemoved) \(allStorage) \(keeps)",
  ]
}

func fadingOutRow(replaced: String, removed: String) -> [String: String] {
  var row = [
    "playing": "play toggle", "paused": "pause",
    "finished": "stop unload skipPastEnd fadeOutCompleted \(reachesEnd) \(holds)",
    "~": "\(advances) \(fadesBegin)",
    "=":
      "sleepTimer powerFailing didFail outputFails didFailNext \(deaths) didStarve didRefill fadeCompleted \(releases) "
      + "\(allStorage) \(othersRemoved)",
  ]
  row[replaced, default: ""] += " skip"
  row["preparing", default: ""] += " load"
  row[removed, default: ""] += " oneRemoved oneRemovedLast"
  return row
}
