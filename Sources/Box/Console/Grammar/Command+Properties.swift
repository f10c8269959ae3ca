// Properties of each command that several parts of the program need: who may send it, whether it waits for storage,
// whether it starts or silences music, where it has a meaning. Pure; any thread.

import PlaybackModel

/// The properties of one command with its arguments.
package struct CommandProperties: Sendable {
  /// Whether the reply may have to wait for storage.
  package enum Reply: Sendable { case atOnce, mayWait }
  /// Whether the command starts music. `ifSilent`: only if no music is playing.
  package enum Start: Sendable { case never, always, ifSilent }
  /// Whether the command chooses which music plays. `ifQueueIsEmpty`: it then plays all music.
  package enum Choice: Sendable { case none, always, ifQueueIsEmpty }
  /// Whether the command requests silence. `toggles`: depending on the state; `ends`: it revokes such a request.
  package enum Silence: Sendable { case unaffected, requests, toggles, ends }
  /// Whether the command ends an alarm. `alsoSnoozed`: an alarm that rings or is snoozed.
  package enum AlarmEnd: Sendable { case never, ifRinging, alsoSnoozed }

  /// Whether the reply may have to wait for storage.
  package let reply: Reply
  /// Whether the command starts music.
  package let starts: Start
  /// Whether the command chooses which music plays.
  package let chooses: Choice
  /// Whether the command requests silence.
  package let silence: Silence
  /// Whether the command ends an alarm.
  package let endsAlarm: AlarmEnd
  /// Where the command is accepted or has a meaning.
  package let uses: Uses

  /// Where a command is accepted or has a meaning.
  package struct Uses: OptionSet, Sendable {
    /// The flags as bits.
    package let rawValue: UInt8
    /// Creates a set from its bits.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A line that a network client publishes for MQTT.
    package static let network = Uses(rawValue: 1 << 0)
    /// The MPD server, for its own work.
    package static let mpd = Uses(rawValue: 1 << 1)
    /// The MQTT client, for its own work.
    package static let mqtt = Uses(rawValue: 1 << 2)
    /// A session that is locked by a PIN.
    package static let locked = Uses(rawValue: 1 << 3)
    /// A button, a knob, a chord or a tag.
    package static let binding = Uses(rawValue: 1 << 4)
    /// A line of the configuration file.
    package static let file = Uses(rawValue: 1 << 5)
    /// The reply depends on the time of day, so that it warns if the clock is not set.
    package static let clock = Uses(rawValue: 1 << 6)
    /// Faster turns of a knob give more steps.
    package static let acceleration = Uses(rawValue: 1 << 7)

    /// A command of local users: in sessions, bindings and the configuration file.
    static let local: Uses = [.binding, .file]
    /// A command that also network clients may send.
    static let all: Uses = [.network, .binding, .file]
    /// A command that also MPD clients need.
    static let player: Uses = [.network, .mpd, .binding, .file]
  }

  fileprivate init(
    _ reply: Reply, _ uses: Uses, starts: Start, chooses: Choice, silence: Silence, endsAlarm: AlarmEnd
  ) {
    (self.reply, self.uses, self.starts, self.chooses) = (reply, uses, starts, chooses)
    (self.silence, self.endsAlarm) = (silence, endsAlarm)
  }

  /// A command that neither starts, chooses nor silences music, and ends no alarm.
  fileprivate init(_ reply: Reply, _ uses: Uses) {
    self.init(reply, uses, starts: .never, chooses: .none, silence: .unaffected, endsAlarm: .never)
  }
}

