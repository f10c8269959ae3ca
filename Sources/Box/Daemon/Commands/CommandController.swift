// Command dispatch: passes each console command to the feature that implements it. Control thread.

import Console
import Flight
import PlaybackModel
import Platform
import Player
import RealtimeAudio
import SwiftletEngine

/// The features that carry out commands.
struct CommandFeatures {
  let alarms: AlarmController
  let announcements: AnnouncementController
  let bookmarks: BookmarkController
  let checkpoints: CheckpointController
  let configuration: ConfigurationStore
  let controls: ControlsController
  let cues: CueController
  let library: LibraryController
  let limits: LimitController
  let media: MediaController
  let pictures: PictureController
  let playback: PlaybackController
  let playlistBook: PlaylistBook
  let playlists: PlaylistController
  let queue: QueueController
  let reports: ReportWriter
  let sleep: SleepController
  let sources: SourceController
  let status: StatusReporter
  let stickers: StickerController
  let storage: RemovableStorageController
  let tags: TagController
  let volume: VolumeController
}

/// Carries out commands of sessions, buttons, tags, alarms and the configuration.
final class CommandController: CommandTarget {
  private let features: CommandFeatures
  private let lifecycle: LifecycleController
  private let outputs: OutputController
  private let names: NameChecks
  private let clock: WallClockWatch
  private let flight: FlightRecorder
  private let scheduler: any Scheduler
  private let log: Log

  init(
    _ features: CommandFeatures, _ lifecycle: LifecycleController, _ outputs: OutputController,
    _ clock: WallClockWatch, flight: FlightRecorder, scheduler: any Scheduler, log: Log
  ) {
    self.features = features
    self.lifecycle = lifecycle
    self.outputs = outputs
    self.clock = clock
    self.flight = flight
    self.scheduler = scheduler
    self.log = log
    names = NameChecks(features.configuration, features.controls, features.media)
  }

  private var player: Player { outputs.player }

  // MARK: Callers

  /// Carries out a command and replies at once. Parts that need storage run in the background; their errors are logged
  /// and have a cue.
  func perform(_ command: Command) -> Reply {
    switch handling(of: command) {
    case .done(let reply, _): return reply
    case .waits(let beginning, let start):
      start(Cancellation()) { [unowned(unsafe) self] reply in
        guard case .error(let error) = reply else { return }
        log.write(.warning, error.sentence)
        // `save` plays its own cue on failure.
        if command != .save { cueFailure(reply) }
      }
      return .ok(beginning)
    }
  }

  /// Carries out a command, and replies when its storage has been read or written.
  private func perform(
    _ command: Command, until cancellation: Cancellation = Cancellation(),
    then answer: @escaping (Reply) -> Void
  ) {
    switch handling(of: command) {
    case .done(let reply, let file?) where reply.isOK: file.whenStored { answer($0.applied(to: reply)) }
    case .done(let reply, _): answer(reply)
    case .waits(_, let start): start(cancellation, answer)
    }
  }

  /// Carries out a button's command, after the alarm and the limits have had a chance to handle or refuse it.
  func performFromButton(_ command: Command) -> Reply {
    forestall(command, .button) ?? perform(command)
  }

  /// Carries out an RFID tag's command.
  ///
  /// - Parameters:
  ///   - command: The command.
  ///   - beginning: Where its music starts playing; nil: at the beginning.
  ///   - answer: Called with the final reply.
  func performFromTag(
    _ command: Command, at beginning: TagPlaces.Beginning?, then answer: @escaping (Reply) -> Void
  ) {
    if let reply = forestall(command, .tag) { return answer(reply) }
    let heard: (Reply) -> Void = { [unowned(unsafe) self] reply in
      cueFailure(reply)
      answer(reply)
    }
    guard case .play(let name?) = command else { return perform(command, then: heard) }
    features.playback.play(name, from: beginning, heard)
  }

  /// Plays a file, folder or playlist that no user requested, such as an alarm's.
  func play(_ name: String, then answer: @escaping (Reply) -> Void) {
    features.playback.play(name, from: nil, isUnattended: true, answer)
  }

