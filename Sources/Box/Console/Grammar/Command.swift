// All commands of the console language, as parsed values. Pure values; control thread.

import Controls
import PlaybackModel

/// A parsed command whose arguments are within their ranges.
package indirect enum Command: Hashable, Sendable {
  // Transport
  /// Resumes; with a path, replaces the queue with that file, folder or playlist and plays it.
  case play(path: String?)
  /// Replaces the queue with the removable storage that was offered, and plays it.
  case playOffered
  /// Pauses, also during a fade.
  case pause
  /// Pauses or resumes.
  case toggle
  /// Fades out and stops.
  case stop
  /// Skips to the next track of the queue.
  case next
  /// Restarts the track, or skips to the previous one.
  case previous
  /// Seeks within the track.
  case seek(SeekTarget)
  /// Ends a running fade within a second.
  case finishFade
  /// Retries after a failure, at the same position.
  case retry
  /// Leaves the failed state without a retry.
  case reset

  // Sound
  /// Changes the volume; nil shows it.
  case volume(VolumeChange?)
  /// Mutes or unmutes.
  case mute
  /// Sets the sleep timer; nil shows it.
  case sleep(SleepTimer?)
  /// Lists, sets, changes and stops alarms.
  case alarm(AlarmCommand)
  /// Pauses the ringing alarm for a number of minutes; nil: as set by `alarm.snooze`.
  case snooze(minutes: Int?)
  /// Shows or lifts the limits on playing.
  case limits(LimitsCommand)
  /// Plays a file or URL over the music. The volume is in percent; nil: as loud as the music.
  case announce(path: String, volume: Int?, AnnouncementDuck)
  /// Stops the current announcement and drops the waiting ones.
  case stopAnnouncements
  /// Tests a part of the box.
  case test(TestSubject)
  /// Shows the equaliser and the other corrections for the speaker.
  case equalizer
  /// Turns all bands of the equaliser off.
  case clearEqualizer

  // Queue and media
  /// Shows or changes the queue.
  case queue(QueueCommand)
  /// Lists a folder of music; nil: the media roots.
  case media(path: String?)
  /// Queries or updates the index of the music.
  case library(LibraryCommand)
  /// Shows the picture of a track or folder.
  case picture(PictureCommand)
  /// Lists and changes stickers: data that MPD clients store for songs.
  case sticker(StickerCommand)
  /// Lists and changes saved playlists.
  case playlist(PlaylistCommand)
  /// Lists the bookmarks.
  case bookmarks
  /// Removes all bookmarks.
  case clearBookmarks

  // Settings
  /// Changes a setting to a value of its kind and range.
  case set(Setting, SettingValue)
  /// Changes a setting to its next choice, after the last one to the first. Meant for buttons.
  case cycle(Setting)
  /// Restores a setting's default; nil: those of all settings.
  case unset(Setting?)
  /// Shows one setting, a group or all.
  case show(SettingSelection)
  /// Shows the settings that differ from their defaults.
  case diff
  /// Writes the configuration file.
  case save

  // Buttons, knobs and lights
  /// Lists or changes controls and bindings.
  case controls(ControlCommand)
  /// Loads a board's profile; in a configuration file only.
  case board(String)

  // Live sources
  /// Lists live sources, or selects one.
  case sources(SourceCommand)

  // Tags
  /// Lists, changes and simulates RFID tags.
  case tag(TagCommand)

  // Information
  /// Shows the current track and the state of the box.
  case status
  /// Shows the current track.
  case current
  /// Subscribes this session to events about these subjects; an empty set unsubscribes.
  case watch(EventSubjects)
  /// Waits for the next event about one of these subjects.
  case idle(EventSubjects)
  /// Shows the last state transitions, at most `count`.
  case history(count: Int)
  /// Shows the last log lines, at most `count`.
  case log(count: Int)
  /// Shows counters.
  case stats
  /// Prints the flight recorder's contents, optionally with file names.
  case report(withPaths: Bool)

  // Outside world
  /// Pauses until `wake`.
  case standby
  /// Ends standby.
  case wake
  /// Pauses for an external sound, such as a door bell.
  case interruptionBegin
  /// Ends an interruption.
  case interruptionEnd(shouldResume: Bool)
  /// Writes a checkpoint at once, because the power supply is about to fail.
  case powerFailing
  /// Ends the daemon.
  case shutdown

  // This session
  /// Sets the format of this session's answers.
  case format(ReplyFormat)
  /// Unlocks the session with a PIN of 4 to 12 digits.
  case pin(String)
  /// Shows help on commands and settings; see `HelpTopic.answer`.
  case help(HelpTopic)
  /// Ends the session.
  case exit
}

