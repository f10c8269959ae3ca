// Formats events as text lines and as fields for `watch` and `idle`; the fields are declared in Console's `EventTable`.
// Pure functions; control thread.

import Console
import Controls
import Flight
import PlaybackModel
import Platform
import Player

/// Values of the field `change` of track events.
enum TrackChange: String, CaseIterable {
  case began, left, titled, missed, restarted

  fileprivate var field: Field { Field("change", rawValue) }
}

/// Values of the field `change` of announcement events.
enum AnnouncementChange: String, CaseIterable {
  case waits, began, ended, stopped, dropped, cut, failed
}

extension AnnouncementOutcome {
  fileprivate var change: AnnouncementChange {
    switch self {
    case .waits: .waits
    case .began: .began
    case .ended: .ended
    case .stopped: .stopped
    case .dropped: .dropped
    case .cut: .cut
    case .failed: .failed
    }
  }

  /// Text that follows the announcement's name.
  fileprivate var text: String {
    switch self {
    case .waits: "waits for those before it"
    case .began: "begins"
    case .ended: "is over"
    case .stopped: "was stopped"
    case .dropped: "was dropped, because the output is gone"
    case .cut: "was cut, because it exceeded the longest announcement"
    case .failed(let error): "failed: " + error.sentence
    }
  }

  fileprivate var error: PlaybackError? { if case .failed(let error) = self { error } else { nil } }
}

extension StampedEvent {
  /// The event as sent to sessions; nil if it has no subject.
  ///
  /// - Parameter seconds: Time since daemon start.
  func notice(seconds: Double) -> Notice? {
    guard let subject = event.subject else { return nil }
    return Notice(
      subject.name, subject.name + ": " + event.text,
      [Field("id", Int(id)), Field("seconds", .decimal(seconds, decimals: 3))] + event.fields)
  }
}

extension FeedEvent {
  /// Text of the event, without its subject.
  fileprivate var text: String {
    switch self {
    case .transition(let transition): transition.to.displayText
    case .began(let track, _): track.displayName + " begins"
    case .left(let track, let facts):
      track.displayName
        + (facts.isOver
          ? " is over"
          : " was left" + (facts.position.map { " at " + Decimal.clock(seconds: $0.value) } ?? ""))
    case .titled(let title, let track): track.displayName + " plays " + title
    case .missed(let time, let track):
      track.displayName + " continues; " + Decimal.gap(seconds: time.value) + " of it is missing"
    case .restarted(let track, let error):
      track.displayName + " plays on with a new decoder (" + error.detail + ")"
    case .queue(let version, let tracks):
      "\(tracks) \(tracks == 1 ? "track" : "tracks"), version \(version)"
    case .volume(let percent, _): "\(percent) %"
    case .setting(let setting, let shown): setting.map { $0.key + " " + shown } ?? "all have their defaults"
    case .sleep(let plan): plan?.text ?? "no timer"
    case .alarm(let facts): facts.state.text + (facts.next.map { ", next \($0)" } ?? ", none is set")
    case .output(let facts): facts.summary + (facts.isThere ? "" : ", gone")
    case .error(let error): error.sentence + " " + error.remedy
    case .light(let indicator): indicator.text
    case .storage(let path, let isThere): path + (isThere ? " has appeared" : " was removed")
    case .storageWait(let path, let isWaiting):
      isWaiting ? "waiting for " + path + ", which does not answer" : path + " answers again"
    case .library(let root, let isUpdating, _):
      isUpdating ? "looking through " + root : "up to date with " + root
    case .tag(let facts): facts.text
    case .limits(let facts): facts.text
    case .playlist(let name, let tracks?):
      name.text + (tracks == 1 ? " has 1 track" : " has \(tracks) tracks")
    case .playlist(let name, nil): name.text + " is deleted"
    case .sticker(let path): path
    case .announcement(let announcement, let outcome, _):
      announcement.track.displayName + " " + outcome.text
    case .source(let name, let outcome): name + " " + outcome.text
    case .clock(let time, let isKnown): time.text + (isKnown ? "" : ", which may be wrong")
    case .adjusted, .clockSet, .note, .checkpointDue, .cueDue: ""
    }
  }