  /// Carries out a command of a session or the configuration.
  ///
  /// - Parameters:
  ///   - command: The command.
  ///   - source: Where the command comes from.
  ///   - cancellation: Cancels searches, for example when the session closes.
  ///   - answer: Called once with the final reply, possibly after storage was read.
  func perform(
    _ command: Command, from source: CommandSource, until cancellation: Cancellation,
    then answer: @escaping (Reply) -> Void
  ) {
    flight.note(command, from: source)
    let begun = scheduler.now
    let note: (Reply) -> Void = { [unowned(unsafe) self] reply in
      flight.noteAnswer(isOK: reply.isOK, took: scheduler.now - begun)
    }
    if let reply = forestall(command, source == .configuration ? .configuration : .session) {
      note(reply)
      return answer(reply)
    }
    // Configuration commands run unattended: no user would notice that the named thing is not music.
    if source == .configuration, case .play(let name?) = command {
      return play(name) { reply in
        note(reply)
        answer(reply)
      }
    }
    perform(command, until: cancellation) { [unowned(unsafe) self] reply in
      note(reply)
      names.answer(
        command.properties.uses.contains(.clock) ? reply.adding(clock.note) : reply, checking: command,
        answer)
    }
  }

  func report(withPaths: Bool) -> ReportPages { features.reports.report(withPaths: withPaths) }

  func paths(beginning text: String, then: @escaping ([String]) -> Void) {
    let playlists = features.playlistBook.paths(beginning: text)
    if playlists.isEmpty { features.media.paths(beginning: text, then: then) } else { then(playlists) }
  }

  // MARK: Permission

  /// Whether a command would be accepted now. Changes nothing.
  func accepts(_ command: Command) -> Bool {
    guard refusal == nil,
      features.limits.refusal(
        of: features.playback.asLimited(command), from: .session,
        endsAlarm: features.alarms.isEnded(by: command)) == nil
    else { return false }
    return features.playback.accepts(command)
  }

  private var refusal: Reply? { features.playback.refusal }

  /// Reply of the alarm or the limits if they handle or refuse the command; nil otherwise. Configuration commands never
  /// end an alarm.
  private func forestall(_ command: Command, _ asker: Asker) -> Reply? {
    if asker != .configuration, let reply = features.alarms.hear(command) { return reply }
    return features.limits.refusal(
      of: features.playback.asLimited(command), from: asker, endsAlarm: false
    ).map { .error($0) }
  }

  /// Plays the error cue if a command of a button or tag has failed, because its user sees no reply.
  private func cueFailure(_ reply: Reply) {
    if !reply.isOK, reply != PlaybackController.superseded, refusal == nil {
      features.cues.play(.errorFile)
    }
  }

  // MARK: Dispatch

  /// Whether a command is carried out also while the audio thread is stalled and during shutdown: it neither plays nor
  /// changes the queue.
  private static func isIndependentOfPlayer(_ command: Command) -> Bool {
    switch command {
    case .media, .library, .picture, .sticker, .tag, .queue(.list): true
    default: false
    }
  }