extension Command {
  /// The number of log lines kept, which is also the most that `log` shows.
  package static let maxLogLines = 256
}

/// The target of a seek.
package enum SeekTarget: Hashable, Sendable {
  /// A position from the track's start; not negative.
  case to(Seconds)
  /// A distance from the current position, forward or backward.
  case by(Seconds)
  /// A fraction of the track's length, 0…1.
  case fraction(Double)
  /// The live position of a station.
  case live
}

/// The part of the box to test.
package enum TestSubject: UInt8, Hashable, Sendable, CaseIterable {
  case tone, leds, buttons
}

/// A command about the queue.
package enum QueueCommand: Hashable, Sendable {
  /// Lists at most `count` entries, from the first or from a position.
  case list(from: QueuePosition?, count: Int?)
  case add(paths: [String])
  /// Inserts at a position (nil: after the current track) all or a part of what the path contains.
  case insert(QueuePosition?, path: String, part: TrackRange?)
  /// Changes the entries.
  case edit(QueueEdit)
  /// Carries out changes as one, if the queue still has this version: all of them or none.
  case edits([QueueEdit], ofVersion: Int)
  case shuffle(Bool)
  case `repeat`(RepeatMode)
  /// Plays an entry.
  case jump(QueuePlace)
  /// Makes an entry the current one, from a position in it. It starts only if music is playing.
  case cue(QueuePlace, at: Seconds?)
}

/// A change of the queue that needs neither storage nor the player. Several of them can be one change.
package enum QueueEdit: Hashable, Sendable {
  /// Removes an entry, or all entries through a position.
  case remove(QueuePlace, through: QueuePosition?)
  /// Moves an entry, or all entries through a position, so that the first one has another position.
  case move(QueuePlace, through: QueuePosition?, to: QueuePosition)
  /// Exchanges two entries.
  case swap(QueuePlace, QueuePlace)
  case clear
  case clearUpcoming
  /// Shuffles the order of all entries, or of a range, once.
  case mix(from: QueuePosition?, through: QueuePosition?)
  /// Sets the priority of an entry, or of all through a position, in random order.
  case prioritize(QueuePlace, through: QueuePosition?, priority: UInt8)
}

/// A reference to a queue entry: its position, or its id, which is stable across changes.
package enum QueuePlace: Hashable, Sendable {
  case position(QueuePosition)
  case id(UInt64)

  /// The word that commands use.
  package var word: String {
    switch self {
    case .position(let position): String(position.number)
    case .id(let id): "id:" + String(id)
    }
  }
}

/// A position in the queue, numbered from 1 for users and indexed from 0 internally.
package struct QueuePosition: Hashable, Sendable {
  /// The number for users, from 1; one past the last entry of a full queue is valid.
  package let number: Int
  /// The index in the queue, from 0.
  package var index: Int { number - 1 }
  /// The first position.
  package static var first: QueuePosition { QueuePosition(checked: 1) }

  /// Creates a position; nil outside of 1…`PlayQueue.limit` + 1.
  package init?(number: Int) {
    guard number >= 1, number <= PlayQueue.limit + 1 else { return nil }
    self.init(checked: number)
  }

  private init(checked number: Int) { self.number = number }
}

/// The settings that `show` lists.
package enum SettingSelection: Hashable, Sendable {
  case all
  /// A group, such as `fade`.
  case group(String)
  case one(Setting)
}

/// A topic of `help`.
package enum HelpTopic: Hashable, Sendable {
  /// The chapters, with the names of their commands.
  case overview
  /// All commands of a chapter.
  case chapter(CommandGroup)
  /// All commands.
  case everything
  /// All settings.
  case settings
  /// All events.
  case events
  /// The meanings of lights and cues.
  case lights
  case setting(Setting)
  /// The settings of a group, such as `fade`.
  case settingGroup(String)
  /// A command or a family of commands, by its first words.
  case command([String])
}
