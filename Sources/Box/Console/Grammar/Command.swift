// Everything that can be asked of a box. Pure values; control thread.

import Controls
import PlaybackModel

/// A command, understood and within its ranges.
package indirect enum Command: Hashable, Sendable {
  // Transport
  /// Play; with a path, that file, folder or playlist replaces the queue.
  case play(path: String?)
  /// Plays the stick that was offered; it replaces the queue.
  case playOffered
  /// Pauses, also in a fade.
  case pause
  /// Pauses or plays on.
  case toggle
  /// Fades out and stops.
  case stop
  /// The next track of the queue.
  case next
  /// Restarts the track, or the one before.
  case previous
  /// Goes to a position.
  case seek(SeekTarget)
  /// Ends a running fade within a second.
  case finishFade
  /// Tries what failed again, at the same position.
  case retry
  /// Leaves the failed state without trying again.
  case reset

  // Sound
  /// Changes the volume, or shows it.
  case volume(VolumeChange?)
  /// Turns the volume to nothing, or back.
  case mute
  /// A sleep timer; nil shows what is left.
  case sleep(SleepTimer?)
  /// Sets, shows and ends alarms.
  case alarm(AlarmCommand)
  /// Lets the alarm that rings ring again later; nil: as many minutes as set.
  case snooze(minutes: Int?)
  /// Shows or lifts the limits.
  case limits(LimitsCommand)
  /// Plays something over the music; the volume is in percent, nil: as loud as the music.
  case announce(path: String, volume: Int?, AnnouncementDuck)
  /// Ends the announcement that sounds, and forgets those that wait.
  case stopAnnouncements
  /// Tries out a part of the box.
  case test(TestSubject)
  /// Shows what is done for the sake of the speaker.
  case equalizer
  /// Turns all bands of the equaliser off.
  case clearEqualizer

  // Queue and media
  /// Shows or changes the queue.
  case queue(QueueCommand)
  /// Lists a folder; nil: the roots.
  case media(path: String?)
  /// Asks or fills the index of the music.
  case library(LibraryCommand)
  /// Shows what picture music has, or the picture.
  case picture(PictureCommand)
  /// Shows and changes what clients have written about songs.
  case sticker(StickerCommand)
  /// Shows and changes the playlists that the box keeps.
  case playlist(PlaylistCommand)
  /// Lists the bookmarks.
  case bookmarks
  /// Forgets the bookmarks.
  case clearBookmarks

  // Settings
  /// Changes a setting; the value is of its kind and within its range.
  case set(Setting, SettingValue)
  /// Takes the next choice of a setting, after the last the first: for buttons.
  case cycle(Setting)
  /// Puts a setting back to its default; nil: all of them.
  case unset(Setting?)
  /// Shows settings; all, a group or one.
  case show(SettingSelection)
  /// The settings that differ from their defaults.
  case diff
  /// Writes the configuration.
  case save

  // Buttons, knobs and lights
  /// Changes or shows the controls and what they do.
  case controls(ControlCommand)
  /// Takes a board's profile over; in a configuration file only.
  case board(String)

  // Live sources
  /// Shows live sources, or has one be heard.
  case sources(SourceCommand)

  // Tags
  /// Changes, shows and simulates tags and what they do.
  case tag(TagCommand)

  // Knowing
  /// What plays, and how the box is.
  case status
  /// The track that is heard.
  case current
  /// Sends this session the events about these subjects from now on; none: nothing any more.
  case watch(EventSubjects)
  /// Answers when something has changed about one of these subjects.
  case idle(EventSubjects)
  /// The last transitions, at most that many.
  case history(count: Int)
  /// The last log lines, at most that many.
  case log(count: Int)
  /// Counters.
  case stats
  /// What the flight recorder holds; with the names of files only where they are asked for.
  case report(withPaths: Bool)

  // Outside world
  /// Pauses until `wake`.
  case standby
  /// Ends standby.
  case wake
  /// Pauses for something that must be heard.
  case interruptionBegin
  /// Ends an interruption.
  case interruptionEnd(shouldResume: Bool)
  /// The supply is going away: checkpoint at once.
  case powerFailing
  /// Ends the daemon.
  case shutdown

  // This session
  /// How this session's answers are written.
  case format(ReplyFormat)
  /// Unlocks the session; 4 to 12 digits.
  case pin(String)
  /// Tells about commands and settings: `HelpTopic.answer`.
  case help(HelpTopic)
  /// Ends the session.
  case exit
}