  /// Carries out a command, or returns how to. The switch has no default case, so that the compiler asks for the feature
  /// of a new command.
  private func handling(of command: Command) -> Handling {
    if let refusal, !Self.isIndependentOfPlayer(command) { return .done(refusal) }
    if let handling = features.playback.handling(of: command) { return handling }
    switch command {
    case .play(let name?):
      return .waits { [features] _, answer in features.playback.play(name, from: nil, answer) }
    case .playOffered: return features.playback.playOffered()
    case .queue(.add(let names)):
      return .waits { [features] _, answer in
        features.playback.find(names, answer) { features.queue.add($0) }
      }
    case .queue(.insert(let position, let name, let part)):
      return .waits { [features] _, answer in
        features.playback.find([name], answer) { features.queue.insert($0, part, at: position) }
      }
    case .queue(.list(let from, let count)):
      return .waits { [features] _, answer in features.queue.list(from, count, answer) }
    case .queue(let command):
      return .done(features.queue.perform(command) { player.give(.skip(to: $0)) })
    case .announce(let name, let volume, let duck):
      return .waits { [features] cancellation, answer in
        features.announcements.announce(name, volume: volume, duck, until: cancellation, answer)
      }
    case .stopAnnouncements: return .done(features.announcements.stop())
    case .media(let name?):
      return .waits { [features] cancellation, answer in
        features.media.list(name, until: cancellation, answer)
      }
    case .media(nil):
      return .waits { [features] cancellation, answer in
        features.media.listAll(features.storage.mounted, until: cancellation, answer)
      }
    case .library(let command):
      return .waits { [features] in features.library.perform(command, until: $0, then: $1) }
    case .picture(let command):
      return .waits { [features] in features.pictures.perform(command, until: $0, then: $1) }
    case .sticker(let command):
      return .waits { [features] in features.stickers.perform(command, then: $1) }
    case .playlist(let command):
      return .waits { [features] in features.playlists.perform(command, until: $0, then: $1) }
    case .tag(let command): return .waits { [features] in features.tags.perform(command, then: $1) }
    case .alarm(let command):
      return .done(
        features.alarms.perform(command),
        whenStored: command.changesAlarms ? features.alarms.stored : nil)
    case .snooze(let minutes): return .done(features.alarms.snooze(minutes))
    case .limits(let command): return .done(features.limits.perform(command))
    case .volume(let change): return .done(features.volume.perform(change))
    case .mute: return .done(features.volume.mute())
    case .sleep(let timer):
      let reply = features.sleep.perform(timer)
      if reply.isOK, timer != nil, timer != .off { features.cues.play(.sleepTimer) }
      return .done(reply)
    case .sources(let command): return .done(features.sources.perform(command))
    case .bookmarks: return .done(features.bookmarks.list())
    case .clearBookmarks: return .done(features.bookmarks.clear())
    case .controls(let command): return .done(features.controls.perform(command))
    case .test(.tone): return .done(features.cues.testTone())
    case .test(.leds): return .done(features.controls.testLights())
    case .test(.buttons): return .done(features.controls.testButtons())
    case .set(let setting, let value):
      return .done(
        features.configuration.change(setting) { (settings) throws(ConsoleError) in
          try settings.set(setting, to: value)
        })
    case .cycle(let setting):
      return .done(
        features.configuration.change(setting) { (settings) throws(ConsoleError) in
          try settings.set(setting, to: settings.next(setting))
        })
    case .unset(let setting?):
      return .done(
        features.configuration.change(setting) { (settings) throws(ConsoleError) in settings.unset(setting) })
    case .unset(nil): return .done(features.configuration.unsetAll())
    case .equalizer:
      return .done(
        .ok(SpeakerReport(features.configuration.settings, rate: player.machine.settings.rate).answer))
    case .clearEqualizer: return .done(features.configuration.clearEqualizer())
    case .show(let selection): return .done(features.configuration.show(selection))
    case .diff: return .done(features.configuration.diff())
    case .save:
      return .waits(beginning: "being written") { [features] _, answer in
        features.configuration.save(features.controls.table, then: answer)
      }
    case .status: return .done(.ok(Answer(fields: features.status.allFields)))
    case .current: return .done(features.status.current)
    case .history(let count): return .done(features.status.history(count))
    case .log(let count): return .done(.ok(Answer(rows: log.last(count).map { Row(log.text(of: $0)) })))
    case .stats:
      return .done(.ok(Answer(fields: features.status.stats, rows: features.status.latencyRows)))
    case .powerFailing: return .done(features.checkpoints.powerFailing())
    case .shutdown:
      lifecycle.handle(.endRequested(.command))
      return .done(.ok("ending"))
    case .board:
      return .done(
        .failed("a board is named in the configuration file or by 'swiftlet run --board NAME'"))
    case .watch, .idle, .format, .pin, .help, .exit, .report:
      return .done(.failed("only a session can do this"))
    case .play(path: nil), .pause, .toggle, .stop, .next, .previous, .seek, .finishFade, .retry, .reset,
      .standby, .wake, .interruptionBegin, .interruptionEnd:
      preconditionFailure("the player has performed it")
    }
  }
}

extension AlarmCommand {
  /// Whether the command changes the stored alarms.
  fileprivate var changesAlarms: Bool {
    switch self {
    case .add, .remove, .clear, .turn: true
    case .list, .stop: false
    }
  }
}
