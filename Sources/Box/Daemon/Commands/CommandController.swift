// Command dispatch: passes each console command to the controller that implements it. Control thread.

import Console
import Flight
import Media
import PlaybackModel
import Platform
import Player
import RealtimeAudio
import SwiftletEngine

/// Carries out commands of sessions, buttons, tags, alarms and the configuration.
final class CommandController: CommandTarget {
  /// Mount point of a stick that was plugged in and not played yet; nil: none.
  var offered: () -> String? = { nil }
  /// Mount points of all sticks.
  var sticks: () -> [String] = { [] }
  /// Called when the user requests silence (true) or sound (false).
  var onSilence: (_ isWanted: Bool) -> Void = { _ in }
  /// Additional `status` fields, from the integrations and the media index among others.
  var furtherStatus: () -> [Field] = { [] }
  /// Note for replies about times of day; nil if the time is known.
  var clockNote: () -> String? = { nil }
  /// Carries out `library`: queries or updates the media index.
  var library: (LibraryCommand, Cancellation, @escaping (Reply) -> Void) -> Void = { _, _, _ in }
  /// Checks a command against the limits.
  ///
  /// - Returns: The error if the limits refuse the command; nil if they allow it.
  var limits: (Command, Asker, _ endsAlarm: Bool) -> ConsoleError? = { _, _, _ in nil }
  /// Carries out `limits` and its subcommands.
  var answerLimits: (LimitsCommand) -> Reply = { _ in .ok() }
  /// Carries out `picture`.
  var pictures: (PictureCommand, Cancellation, @escaping (Reply) -> Void) -> Void = { _, _, _ in }
  /// Carries out `sticker` and its subcommands.
  var stickers: (StickerCommand, @escaping (Reply) -> Void) -> Void = { _, _ in }
  /// Carries out `playlist` and its subcommands.
  var playlists: (PlaylistCommand, Cancellation, @escaping (Reply) -> Void) -> Void = { _, _, _ in }
  /// Completions of a path of stored playlists.
  var playlistPaths: (String) -> [String] = { _ in [] }
  /// Carries out `tag` and its subcommands.
  var tags: (TagCommand, @escaping (Reply) -> Void) -> Void = { _, _ in }
  /// Carries out `sources` and `listen`.
  var sources: (SourceCommand) -> Reply = { _ in .ok() }
  /// Argument of the `play` command that filled the current queue; nil if the queue was filled otherwise.
  var playedName: String?

  private let lifecycle: LifecycleController
  private let outputs: OutputController
  let configuration: ConfigurationStore
  private let volume: VolumeController
  private let sleep: SleepController
  let alarms: AlarmController
  private let cues: CueController
  private let announcements: AnnouncementController
  let queue: QueueController
  let media: MediaController
  private let bookmarks: BookmarkController
  private let checkpoints: CheckpointController
  let controls: ControlsController
  private let status: StatusReporter
  let reports: ReportWriter
  private let flight: FlightRecorder
  private let scheduler: any Scheduler
  let log: Log

  init(
    _ lifecycle: LifecycleController, _ outputs: OutputController, _ configuration: ConfigurationStore,
    _ volume: VolumeController,
    _ sleep: SleepController, _ alarms: AlarmController, _ cues: CueController,
    _ announcements: AnnouncementController, _ media: MediaController, _ bookmarks: BookmarkController,
    _ checkpoints: CheckpointController, _ controls: ControlsController, _ status: StatusReporter,
    _ reports: ReportWriter, flight: FlightRecorder, scheduler: any Scheduler, log: Log
  ) {
    self.lifecycle = lifecycle
    self.outputs = outputs
    self.configuration = configuration
    self.volume = volume
    self.sleep = sleep
    self.alarms = alarms
    self.cues = cues
    self.announcements = announcements
    queue = QueueController(configuration, outputs, scheduler)
    self.media = media
    self.bookmarks = bookmarks
    self.checkpoints = checkpoints
    self.controls = controls
    self.status = status
    self.reports = reports
    self.flight = flight
    self.scheduler = scheduler
    self.log = log
  }

  var player: Player { outputs.player }
  /// Whether a play command waits for the saved state.
  var isRemembering: Bool { lifecycle.phase.awaitsState }
  /// Token of the search whose result will be played at once; a newer search, pause or stop cancels it.
  var playSearch = Cancellation()
  static var superseded: Reply { .failed("given up for what was asked for since") }

  // MARK: Commands with an immediate reply