extension Command {
  /// The command's properties. The switch has no default case, so that the compiler asks for those of a new command.
  package var properties: CommandProperties {
    typealias P = CommandProperties
    switch self {
    // Transport
    case .play(path: .some), .playOffered:
      return P(
        .mayWait, self == .playOffered ? .all : .player, starts: .always, chooses: .always, silence: .ends,
        endsAlarm: .alsoSnoozed)
    case .play(path: nil):
      return P(
        .atOnce, .player, starts: .always, chooses: .ifQueueIsEmpty, silence: .ends, endsAlarm: .alsoSnoozed)
    case .toggle:
      return P(
        .atOnce, .all, starts: .ifSilent, chooses: .ifQueueIsEmpty, silence: .toggles, endsAlarm: .alsoSnoozed
      )
    case .pause, .stop:
      return P(
        .atOnce, .player, starts: .never, chooses: .none, silence: .requests, endsAlarm: .ifRinging)
    case .next, .previous:
      return P(
        .atOnce, .player, starts: .ifSilent, chooses: .none, silence: .unaffected, endsAlarm: .never)
    case .seek: return P(.atOnce, [.player, .acceleration])
    case .finishFade: return P(.atOnce, .all)
    case .retry:
      return P(.atOnce, .all, starts: .always, chooses: .none, silence: .unaffected, endsAlarm: .never)
    case .reset:
      return P(.atOnce, .player, starts: .never, chooses: .none, silence: .unaffected, endsAlarm: .ifRinging)

    // Sound
    case .volume: return P(.atOnce, [.player, .acceleration])
    case .mute:
      return P(.atOnce, .all, starts: .never, chooses: .none, silence: .unaffected, endsAlarm: .ifRinging)
    case .sleep(let timer):
      // `sleep track` implements MPD's 'single oneshot', and `sleep off` ends it.
      return P(.atOnce, timer == .behind(.track) || timer == .off ? .player : .all)
    case .alarm: return P(.mayWait, [.all, .clock])
    case .snooze: return P(.atOnce, .all)
    case .limits: return P(.atOnce, [.all, .clock])
    case .announce: return P(.mayWait, .all)
    case .stopAnnouncements: return P(.atOnce, .all)
    case .equalizer: return P(.atOnce, [.network, .binding])
    case .test, .clearEqualizer: return P(.atOnce, .local)

    // Queue and media
    case .queue(let command): return command.properties
    case .media, .library: return P(.mayWait, .player)
    case .picture, .sticker: return P(.mayWait, [.mpd, .binding, .file])
    case .playlist(let command):
      // Tags may refer to stored playlists, so editing these counts as choosing.
      return P(
        .mayWait, command.isQuestion ? .player : [.mpd, .binding, .file], starts: .never,
        chooses: command.isQuestion ? .none : .always, silence: .unaffected, endsAlarm: .never)
    case .bookmarks: return P(.atOnce, .all)
    case .clearBookmarks: return P(.atOnce, .local)

    // Settings
    case .set(let setting, _):
      let isMPDs = setting == .gainMode || setting == .fadeLength
      return P(.atOnce, [.local, isMPDs ? .mpd : [], setting.concernsTimeOfDay ? .clock : []])
    case .unset(let setting):
      return P(.atOnce, [.local, setting?.concernsTimeOfDay == true ? .clock : []])
    case .cycle: return P(.atOnce, .local)
    case .show(let selection):
      let mpd: [Setting] = [.gainMode, .fadeLength, .mediaRoot, .libraryEnabled]
      let isMPDs = if case .one(let setting) = selection { mpd.contains(setting) } else { false }
      return P(.atOnce, isMPDs ? [.mpd, .binding] : .binding)
    case .diff: return P(.atOnce, .binding)
    case .save: return P(.mayWait, .binding)

    // Buttons, knobs, lights, live sources, tags
    case .controls, .board: return P(.atOnce, .file)
    case .sources(.list): return P(.atOnce, .all)
    case .sources(.listen):
      return P(.atOnce, .all, starts: .always, chooses: .none, silence: .unaffected, endsAlarm: .never)
    case .tag(.list), .tag(.swipe), .tag(.lift): return P(.mayWait, .all)
    case .tag: return P(.mayWait, .local)

    // Information
    case .status, .stats: return P(.atOnce, .player)
    case .current, .history: return P(.atOnce, .all)
    case .log: return P(.atOnce, .local)
    case .report: return P(.mayWait, .local)
    case .idle: return P(.mayWait, [.mpd, .mqtt])
    case .watch: return P(.atOnce, [])

    // Outside world
    case .standby:
      return P(.atOnce, .local, starts: .never, chooses: .none, silence: .requests, endsAlarm: .ifRinging)
    case .wake, .interruptionEnd(shouldResume: true):
      return P(.atOnce, .local, starts: .always, chooses: .none, silence: .unaffected, endsAlarm: .never)
    case .interruptionBegin, .interruptionEnd(shouldResume: false), .powerFailing:
      return P(.atOnce, .local)
    case .shutdown:
      return P(
        .atOnce, .binding, starts: .never, chooses: .none, silence: .unaffected, endsAlarm: .alsoSnoozed)

    // This session
    case .format: return P(.atOnce, [.mpd, .mqtt, .locked])
    case .pin, .help, .exit: return P(.atOnce, .locked)
    }
  }
}

extension QueueCommand {
  fileprivate var properties: CommandProperties {
    typealias P = CommandProperties
    switch self {
    case .add, .insert:
      return P(
        .mayWait, .player, starts: .never, chooses: .always, silence: .unaffected, endsAlarm: .never)
    case .jump:
      return P(
        .atOnce, .player, starts: .ifSilent, chooses: .none, silence: .unaffected, endsAlarm: .never)
    case .list, .edit, .edits, .shuffle, .repeat, .cue:
      return P(.atOnce, .player)
    }
  }
}

extension Setting {
  /// Whether the setting's effect depends on the time of day.
  fileprivate var concernsTimeOfDay: Bool { ["night", "limits"].contains(declaration.group) }
}
