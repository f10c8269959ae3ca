// Object graph of the daemon: creates one controller per feature and wires their callbacks. Control thread; never
// blocks.

import Controls
import RealtimeAudio
import Checkpoints
import Console
import Flight
import Library
import PlaybackModel
import Platform
import Player
import SwiftletEngine

/// The daemon's controllers and stores, created and connected.
final class BoxOwners {
  let lifecycle: LifecycleController
  let log: Log
  // Event listeners run in creation order, so the order of the assignments in `init` matters.
  let feed: EventFeed
  let configuration: ConfigurationStore
  let controls: ControlsController
  let outputs: OutputController
  let volume: VolumeController
  let sleep: SleepController
  let cues: CueController
  let clock: WallClockWatch
  let ringer: AlarmRinger
  let alarms: AlarmController
  let tags: TagController
  let playlists: PlaylistController
  let stickers: StickerController
  let powerOns: PowerOnCounter
  let limits: LimitController
  let checkpoints: CheckpointController
  let bookmarks: BookmarkController
  private let trouble = StoreTrouble()
  let media: MediaController
  let storage: RemovableStorageController
  let library: LibraryController
  let pictures: PictureController
  let waits: StorageWaitController
  let announcements: AnnouncementController
  let fallback: FallbackController
  let sources: SourceController
  let status: StatusReporter
  let flight: FlightController
  let commands: CommandController
  let sessions: SessionController
  let integrations: IntegrationController
  let watchdog: ServiceWatchdog
  private var errorLog: EventSubscription?

  /// Reads the configuration, opens the controls and creates all controllers.
  ///
  /// - Throws: `SystemError` if the process cannot create descriptors or threads; other problems are logged.
  init(_ options: BoxOptions, on machine: any Machine) throws(SystemError) {
    let scheduler = machine.scheduler
    lifecycle = LifecycleController(scheduler, isStrict: options.isStrict)
    log = Log(machine)
    feed = EventFeed(scheduler)
    configuration = try ConfigurationStore(options, on: machine, feed: feed, log: log)
    let recorder = FlightController.makeRecorder(configuration.settings, machine, log)
    recorder.noteStart(version: options.version)
    controls = ControlsController(
      configuration.declaredControls, on: machine, feed: feed, flight: recorder, log: log)
    let outputs = OutputController(
      configuration, on: machine, isStrict: options.isStrict, feed: feed, log: log)
    self.outputs = outputs
    volume = VolumeController(configuration, on: machine, feed: feed, log: log) { outputs.openedPlayer }
    sleep = SleepController(scheduler, feed: feed, log: log) { outputs.openedPlayer }
    cues = CueController(configuration, outputs, volume, feed: feed, log: log)
    clock = WallClockWatch(machine, feed: feed, log: log)
    ringer = AlarmRinger(
      configuration, AlarmVolume(configuration, volume, scheduler: scheduler, feed: feed), cues,
      scheduler: scheduler,
      feed: feed, log: log)
    // One background worker for all state files: they are in the same directory, hence on the same storage.
    let keeping = try machine.backgroundWorker()
    alarms = AlarmController(configuration, ringer, on: machine, worker: keeping, feed: feed, log: log)
    tags = TagController(
      configuration,
      TagPlaces(configuration, outputs, PersistentFile(on: machine, worker: keeping), feed: feed), cues,
      scheduler: scheduler, feed: feed, log: log)
    playlists = PlaylistController(
      configuration, outputs, PersistentFile(on: machine, worker: keeping), on: machine, feed: feed, log: log)
    stickers = StickerController(
      configuration, PersistentFile(on: machine, worker: keeping), scheduler: scheduler, feed: feed, log: log)
    powerOns = PowerOnCounter(
      configuration, PersistentFile(on: machine, worker: keeping), scheduler: scheduler, log: log)
    limits = LimitController(
      configuration, outputs, cues, on: machine, worker: keeping, feed: feed, log: log)
    checkpoints = CheckpointController(
      lifecycle, configuration, outputs, volume, sleep, on: machine, worker: keeping, feed: feed,
      flight: recorder,
      log: log)
    bookmarks = BookmarkController(configuration, outputs, on: machine, worker: keeping, feed: feed, log: log)
    media = MediaController(configuration, on: machine) { isOK, took in
      recorder.note(.looking, isOK: isOK, took: took)
    }
    announcements = AnnouncementController(
      outputs, volume, media, scheduler: scheduler, feed: feed, log: log)
    fallback = FallbackController(
      configuration, outputs, media, scheduler: scheduler, feed: feed, log: log)
    sources = SourceController(outputs, on: machine, feed: feed, log: log)
    storage = RemovableStorageController(configuration, outputs, media, on: machine, feed: feed, log: log)
    library = LibraryController(configuration, on: machine, feed: feed, log: log)
    pictures = PictureController(configuration, on: machine, feed: feed)
    waits = StorageWaitController(
      configuration, outputs, media, checkpoints, on: machine, feed: feed, log: log)
    status = StatusReporter(
      configuration, outputs, volume, sleep, alarms, checkpoints, storage, controls, on: machine, feed: feed)
    flight = FlightController(recorder, outputs, scheduler: scheduler, feed: feed)
    commands = CommandController(
      lifecycle, outputs, configuration, volume, sleep, alarms, cues, announcements, media, bookmarks,
      checkpoints,
      controls, status,
      ReportWriter(configuration, status, recorder, on: machine, log: log, version: options.version),
      flight: recorder, scheduler: scheduler, log: log)
    sessions = SessionController(
      configuration, commands, PositionTicker(outputs, volume, scheduler: scheduler), on: machine, feed: feed,
      log: log, socketOfUser: options.socketOfUser)
    integrations = IntegrationController(configuration, on: machine, feed: feed, log: log)
    watchdog = ServiceWatchdog(machine)
    connect()
  }

