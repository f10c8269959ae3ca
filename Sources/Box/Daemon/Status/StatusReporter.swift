// Builds the replies to `status`, `current`, `stats` and `history`. Control thread.

import Checkpoints
import Console
import Controls
import PlaybackModel
import Platform
import Player
import RealtimeAudio
import SwiftletEngine
import Synchronization

/// Collects the daemon's state into reply fields.
final class StatusReporter {
  /// Whether the daemon was started with defaults by the safe-start button.
  var isSafeStart = false

  /// Number of tracks that failed since the start, and those whose worker process crashed, hung or violated its
  /// sandbox.
  private var failures = (all: 0, ofWorkers: 0)
  private let started: UInt64
  private let configuration: ConfigurationStore
  private let outputs: OutputController
  private let volume: VolumeController
  private let sleep: SleepController
  private let alarms: AlarmController
  private let checkpoints: CheckpointController
  private let storage: RemovableStorageController
  private let controls: ControlsController
  private let fallback: FallbackController
  private let waits: StorageWaitController
  private let powerOns: PowerOnCounter
  private let sessions: SessionController
  private let commands: CommandEntry
  private let sources: [any StatusSource]
  private let machine: any Machine
  private var subscription: EventSubscription?

  init(
    _ configuration: ConfigurationStore, _ outputs: OutputController, _ volume: VolumeController,
    _ sleep: SleepController,
    _ alarms: AlarmController, _ checkpoints: CheckpointController, _ storage: RemovableStorageController,
    _ controls: ControlsController, _ fallback: FallbackController, _ waits: StorageWaitController,
    _ powerOns: PowerOnCounter, _ sessions: SessionController, _ commands: CommandEntry,
    and sources: [any StatusSource], on machine: any Machine, feed: EventFeed
  ) {
    self.configuration = configuration
    self.outputs = outputs
    self.volume = volume
    self.sleep = sleep
    self.alarms = alarms
    self.checkpoints = checkpoints
    self.storage = storage
    self.controls = controls
    self.fallback = fallback
    self.waits = waits
    self.powerOns = powerOns
    self.sessions = sessions
    self.commands = commands
    self.sources = sources
    self.machine = machine
    started = machine.scheduler.now
    subscription = feed.listen { [unowned(unsafe) self] stamped in
      if case .error(let error) = stamped.event { count(error) }
    }
  }

  private var player: Player { outputs.player }
  private var now: UInt64 { machine.scheduler.now }

  private func count(_ error: PlaybackError) {
    failures.all += 1
    switch error.kind {
    case .decoderCrashed, .decoderHung, .decoderBrokeSandbox: failures.ofWorkers += 1
    default: break
    }
  }

  /// Fields of `status` with those of the features.
  var allFields: [Field] { status + sources.flatMap { $0.statusFields } }

