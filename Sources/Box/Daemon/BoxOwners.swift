// Object graph of the daemon: creates one controller per feature. Control thread; never
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

/// The daemon's controllers and stores.
final class BoxOwners {
  let lifecycle: LifecycleController
  let log: Log
  // Event listeners run in creation order, so the order of the assignments in `init` matters.
  let feed: EventFeed
  let configuration: ConfigurationStore
  let outputs: OutputController
  let volume: VolumeController
  let sleep: SleepController
  let cues: CueController
  let clock: WallClockWatch
  let ringer: AlarmRinger
  let alarms: AlarmController
  let tags: TagController
  let playlists: PlaylistBook
  let stickers: StickerController
  let powerOns: PowerOnCounter
  let limits: LimitController
  let checkpoints: CheckpointController
  let bookmarks: BookmarkController
  let media: MediaController
  let announcements: AnnouncementController
  let fallback: FallbackController
  let sources: SourceController
  let controls: ControlsController
  let storage: RemovableStorageController
  let library: LibraryController
  let pictures: PictureController
  let waits: StorageWaitController
  let sessions: SessionController
  let integrations: IntegrationController
  let status: StatusReporter
  let flight: FlightController
  let playerFeatures: PlayerFeatures
  let commands: CommandController
  let watchdog: ServiceWatchdog
  private let entry = CommandEntry()
  private let errorLog: ErrorLog

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
    let outputs = OutputController(
      configuration, on: machine, isStrict: options.isStrict, feed: feed, log: log)
    self.outputs = outputs
    volume = VolumeController(configuration, on: machine, feed: feed, log: log) { outputs.openedPlayer }
    sleep = SleepController(
      scheduler, feed: feed, log: log, player: { outputs.openedPlayer },
      onFire: { outputs.player.handle(.sleepTimerFired) })
    cues = CueController(configuration, outputs, volume, feed: feed, log: log)
    let trouble = StoreTrouble(outputs, cues)
    clock = WallClockWatch(machine, feed: feed, log: log)
    ringer = AlarmRinger(
      configuration, outputs, AlarmVolume(configuration, volume, scheduler: scheduler, feed: feed), cues,
      entry,
      scheduler: scheduler, feed: feed, log: log)
    // One background worker for all state files: they are in the same directory, hence on the same storage.
    let keeping = try machine.backgroundWorker()
    alarms = AlarmController(
      configuration, outputs, sleep, ringer, on: machine, worker: keeping, feed: feed, log: log)
    let places = TagPlaces(
      configuration, outputs, PersistentFile(on: machine, worker: keeping), feed: feed)
    tags = TagController(configuration, places, cues, entry, scheduler: scheduler, feed: feed, log: log)
    playlists = PlaylistBook(
      configuration, PersistentFile(on: machine, worker: keeping), scheduler: scheduler, log: log)
    stickers = StickerController(
      configuration, PersistentFile(on: machine, worker: keeping), scheduler: scheduler, feed: feed, log: log)
    for file in [alarms.stored, places.book, playlists.stored, stickers.stored] as [any StoredState] {
      file.trouble = trouble
    }
    powerOns = PowerOnCounter(
      configuration, PersistentFile(on: machine, worker: keeping), scheduler: scheduler, log: log)
    limits = LimitController(
      configuration, outputs, cues, alarms, on: machine, worker: keeping, feed: feed, log: log)
    checkpoints = CheckpointController(
      lifecycle, configuration, outputs, volume, sleep, limits, on: machine, worker: keeping, feed: feed,
      flight: recorder, log: log)
    bookmarks = BookmarkController(configuration, outputs, on: machine, worker: keeping, feed: feed, log: log)
    media = MediaController(configuration, playlists, on: machine) { isOK, took in
      recorder.note(.looking, isOK: isOK, took: took)
    }
    announcements = AnnouncementController(
      outputs, volume, media, scheduler: scheduler, feed: feed, log: log)
    fallback = FallbackController(
      configuration, outputs, media, scheduler: scheduler, feed: feed, log: log)
    sources = SourceController(outputs, limits, alarms, on: machine, feed: feed, log: log)
    controls = ControlsController(
      configuration, outputs, tags, sources, entry, on: machine, feed: feed, flight: recorder, log: log)
    storage = RemovableStorageController(
      configuration, outputs, media, cues, entry, on: machine, feed: feed, log: log)
    library = LibraryController(configuration, outputs, storage, on: machine, feed: feed, log: log)
    pictures = PictureController(configuration, on: machine, feed: feed)
    waits = StorageWaitController(
      configuration, outputs, media, checkpoints, cues, on: machine, feed: feed, log: log)
    let processes = IntegrationProcesses(on: machine, log: log)
    sessions = SessionController(
      configuration, entry, processes, PositionTicker(outputs, volume, scheduler: scheduler), on: machine,
      feed: feed, log: log, socketOfUser: options.socketOfUser)
    integrations = IntegrationController(configuration, sessions, processes, feed: feed, log: log)
    status = StatusReporter(
      configuration, outputs, volume, sleep, alarms, checkpoints, storage, controls, fallback, waits,
      powerOns, sessions, entry,
      and: [integrations, library, tags, limits, sources, clock, configuration, trouble], on: machine,
      feed: feed)
    flight = FlightController(recorder, outputs, scheduler: scheduler, feed: feed)
    playerFeatures = PlayerFeatures(
      flight, places, bookmarks, storage, announcements, sources, volume, cues, checkpoints, waits, trouble,
      controls)
    let queue = QueueController(configuration, outputs, places, library, scheduler)
    commands = CommandController(
      CommandFeatures(
        alarms: alarms, announcements: announcements, bookmarks: bookmarks, checkpoints: checkpoints,
        configuration: configuration, controls: controls, cues: cues, library: library, limits: limits,
        media: media, pictures: pictures,
        playback: PlaybackController(
          lifecycle, outputs, queue, media, storage, checkpoints, places, log: log),
        playlistBook: playlists,
        playlists: PlaylistController(
          configuration, outputs, playlists, media, library, on: machine, feed: feed),
        queue: queue,
        reports: ReportWriter(
          configuration, status, recorder, on: machine, log: log, version: options.version),
        sleep: sleep, sources: sources, status: status, stickers: stickers, storage: storage, tags: tags,
        volume: volume),
      lifecycle, outputs, clock, flight: recorder, scheduler: scheduler, log: log)
    watchdog = ServiceWatchdog(machine)
    errorLog = ErrorLog(log, feed)
    entry.connect(commands)
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
}