  /// Starts loading the state files next to the checkpoint that playback does not need; no-op while the configuration
  /// is not loaded.
  func openBooks() {
    alarms.open()
    tags.open()
    playlists.open()
    stickers.open()
    powerOns.open()
  }

  /// Writes all unsaved state, then calls `then`, whether or not the writes succeeded.
  func finish(then: @escaping () -> Void) {
    let writers: [(@escaping () -> Void) -> Void] = [
      checkpoints.finish, bookmarks.finish, alarms.finish, tags.finish, playlists.finish, stickers.finish,
      powerOns.finish, limits.finish, configuration.file.finish,
    ]
    var unwritten = writers.count
    for finish in writers {
      finish {
        unwritten -= 1
        if unwritten == 0 { then() }
      }
    }
  }

  /// Cancels media, index, picture and storage requests without answering them.
  func endLooking() {
    media.end()
    library.end()
    pictures.end()
    waits.end()
  }

  /// Sets the callbacks between controllers that cannot be passed to initializers because of creation order.
  private func connect() {
    errorLog = feed.listen { [unowned(unsafe) self] stamped in
      switch stamped.event {
      case .error(let error): log.write(.error, error.sentence + " " + error.remedy)
      case .note(let text): log.write(.warning, text, isPublic: true)
      case .restarted(let track, let error):
        log.write(
          .warning, error.sentence + " Its decoder was restarted; " + track.displayName + " plays on.")
      case .missed(let time, let track):
        log.write(
          .warning,
          track.displayName + " continues; " + Decimal.gap(seconds: time.value) + " of it is missing.")
      default: break
      }
    }
    controls.onCommand = { [unowned(unsafe) self] in commands.performFromButton($0) }
    controls.onTag = { [unowned(unsafe) self] in tags.take($0) }
    connectTags()
    connectSources()
    connectLimits()
    connectPlaylists()
    controls.indicator = { [unowned(unsafe) self] in outputs.indicator(outputs.player.machine.state) }
    outputs.indicator = { [unowned(unsafe) self] in trouble.indicator(waits.indicator($0), in: $0) }
    for file in [alarms.stored, tags.places.book, playlists.stored, stickers.stored] as [any StoredState] {
      file.trouble = trouble
    }
    trouble.onChange = { [unowned(unsafe) self] isFailing in
      if isFailing { cues.play(.notSaved) }
      outputs.noteLight()
    }
    waits.onHold = { [unowned(unsafe) self] in cues.play(.storageWait) }
    controls.circumstances.leadsPastAnEnd = { [unowned(unsafe) self] in outputs.player.leadsPastAnEnd($0) }
    controls.circumstances.maxSteps = { [unowned(unsafe) self] in configuration.settings.knobAcceleration }
    controls.circumstances.state = { [unowned(unsafe) self] in outputs.player.machine.state }
    outputs.onOpen = { [unowned(unsafe) self] in setUp($0) }
    outputs.capture = { [unowned(unsafe) self] in checkpoints.capture() }
    outputs.restore = { [unowned(unsafe) self] in checkpoints.restore($0, isRestart: false) }
    volume.onLimit = { [unowned(unsafe) self] in cues.play(.volumeLimit) }
    sleep.onFire = { [unowned(unsafe) self] in outputs.player.handle(.sleepTimerFired) }
    ringer.play = { [unowned(unsafe) self] name, answer in commands.play(name, then: answer) }
    alarms.pause = { [unowned(unsafe) self] in outputs.player.handle(.pause) }
    alarms.onRing = { [unowned(unsafe) self] in if sleep.plan != nil { _ = sleep.perform(.off) } }
    storage.onPlay = { [unowned(unsafe) self] in _ = commands.performFromButton(.play(path: $0)) }
    storage.onOffer = { [unowned(unsafe) self] in cues.play(.storage) }
    commands.offered = { [unowned(unsafe) self] in storage.offered }
    commands.sticks = { [unowned(unsafe) self] in storage.mounted }
    status.accepts = { [unowned(unsafe) self] in commands.accepts($0) }
    status.silentStorage = { [unowned(unsafe) self] in waits.silent }
    commands.onSilence = { [unowned(unsafe) self] in checkpoints.isSilenced = $0 }
    library.queue = { [unowned(unsafe) self] in outputs.openedPlayer?.queue.tracks ?? [] }
    library.sticks = { [unowned(unsafe) self] in storage.mounted }
    commands.library = { [unowned(unsafe) self] command, cancellation, answer in
      library.perform(command, until: cancellation, then: answer)
    }
    commands.pictures = { [unowned(unsafe) self] command, cancellation, answer in
      pictures.perform(command, until: cancellation, then: answer)
    }
    sessions.onOpen = { [unowned(unsafe) self] in
      integrations.open()
      library.open()
    }
    sessions.integration = { [unowned(unsafe) self] in integrations.kind(ofGroup: $0) }
    integrations.socket = { [unowned(unsafe) self] in sessions.socketPath }
    commands.furtherStatus = { [unowned(unsafe) self] in
      integrations.statusTexts.map { Field($0.name, $0.text) }
        + (library.statusText.map { [Field("library", $0)] } ?? [])
        + (library.isUpdating ? [Field("library-updating", true)] : [])
        + tags.fields + limits.fields + sources.fields
        + clock.fields + (configuration.skipped.map { [Field("configuration", $0)] } ?? [])
        + (configuration.cardTrouble.map { [Field("card", $0)] } ?? [])
        + (trouble.text.map { [Field("not-saved", $0)] } ?? [])
    }
    commands.clockNote = { [unowned(unsafe) self] in clock.note }
    status.streamRetryDue = { [unowned(unsafe) self] in fallback.retryDue }
    status.powerOns = { [unowned(unsafe) self] in powerOns.count }
    status.sessionCount = { [unowned(unsafe) self] in sessions.count }
  }