  /// Fields of `status`, without those of the features.
  var status: [Field] {
    player.refresh()
    let state = player.machine.state
    let silent = waits.silent.joined(separator: ", ")
    var fields = [Field("state", state.kind.name), Field("text", state.statusText)]
    if player.hasPlayedOut { fields.append(Field("ended", true)) }
    if player.showsLoading { fields.append(Field("loading", true)) }
    if let station = player.silentStation { fields.append(Field("fallback-for", station.displayName)) }
    if !silent.isEmpty { fields.append(Field("waiting-for-storage", silent)) }
    let heard = heardTrack(state)
    if let track = heard {
      fields += titleFields(of: track)
      if let artist = track.artist { fields.append(Field("artist", artist)) }
      if let album = track.album { fields.append(Field("album", album)) }
      fields.append(Field("path", track.path))
      fields.append(Field("position", time(player.position)))
      if let length = track.length { fields.append(Field("length", time(length))) }
      if let kilobits = player.kilobitsPerSecond { fields.append(Field("bitrate", kilobits)) }
      if let behind = player.behindLive {
        fields.append(Field("behind-live", .decimal(behind.value, decimals: 1)))
      }
      if let reason = player.interruption { fields.append(Field("stream-interrupted", reason)) }
      if let buffered = player.bufferedPosition { fields.append(Field("buffered", time(buffered))) }
      if let bytes = player.bufferedBytes { fields.append(Field("buffered-bytes", Int(clamping: bytes))) }
    }
    fields += fadeFields(state)
    fields.append(Field("volume", volume.percent))
    if let speaker = SpeakerReport.summary(of: player.correction, rate: player.machine.settings.rate) {
      fields.append(Field("speaker", speaker))
    }
    fields.append(Field("queue", player.queue.count))
    fields.append(Field("queue-version", Int(clamping: player.queue.revision)))
    if let index = player.queue.currentIndex { fields.append(Field("queue-position", index + 1)) }
    // The fallback's tracks are not in the queue, which stays at the station.
    if let id = (player.silentStation == nil ? heard?.id : nil) ?? player.queue.current?.id {
      fields.append(Field("queue-id", Int(clamping: id)))
    }
    fields.append(Field("repeat", player.queue.repeatMode.name))
    fields.append(Field("shuffle", player.queue.isShuffled))
    if let rest = sleep.rest { fields.append(Field("sleep-seconds", Int(rest / 1_000_000_000))) }
    if let point = sleep.stopPoint { fields.append(Field("sleep-after", point.name)) }
    let alarm = alarms.facts
    if case .quiet = alarm.state {} else { fields.append(Field("alarm", alarm.state.text)) }
    if let next = alarm.next { fields.append(Field("next-alarm", next)) }
    fields += announcementFields
    if let offered = storage.offered { fields.append(Field("storage-offered", offered)) }
    fields.append(Field("rate", player.machine.settings.rate.hertz))
    fields.append(Field("output", outputs.playback.summary + again(outputs.retryDue)))
    fields.append(Field("light", outputs.indicator(of: state).text))
    if isSafeStart { fields.append(Field("safe-start", true)) }
    for problem in controls.problems { fields.append(Field("control-missing", problem)) }
    let trackRetryDue = player.retryDue ?? fallback.retryDue
    if let error = player.machine.lastError {
      let words = player.isNextTrackDue ? "trying the next one" : "trying again"
      fields.append(Field("last-error", error.error.sentence + again(trackRetryDue, words)))
      fields.append(
        Field("last-error-seconds-ago", Int((now - min(error.time, now)) / 1_000_000_000))
      )
    }
    if let count = player.failedInARow { fields.append(Field("failed-in-a-row", count)) }
    if let window = updateWindow(state) { fields.append(Field("updates", window.text)) }
    if let result = machine.updateResult { fields.append(Field("update-result", result)) }
    fields.append(Field("active", state.isActive))
    fields.append(Field("actions", actions))
    fields.append(Field("checkpoint", checkpointText + again(checkpoints.retryDue)))
    for (name, due) in [
      ("output", outputs.retryDue), ("track", trackRetryDue), ("stream", player.stationRetryDue),
      ("checkpoint", checkpoints.retryDue),
    ] {
      if let due {
        fields.append(Field(name + "-retry-seconds", DeadlineTimer.seconds(until: due, from: now)))
      }
    }
    return fields
  }

  /// Update window; nil if automatic updates are off.
  private func updateWindow(_ state: PlayerState) -> UpdateWindow? {
    UpdateWindow(
      configuration.settings, atMinute: machine.minuteOfDay,
      isPlaying: state.isActive || player.soundsBesides, alarm: alarms.minutesToAlarm)
  }

  /// Playback commands that would be accepted now, separated by spaces.
  private var actions: String {
    PlayerAction.allCases.filter { commands.accepts($0.command) }.map { $0.name }.joined(separator: " ")
  }

  /// Reply to `current`: the audible track.
  var current: Reply {
    player.refresh()
    let state = player.machine.state
    guard let track = heardTrack(state) else { return .failed("nothing is playing; 'play' begins") }
    var fields = [Field("state", state.kind.name)] + titleFields(of: track)
    if let artist = track.artist { fields.append(Field("artist", artist)) }
    if let album = track.album { fields.append(Field("album", album)) }
    fields += [Field("path", track.path), Field("position", time(player.position))]
    if let length = track.length { fields.append(Field("length", time(length))) }
    if let index = player.queue.currentIndex { fields.append(Field("queue-position", index + 1)) }
    return .ok(Answer(fields: fields))
  }

  /// The audible track; nil also after the last track has been removed from the queue.
  private func heardTrack(_ state: PlayerState) -> Track? {
    if case .finished = state.kind, player.queue.tracks.isEmpty { return nil }
    return state.heardTrack
  }

  /// Title fields: the announced title and the station for streams, or else the track's title.
  private func titleFields(of track: Track) -> [Field] {
    guard let title = player.soundingTitle else { return [Field("title", track.displayName)] }
    return [Field("title", title), Field("station", track.displayName)]
  }

  private func time(_ frames: Frames) -> FieldValue {
    .decimal(player.machine.settings.rate.seconds(frames).value, decimals: 3)
  }

  /// Fields of a running fade, or of the next track. The fields `title` and `position` refer to the incoming track.
  private func fadeFields(_ state: PlayerState) -> [Field] {
    guard let progress = state.fadeProgress, let outgoing = state.currentTrack else {
      return state.nextTrack.map { [Field("next", $0.displayName)] } ?? []
    }
    var fields = [
      Field("outgoing", outgoing.displayName), Field("outgoing-position", time(player.moment().current)),
      Field(
        "fade", .decimal(Double(progress.index.count) / Double(max(progress.length.count, 1)), decimals: 3)),
      Field("can-quick-finish", player.machine.canQuickFinish),
    ]
    if state.kind == .crossfadePaused, let strategy = player.machine.resumeStrategy {
      fields.append(Field("resumes", strategy.name))
    }
    return fields
  }