  /// Carries out a command and replies at once. Parts that need storage run in the background, and their errors are
  /// logged.
  func perform(_ command: Command) -> Reply {
    if let refusal { return refusal }
    let meaning = meaning(of: command)
    switch meaning {
    case .player: break
    case .offer, .allMusic: return performLater(command)
    case .entry, .wait:
      noteSilence(command)
      var reply = Reply.ok()
      play(meaning, as: command) { reply = $0 }
      return reply
    }
    noteSilence(command)
    if let reply = arm(command) { return reply }
    if let reply = player.perform(command) { return reply }
    switch command {
    case .playOffered where offered() == nil: return Self.noOffer
    case .play(.some), .playOffered, .media, .library, .queue(.add), .queue(.insert), .announce, .tag,
      .playlist, .picture, .sticker:
      return performLater(command)
    case .save: return performLater(command, "being written")
    case .stopAnnouncements: return announcements.stop()
    case .volume(let change): return volume.perform(change)
    case .mute: return volume.mute()
    case .sleep(let timer):
      let reply = sleep.perform(timer)
      if reply.isOK, timer != nil, timer != .off { cues.play(.sleepTimer) }
      return reply
    case .alarm(let command): return alarms.perform(command)
    case .limits(let command): return answerLimits(command)
    case .snooze(let minutes): return alarms.snooze(minutes)
    case .sources(let command): return sources(command)
    case .test(.tone): return cues.testTone()
    case .test(.leds): return controls.testLights()
    case .test(.buttons): return controls.testButtons()
    case .bookmarks: return bookmarks.list()
    case .clearBookmarks: return bookmarks.clear()
    case .queue(let command): return queue.perform(command) { player.give(.skip(to: $0)) }
    case .set(let setting, let value):
      return configuration.change(setting) { (settings) throws(ConsoleError) in
        try settings.set(setting, to: value)
      }
    case .cycle(let setting):
      return configuration.change(setting) { (settings) throws(ConsoleError) in
        try settings.set(setting, to: settings.next(setting))
      }
    case .unset(let setting?):
      return configuration.change(setting) { (settings) throws(ConsoleError) in settings.unset(setting) }
    case .unset(nil): return configuration.unsetAll()
    case .equalizer:
      return .ok(SpeakerReport(configuration.settings, rate: player.machine.settings.rate).answer)
    case .clearEqualizer: return configuration.clearEqualizer()
    case .show(let selection): return configuration.show(selection)
    case .diff: return configuration.diff()
    case .status:
      return .ok(Answer(fields: status.status + furtherStatus()))
    case .current: return status.current
    case .history(let count): return status.history(count)
    case .log(let count): return .ok(Answer(rows: log.last(count).map { Row(log.text(of: $0)) }))
    case .stats: return .ok(Answer(fields: status.stats, rows: status.latencyRows))
    case .powerFailing: return checkpoints.powerFailing()
    case .shutdown:
      lifecycle.handle(.endRequested(.command))
      return .ok("ending")
    case .controls(let command): return controls.perform(command)
    case .board:
      return .failed("a board is named in the configuration file or by 'swiftlet run --board NAME'")
    case .watch, .idle, .format, .pin, .help, .exit, .report:
      return .failed("only a session can do this")
    case .play, .pause, .toggle, .stop, .next, .previous, .seek, .finishFade, .retry, .reset, .standby, .wake,
      .interruptionBegin, .interruptionEnd:
      preconditionFailure("the player has performed it")
    }
  }

  /// Reply that refuses all commands while the audio thread is stalled with many commands queued, or during shutdown;
  /// nil otherwise.
  var refusal: Reply? {
    guard !lifecycle.phase.isEnding else { return .failed("the box is shutting down") }
    guard player.isOverloaded else { return nil }
    return .failed("the sound card holds up the audio thread, and many commands wait; try again")
  }

  /// Carries out a button's command, after the alarm and the limits have had a chance to handle or refuse it.
  func performFromButton(_ command: Command) -> Reply {
    forestall(command, .button) ?? perform(command)
  }

  /// Reply of the alarm or the limits if they handle or refuse the command; nil otherwise. Configuration commands never
  /// end an alarm.
  private func forestall(_ command: Command, _ asker: Asker) -> Reply? {
    if asker != .configuration, let reply = alarms.hear(command) { return reply }
    return limits(asLimited(command), asker, false).map { .error($0) }
  }