  /// Fields of the event, without id and time.
  fileprivate var fields: [Field] {
    switch self {
    case .transition(let transition): Self.fields(transition)
    case .began(let track, let facts):
      [TrackChange.began.field] + Self.fields(track, length: facts.length)
    case .left(let track, let facts):
      [TrackChange.left.field] + Self.fields(track, length: facts.length)
        + (facts.position.map { [Field("position", .decimal($0.value, decimals: 3))] } ?? [])
        + [Field("over", facts.isOver)]
    case .titled(let title, let track):
      [TrackChange.titled.field] + Self.fields(track, length: nil, sounding: title)
    case .missed(let time, let track):
      [TrackChange.missed.field] + Self.fields(track, length: nil)
        + [Field("missing", .decimal(time.value, decimals: 1))]
    case .restarted(let track, let error):
      [TrackChange.restarted.field] + Self.fields(track, length: nil)
        + [Field("kind", error.kind.word), Field("text", error.sentence)]
    case .queue(let version, let tracks): [Field("version", Int(version)), Field("tracks", tracks)]
    case .volume(let percent, _): [Field("volume", percent)]
    case .setting(let setting?, let shown): [Field("key", setting.key), Field("value", shown)]
    case .setting(nil, _): [Field("key", "all")]
    case .sleep(nil): [Field("seconds-left", .none)]
    case .sleep(let plan?): plan.fields
    case .alarm(let facts):
      [Field("alarm", facts.state.text)] + (facts.name.map { [Field("path", $0)] } ?? [])
        + [Field("next", facts.next.map { .text($0) } ?? .none)]
    case .output(let facts):
      [Field("output", facts.summary), Field("there", facts.isThere)]
    case .error(let error):
      [Field("kind", error.kind.word), Field("text", error.sentence), Field("remedy", error.remedy)]
        + (error.path.utf8.isEmpty ? [] : [Field("path", error.path)])
    case .light(let indicator): [Field("light", indicator.text)]
    case .storage(let path, let isThere): [Field("path", path), Field("there", isThere)]
    case .storageWait(let path, let isWaiting):
      [Field("path", path), Field("there", true), Field("waiting", isWaiting)]
    case .library(let root, let isUpdating, let changed):
      [Field("path", root), Field("updating", isUpdating)] + (isUpdating ? [] : [Field("changed", changed)])
    case .limits(let facts):
      [
        Field("limit", facts.limit.map { .text($0.name) } ?? .none),
        Field("minutes-left", facts.minutesLeft.map { .integer($0) } ?? .none),
      ]
    case .playlist(let name, let tracks):
      [Field("playlist", name.text), Field("tracks", tracks.map { .integer($0) } ?? .none)]
    case .sticker(let path): [Field("path", path)]
    case .tag(let facts):
      [Field("change", facts.change.word), Field("tag", facts.tag.text)]
        + (facts.line.map { [Field("command", $0)] } ?? [])
        + (facts.reader.map { [Field("reader", $0.text)] } ?? [])
    case .announcement(let announcement, let outcome, let waiting):
      [
        Field("change", outcome.change.rawValue), Field("path", announcement.track.path),
        Field("waiting", waiting),
      ] + (outcome.error.map { [Field("text", $0.sentence)] } ?? [])
    case .source(let name, let outcome): [Field("source", name), Field("change", outcome.word)]
    case .clock(let time, let isKnown): [Field("time", time.text), Field("known", isKnown)]
    case .adjusted, .clockSet, .note, .checkpointDue, .cueDue: []
    }
  }

  private static func fields(_ transition: Transition) -> [Field] {
    let to = transition.to
    return [
      Field("from", transition.from.kind.name), Field("event", transition.event.kind.name),
      Field("to", to.kind.name), Field("text", to.statusText),
    ] + (to.heardTrack.map { fields($0, length: nil) } ?? [])
      + (to.nextTrack.map { [Field("next", $0.displayName)] } ?? [])
  }

  private static func fields(_ track: Track, length: Seconds?, sounding: String? = nil) -> [Field] {
    [Field("track", Int(clamping: track.id)), Field("title", sounding ?? track.displayName)]
      + (sounding == nil ? [] : [Field("station", track.displayName)])
      + (track.artist.map { [Field("artist", $0)] } ?? [])
      + (track.album.map { [Field("album", $0)] } ?? []) + [Field("path", track.path)]
      + (length.map { [Field("length", .decimal($0.value, decimals: 3))] } ?? [])
  }
}