extension Command {
  /// The most lines of the log that are kept, and that `log` shows.
  package static let maxLogLines = 256
}

/// Where to go in a track.
package enum SeekTarget: Hashable, Sendable {
  /// From the beginning; not negative.
  case to(Seconds)
  /// From here, forward or back.
  case by(Seconds)
  /// A part of the whole, 0…1.
  case fraction(Double)
  /// Where a station is now.
  case live
}

/// How the volume changes. Limits (`volume.maximum`, the night's) are the player's to apply.
package enum VolumeChange: Hashable, Sendable {
  /// Percent, 0…100.
  case to(Int)
  /// Percent points, −100…100.
  case by(Int)
  /// Steps of `volume.step`: 1 is up, −1 is down.
  case steps(Int)
}

/// When the music is to stop by itself.
package enum SleepTimer: Hashable, Sendable {
  /// Minutes from now, 1…1440.
  case after(minutes: Int)
  /// With the end of what is heard.
  case behind(StopPoint)
  case off
}

/// Changes and questions about alarms. People count them from 1.
package enum AlarmCommand: Hashable, Sendable {
  case list
  /// Rings at a minute of the day, 0…1439, and plays what the name stands for.
  case add(minute: Int, AlarmDays, name: String)
  case remove(Int)
  case clear
  /// Lets one ring or not, without forgetting it.
  case turn(Int, on: Bool)
  /// Ends the one that rings or is snoozed.
  case stop
}

/// What to test.
package enum TestSubject: UInt8, Hashable, Sendable, CaseIterable {
  case tone, leds, buttons
}

/// Changes and questions about the queue.
package enum QueueCommand: Hashable, Sendable {
  /// Lists it, from the first or a position on, and so many entries.
  case list(from: QueuePosition?, count: Int?)
  case add(paths: [String])
  /// At a position, or right after the current track; a part of what the path stands for, or all of it.
  case insert(QueuePosition?, path: String, part: TrackRange?)
  /// Removes an entry, or all from it to the last one named.
  case remove(QueuePlace, through: QueuePosition?)
  case move(from: QueuePlace, to: QueuePosition)
  case clear
  case clearUpcoming
  case shuffle(Bool)
  case `repeat`(RepeatMode)
  /// Puts all entries, or those of a range, into random order, once.
  case mix(from: QueuePosition?, through: QueuePosition?)
  /// Plays that entry.
  case jump(QueuePlace)
  /// Makes that entry the current one, from a position on: it plays only where music plays.
  case cue(QueuePlace, at: Seconds?)
  /// Has an entry, or all from it to the last one named, played before others in a shuffle.
  case prioritize(QueuePlace, through: QueuePosition?, priority: UInt8)
}

/// An entry of the queue: by where it stands, or by its id, which stays when others come and go.
package enum QueuePlace: Hashable, Sendable {
  case position(QueuePosition)
  case id(UInt64)

  /// As it is typed.
  package var word: String {
    switch self {
    case .position(let position): String(position.number)
    case .id(let id): "id:" + String(id)
    }
  }
}

/// A place in the queue. People count from 1, the queue from 0.
package struct QueuePosition: Hashable, Sendable {
  /// As people count, from 1; one past the last is where a full queue ends.
  package let number: Int
  /// As the queue counts.
  package var index: Int { number - 1 }

  /// The place people call `number`; nil outside of 1…`PlayQueue.limit` + 1.
  package init?(number: Int) {
    guard number >= 1, number <= PlayQueue.limit + 1 else { return nil }
    self.number = number
  }
}

/// Which settings to show.
package enum SettingSelection: Hashable, Sendable {
  case all
  /// A group, such as `fade`.
  case group(String)
  case one(Setting)
}

/// What help is wanted about.
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
  /// What lights and cues mean.
  case lights
  case setting(Setting)
  /// The settings of a group, such as `fade`.
  case settingGroup(String)
  /// A command or a family of commands, by its first words.
  case command([String])
}