  // MARK: Commands that wait for storage

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
      return play(name, from: nil, isUnattended: true) { reply in
        note(reply)
        answer(reply)
      }
    }
    perform(command, until: cancellation) { [unowned(unsafe) self] reply in
      note(reply)
      self.answer(
        command.properties.uses.contains(.clock) ? reply.adding(clockNote()) : reply, checking: command,
        answer)
    }
  }

  private func perform(
    _ command: Command, until cancellation: Cancellation = Cancellation(),
    then answer: @escaping (Reply) -> Void
  ) {
    if refusal == nil {
      let meaning = meaning(of: command)
      switch meaning {
      case .player: break
      case .offer, .allMusic, .entry, .wait:
        noteSilence(command)
        return play(meaning, as: command, answer)
      }
    }
    switch command {
    case .play(let name?): play(name, from: nil, answer)
    case .playOffered:
      if let refusal { return answer(refusal) }
      noteSilence(command)
      playOffered(answer)
    case .tag(let command): tags(command, answer)
    case .alarm(let command):
      if let refusal { return answer(refusal) }
      let reply = alarms.perform(command)
      if command.changesAlarms {
        self.answer(reply, whenStoredBy: alarms.stored, answer)
      } else {
        answer(reply)
      }
    case .queue(.list(let from, let count)): queue.list(from, count, answer)
    case .queue(.add(let names)):
      find(names, answer) { [unowned(unsafe) self] in queue.add($0) }
    case .queue(.insert(let position, let name, let part)):
      find([name], answer) { [unowned(unsafe) self] in queue.insert($0, part, at: position) }
    case .announce(let name, let volume, let duck):
      if let refusal { return answer(refusal) }
      announcements.announce(name, volume: volume, duck, until: cancellation, answer)
    case .media(let name?): media.list(name, until: cancellation, answer)
    case .library(let command): library(command, cancellation, answer)
    case .picture(let command): pictures(command, cancellation, answer)
    case .sticker(let command): stickers(command, answer)
    case .playlist(let command):
      if let refusal { answer(refusal) } else { playlists(command, cancellation, answer) }
    case .media(nil): media.listAll(sticks(), until: cancellation, answer)
    case .save:
      if let refusal { answer(refusal) } else { configuration.save(controls.table, then: answer) }
    default: answer(perform(command))
    }
  }

  /// Carries out a command in the background for a caller that needs a reply now; later errors are logged and have a cue.
  ///
  /// - Parameter beginning: Text of the immediate reply.
  private func performLater(_ command: Command, _ beginning: String = "looking it up") -> Reply {
    perform(command) { [unowned(unsafe) self] reply in
      guard case .error(let error) = reply else { return }
      log.write(.warning, error.sentence)
      // `save` plays its own cue on failure.
      if command != .save { cueFailure(reply) }
    }
    return .ok(beginning)
  }

  /// Plays the error cue if a command of a button or tag has failed, because its user sees no reply.
  private func cueFailure(_ reply: Reply) {
    if !reply.isOK, reply != Self.superseded, refusal == nil { cues.play(.errorFile) }
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
    play(name, from: beginning, heard)
  }

  /// Finds music by name and plays it in place of the queue.
  ///
  /// - Parameter isUnattended: Whether no user requested it.
  private func play(
    _ name: String, from beginning: TagPlaces.Beginning?, isUnattended: Bool = false,
    _ answer: @escaping (Reply) -> Void
  ) {
    playSearch.cancel()
    let search = Cancellation()
    playSearch = search
    find([name], until: search, answer) { [unowned(unsafe) self] in
      guard !search.isSet else { return Self.superseded }
      if isUnattended { player.noteUnattended($0) }
      let reply = queue.play($0, from: beginning)
      if reply.isOK { playedName = name }
      return reply
    }
  }

  /// Plays a file, folder or playlist that no user requested, such as an alarm's.
  func play(_ name: String, then answer: @escaping (Reply) -> Void) {
    play(name, from: nil, isUnattended: true, answer)
  }

  private func find(
    _ names: [String], until cancellation: Cancellation = Cancellation(), _ answer: @escaping (Reply) -> Void,
    use: @escaping ([Track]) -> Reply
  ) {
    media.find(names, until: cancellation) { [unowned(unsafe) self] lookup in
      switch lookup {
      case .tracks(let found):
        if let note = found.note { log.write(.warning, note) }
        answer(refusal ?? use(found.tracks).adding(found.note))
      case .refused(let error): answer(cancellation.isSet ? Self.superseded : .error(error))
      }
    }
  }
}
