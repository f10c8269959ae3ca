// Formats the daemon's status and songs of the queue as MPD does. Pure.

import Platform

/// MPD's playback states.
enum MPDState: String {
  case play, pause, stop

  /// Converts the daemon's `status`. A fade-out counts as stopped.
  init(_ status: BoxFields) {
    switch status["state"] {
    case "idle", "finished", "failed", "fadingOut", nil: self = .stop
    default: self = status.isOn("active") ? .play : .pause
    }
  }
}

enum MPDStatus {
  static func lines(_ status: BoxFields, _ facts: MPDFacts) -> MPDLines {
    var lines = MPDLines()
    let state = MPDState(status)
    let entries = facts.queue.entries
    if let volume = status["volume"] { lines.add("volume", volume) }
    let mode = status["repeat"]
    lines.add("repeat", mode == "off" ? 0 : 1)
    lines.add("random", status.isOn("shuffle") ? 1 : 0)
    lines.add("single", status["sleep-after"] == "track" ? "oneshot" : isSingle(status, facts) ? "1" : "0")
    lines.add("consume", 0)
    lines.add("partition", "default")
    lines.add("playlist", facts.queue.version)
    lines.add("playlistlength", entries.count)
    lines.add("mixrampdb", facts.own.mixRampLevel)
    lines.add("state", state.rawValue)
    if let seconds = Decimal.parse(facts.crossfade[...]), seconds >= 1 { lines.add("xfade", Int(seconds)) }
    let current = place(status, entries)
    if let current {
      lines.add("song", current)
      lines.add("songid", entries[current].id)
    }
    if state != .stop { addTimes(status, to: &lines) }
    if status.isOn("library-updating") { lines.add("updating_db", MPDCommand.updateJob) }
    if let error = status["last-error"] { lines.add("error", error) }
    if let next = next(after: current, status, count: entries.count) {
      lines.add("nextsong", next)
      lines.add("nextsongid", entries[next].id)
    }
    return lines
  }

  /// Whether MPD's `single` is on: a single song repeats, or would if repeat were on.
  static func isSingle(_ status: BoxFields, _ facts: MPDFacts) -> Bool {
    status["repeat"] == "one" || (status["repeat"] == "off" && facts.own.isSingle)
  }

  /// The index of the current song. Nil after the queue was played to its end; a stopped song is still current.
  private static func place(_ status: BoxFields, _ entries: [QueueEntry]) -> Int? {
    guard !status.isOn("ended"), let id = status.integer("queue-id")
    else { return nil }
    return entries.firstIndex { $0.id == id }
  }

  private static func addTimes(_ status: BoxFields, to lines: inout MPDLines) {
    let elapsed = status["position"] ?? "0.000"
    let length = status["length"]
    lines.add(
      "time", "\(MPDLines.wholeSeconds(elapsed)):\(length.map { MPDLines.wholeSeconds($0) } ?? 0)")
    lines.add("elapsed", elapsed)
    lines.add("bitrate", status["bitrate"] ?? "0")
    if let length { lines.add("duration", length) }
    if let rate = status["rate"] { lines.add("audio", "\(rate):f:2") }
  }

  /// The index of the next song; nil if unknown, as in shuffle.
  private static func next(after current: Int?, _ status: BoxFields, count: Int) -> Int? {
    guard let current, !status.isOn("shuffle") else { return nil }
    if status["repeat"] == "one" { return current }
    if current + 1 < count { return current + 1 }
    return status["repeat"] == "all" ? 0 : nil
  }

  static func currentSong(_ status: BoxFields, _ facts: MPDFacts, _ tags: [MPDTag]) -> MPDLines {
    var lines = MPDLines()
    guard let place = place(status, facts.queue.entries) else { return lines }
    let entry = facts.queue.entries[place]
    // For a station, MPD's Title is the stream's title and Name the station.
    let sounding = status["station"].flatMap { station in
      status["title"].map { (station: station, title: $0) }
    }
    lines.add(song(entry, at: place, facts, tags, sounding: sounding))
    return lines
  }

  /// The text of an entry's tag.
  static func tag(_ tag: MPDTag, of entry: QueueEntry) -> String? {
    switch tag {
    case .artist: entry.artist
    case .album: entry.album
    case .title: entry.title
    case .track: entry.number
    case .albumArtist: entry.albumArtist
    case .genre: entry.genre
    case .date: entry.date
    case .disc: entry.disc
    case .name: nil
    }
  }

  /// Formats an entry of the queue as a song.
  static func song(
    _ entry: QueueEntry, at place: Int, _ facts: MPDFacts, _ tags: [MPDTag],
    sounding: (station: String, title: String)? = nil
  ) -> MPDLines {
    var lines = MPDLines()
    lines.add("file", facts.media.name(of: entry.path))
    if let modified = entry.modified { lines.add("Last-Modified", modified) }
    if let format = entry.format { lines.add("Format", format) }
    lines.add(tags) { tag in
      switch tag {
      case .title: sounding.map { [$0.title] } ?? entry.values(.title)
      case .name: sounding.map { [$0.station] } ?? []
      default: entry.values(tag)
      }
    }
    if let length = entry.length { lines.add(length: length) }
    lines.add("Pos", place)
    lines.add("Id", entry.id)
    if entry.priority > 0 { lines.add("Prio", entry.priority) }
    return lines
  }
}