  private func connectLimits() {
    checkpoints.waitsForPlay = { [unowned(unsafe) self] in limits.limit != nil }
    limits.isRinging = { [unowned(unsafe) self] in alarms.isRinging }
    commands.limits = { [unowned(unsafe) self] in limits.refusal(of: $0, from: $1, endsAlarm: $2) }
    commands.answerLimits = { [unowned(unsafe) self] in limits.perform($0) }
  }

  private func connectSources() {
    controls.onSources = { [unowned(unsafe) self] in sources.adopt($0) }
    sources.isBarred = { [unowned(unsafe) self] in limits.limit != nil || alarms.isRinging }
    commands.sources = { [unowned(unsafe) self] in sources.perform($0) }
  }

  private func connectPlaylists() {
    playlists.find = { [unowned(unsafe) self] in media.find([$0], until: $1, then: $2) }
    playlists.describe = { [unowned(unsafe) self] in library.describe($0, until: $1, then: $2) }
    media.playlist = { [unowned(unsafe) self] in playlists.tracks(of: $0, then: $1) }
    commands.playlists = { [unowned(unsafe) self] in playlists.perform($0, until: $1, then: $2) }
    commands.queue.describe = { [unowned(unsafe) self] in library.describe($0, until: $1, then: $2) }
    commands.stickers = { [unowned(unsafe) self] in stickers.perform($0, then: $1) }
    commands.playlistPaths = { [unowned(unsafe) self] in playlists.paths(beginning: $0) }
  }

  private func connectTags() {
    tags.perform = { [unowned(unsafe) self] command, beginning, answer in
      commands.performFromTag(command, at: beginning, then: answer)
    }
    tags.command = { [unowned(unsafe) self] in commands.performFromButton($0) }
    tags.playedName = { [unowned(unsafe) self] in
      guard !outputs.player.queue.isEmpty else { return nil }
      return commands.playedName ?? outputs.player.machine.state.heardTrack?.path
    }
    commands.tags = { [unowned(unsafe) self] command, answer in tags.perform(command, then: answer) }
    commands.queue.onReplace = { [unowned(unsafe) self] beginning in
      tags.places.leave()
      tags.places.begin(at: beginning)
    }
  }

  private func setUp(_ playback: Playback) {
    flight.record(playback)
    playback.player.startPosition = { [unowned(unsafe) self, unowned(unsafe) playback] in
      (tags.places.position(of: $0) ?? bookmarks.position(of: $0)).map {
        playback.player.machine.settings.rate.frames($0)
      }
    }
    playback.player.retriesRefusals = true
    storage.attach(to: playback.player)
    announcements.attach(to: playback.player)
    sources.attach(to: playback.player)
    volume.limit()
    cues.adopt()
  }
}
