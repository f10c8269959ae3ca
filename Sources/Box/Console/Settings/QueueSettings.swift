// Settings of the queue and of ReplayGain, with their typed values. Pure; any thread.

import PlaybackModel

extension SettingTable {
  static let queue: [SettingDeclaration] = [
    SettingDeclaration(
      .queueRepeat, "queue.repeat",
      .choice([Choice("off"), Choice("one", "the current track"), Choice("all", "the whole queue")]),
      default: "off", "What to repeat. 'queue repeat' is the short form."),
    SettingDeclaration(
      .queueShuffle, "queue.shuffle", .onOff, default: "off",
      "Plays in random order, each track once before any comes again. 'queue shuffle' is the short form."),
    SettingDeclaration(
      .queueEnd, "queue.end",
      .choice([
        Choice("stop", "stops and keeps the queue"), Choice("clear", "stops and empties the queue"),
        Choice("repeat", "starts again"),
      ]), default: "stop", "What to do after the last track."),
    SettingDeclaration(
      .queueBeforeFirst, "queue.before-first",
      .choice([Choice("restart", "begins the first track again"), Choice("stop", "stops")]),
      default: "restart", "What 'previous' does in the first three seconds of the first track."),
    SettingDeclaration(
      .gainMode, "gain.mode",
      .choice([
        Choice("off", "as recorded"), Choice("track", "each track equally loud"),
        Choice("album", "albums equally loud"),
      ]), default: "off", applies: .forNextTrack, "Adjusts loudness by the files' ReplayGain or R128 tags."),
    SettingDeclaration(
      .gainPreamp, "gain.preamp", .decimal(-15...15, decimals: 2, unit: "dB"), default: "0",
      applies: .forNextTrack,
      "Gain added to every adjusted track."),
    SettingDeclaration(
      .gainClipProtection, "gain.clip-protection", .onOff, default: "on", applies: .forNextTrack,
      "Lowers a track that would exceed full scale otherwise."),
  ]
}

extension Settings {
  /// The repeat mode of the queue.
  package var repeatMode: RepeatMode {
    switch choice(.queueRepeat) {
    case "one": .one
    case "all": .all
    default: .off
    }
  }
  /// Whether the queue plays in random order.
  package var isShuffled: Bool { isOn(.queueShuffle) }
  /// The effect of `previous` at the beginning of the first track.
  package var beforeFirst: BeforeFirst { choice(.queueBeforeFirst) == "stop" ? .stop : .restart }
  /// The action after the last track.
  package var endOfQueue: EndOfQueue {
    EndOfQueue.allCases.first { $0.name == choice(.queueEnd) } ?? .stopAndKeep
  }
  /// `off`, `track` or `album`.
  package var gainMode: String { word(.gainMode) }
  /// Gain in dB that is added to tracks with ReplayGain or R128 tags.
  package var gainPreamp: Double { number(.gainPreamp) }
  /// Whether a track's gain is limited to prevent clipping.
  package var gainPreventsClipping: Bool { isOn(.gainClipProtection) }
}