  /// Fields of announcements: the current one, the number waiting, and the last error.
  private var announcementFields: [Field] {
    let line = player.announcements
    var fields: [Field] = []
    if let first = line.first { fields.append(Field("announcement", first.track.displayName)) }
    if line.count > 1 { fields.append(Field("announcements-waiting", line.count - 1)) }
    if let error = player.announcementError { fields.append(Field("announcement-error", error.sentence)) }
    return fields
  }

  private func again(_ due: UInt64?, _ words: String = "trying again") -> String {
    due.map { "; \(words) in \(DeadlineTimer.seconds(until: $0, from: now)) s" } ?? ""
  }

  private var checkpointText: String {
    checkpoints.status?.sentence(at: now) ?? "off"
  }

  /// Reply to `stats`: counters since the start.
  var stats: [Field] {
    let link = outputs.playback.audio.link
    let history = player.machine.history
    let checkpoint = checkpoints.status
    let figures = machine.processFigures
    return [
      Field("uptime", .decimal(Double(now - started) / 1e9, decimals: 1))
    ] + (powerOns.count.map { [Field("power-ons", $0)] } ?? []) + [
      Field("xruns", link.counters.underruns.load(ordering: .relaxed)),
      Field("rewinds", link.counters.rewinds.load(ordering: .relaxed)),
      Field("audio-turns", link.counters.turns.load(ordering: .relaxed)),
      Field("output-losses", link.counters.losses.load(ordering: .relaxed)),
      Field("buffer", link.isShallow ? "short" : "as opened"),
      Field("failed-tracks", failures.all),
      Field("worker-crashes", failures.ofWorkers),
      Field("worker-restarts", outputs.formerRetries + player.trackRetries + player.decoderRestarts),
      Field("transitions", Int(history.total)),
      Field("rejected", Int(history.rejected)),
      Field("checkpoints", Int(checkpoint?.checkpoints ?? 0)),
      Field("checkpoint-bytes", Int(checkpoint?.bytes ?? 0)),
      Field("wake-ups", figures.wakeUps),
      Field("sessions", sessions.count),
      Field("memory-kib", figures.memory),
    ]
  }

  /// Histogram of the latency from command to sound, as text bars.
  var latencyRows: [Row] {
    let latency = player.latency
    guard latency.counts.contains(where: { $0 > 0 }) else { return [] }
    let most = latency.counts.max() ?? 1
    var rows = [Row("command to sound, worst " + Decimal.format(latency.worst, decimals: 1) + " ms:")]
    for (i, count) in latency.counts.enumerated() {
      let isLast = i == CommandLatency.bounds.count
      let bound = CommandLatency.bounds[isLast ? i - 1 : i]
      let name = (isLast ? "> " : "<= ") + String(bound) + " ms"
      let bar = String(repeating: "#", count: (count * 40 + most - 1) / most)
      let padding = String(repeating: " ", count: max(0, 10 - name.utf8.count))
      rows.append(
        Row(
          padding + name + " " + bar + (count > 0 ? " " + String(count) : ""),
          [Field("at-most", isLast ? .none : .integer(bound)), Field("count", count)]))
    }
    return rows
  }

  /// Reply to `history`: the latest state transitions, oldest first.
  func history(_ count: Int) -> Reply {
    let history = player.machine.history
    var rows: [Row] = []
    for index in max(0, history.count - max(0, count))..<history.count {
      let entry = history[index]
      let seconds = Decimal.format(Double(entry.time > started ? entry.time - started : 0) / 1e9, decimals: 3)
      let verdict =
        switch entry.verdict {
        case .changed: ""
        case .unchanged: " (unchanged)"
        case .rejected: " (rejected)"
        }
      // Title of the track that became audible.
      var title = ""
      if let track = entry.to.heardTrack, track.id != entry.from.heardTrack?.id {
        title = ": " + track.displayName
      }
      rows.append(
        Row(
          "[\(seconds)] \(entry.from.kind.name) + \(entry.event.kind.name) -> \(entry.to.kind.name)\(verdict)\(title)",
          [
            Field(
              "seconds", .decimal(Double(entry.time > started ? entry.time - started : 0) / 1e9, decimals: 3)),
            Field("from", entry.from.kind.name), Field("event", entry.event.kind.name),
            Field("to", entry.to.kind.name), Field("rejected", entry.verdict.isRejected),
            Field("title", entry.to.heardTrack.map { .text($0.displayName) } ?? .none),
          ]))
    }
    return .ok(Answer(rows: rows))
  }
}
