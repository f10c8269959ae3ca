// What the box tells about itself: status, statistics, history, and whoever watches. Control thread.

import Checkpoints
import Console
import Controls
import PlaybackModel
import Platform
import Player
import RealtimeAudio
import Synchronization

extension Box {
  /// The facts a person or a display wants.
  var status: [Field] {
    player.refresh()
    let state = player.machine.state
    let rate = player.machine.settings.rate
    var fields = [Field("state", state.kind.name), Field("text", state.statusText)]
    // In a fade the one that comes: its position is told, and `seek` and `previous` mean it.
    if let track = state.heardTrack {
      fields.append(Field("title", track.displayName))
      if let artist = track.artist { fields.append(Field("artist", artist)) }
      if let album = track.album { fields.append(Field("album", album)) }
      fields.append(Field("path", track.path))
      fields.append(Field("position", .decimal(rate.seconds(player.position).value, decimals: 3)))
      if let length = track.length {
        fields.append(Field("length", .decimal(rate.seconds(length).value, decimals: 3)))
      }
    }
    if let fade = state.fadeProgress {
      if let former = state.currentTrack { fields.append(Field("fading-out", former.displayName)) }
      fields.append(
        Field("fade", .decimal(Double(fade.index.count) / Double(max(fade.length.count, 1)), decimals: 3)))
    }
    if state.fadeProgress == nil, let next = state.nextTrack {
      fields.append(Field("next", next.displayName))
    }
    fields.append(Field("volume", Int(player.volume.percent.rounded())))
    fields.append(Field("queue", player.queue.count))
    if let index = player.queue.currentIndex { fields.append(Field("queue-position", index + 1)) }
    fields.append(Field("repeat", player.queue.repeatMode.name))
    fields.append(Field("shuffle", player.queue.isShuffled))
    if let rest = sleepRest { fields.append(Field("sleep-seconds", Int(rest / 1_000_000_000))) }
    if let offered { fields.append(Field("storage-offered", offered)) }
    fields.append(Field("output", playback.summary + again(outputRetry)))
    fields.append(Field("light", state.indicator.text))
    if isSafeStart { fields.append(Field("safe-start", true)) }
    for problem in controlProblems { fields.append(Field("control-missing", problem)) }
    if let error = player.machine.lastError {
      fields.append(Field("last-error", error.error.sentence + again(player.retryDue)))
    }
    fields.append(Field("checkpoint", checkpointText + again(checkpoints?.retryAt)))
    for (name, due) in [
      ("output", outputRetry), ("track", player.retryDue), ("checkpoint", checkpoints?.retryAt),
    ] {
      if let due { fields.append(Field(name + "-retry-seconds", seconds(until: due))) }
    }
    return fields
  }

  /// When a lost output is looked for again; nil while there is one.
  private var outputRetry: UInt64? {
    playback.missing != nil || player.machine.outputIsLost ? finderTimer.deadline : nil
  }

  private func seconds(until due: UInt64) -> Int {
    let now = scheduler.now
    return due > now ? Int((due - now + 999_999_999) / 1_000_000_000) : 0
  }

  private func again(_ due: UInt64?) -> String {
    due.map { "; trying again in \(seconds(until: $0)) s" } ?? ""
  }

  private var checkpointText: String {
    guard let checkpoints else { return "off" }
    return checkpoints.status.sentence(at: scheduler.now)
  }

  /// Counters since the start.
  var stats: [Field] {
    let link = playback.audio.link
    let history = player.machine.history
    let checkpoint = checkpoints?.status
    let figures = machine.processFigures
    return [
      Field("uptime", .decimal(Double(scheduler.now - started) / 1e9, decimals: 1)),
      Field("xruns", link.counters.underruns.load(ordering: .relaxed)),
      Field("rewinds", link.counters.rewinds.load(ordering: .relaxed)),
      Field("audio-turns", link.counters.turns.load(ordering: .relaxed)),
      Field("output-losses", link.counters.losses.load(ordering: .relaxed)),
      Field("buffer", link.isShallow ? "short" : "as opened"),
      Field("failed-tracks", failures),
      Field("worker-crashes", crashes),
      Field("worker-restarts", trackRetries + player.trackRetries),
      Field("transitions", Int(history.total)),
      Field("rejected", Int(history.rejected)),
      Field("checkpoints", Int(checkpoint?.checkpoints ?? 0)),
      Field("checkpoint-bytes", Int(checkpoint?.bytes ?? 0)),
      Field("wake-ups", figures.wakeUps),
      Field("sessions", sessions.count + (serial?.session == nil ? 0 : 1)),
      Field("memory-kib", figures.memory),
    ]
  }

  /// How quickly commands are heard, as bars of text.
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

  /// The last transitions, oldest first.
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
      rows.append(
        Row(
          "[\(seconds)] \(entry.from.kind.name) + \(entry.event.kind.name) -> \(entry.to.kind.name)\(verdict)",
          [
            Field("from", entry.from.kind.name), Field("event", entry.event.kind.name),
            Field("to", entry.to.kind.name), Field("rejected", entry.verdict.isRejected),
          ]))
    }
    return .ok(Answer(rows: rows))
  }

  // MARK: Watching

  private var isWatched: Bool {
    if serial?.session?.isWatching == true { return true }
    for session in sessions where session.isWatching { return true }
    return false
  }

  func watchersDidChange() { watchSoon() }

  /// Shows those who watch what has changed, ten times a second at most and only while somebody does.
  func watchSoon() {
    guard !watchTimer.isRunning, isWatched else { return }
    watchTimer.start(after: 100_000_000) { [unowned(unsafe) self] in
      guard isWatched else { return }
      player.refresh()
      let state = player.machine.state
      let position = player.machine.settings.rate.seconds(player.position).value
      let line =
        state.statusText + " " + Decimal.format(position, decimals: 1) + " s, volume "
        + String(Int(player.volume.percent.rounded())) + " %"
      if line != lastWatched {
        lastWatched = line
        let notice = Notice(
          "watch", line,
          [
            Field("state", state.kind.name), Field("text", state.statusText),
            Field("position", .decimal(position, decimals: 1)),
            Field("volume", Int(player.volume.percent.rounded())),
            Field("light", state.indicator.text),
          ])
        for session in sessions where session.isWatching { session.show(notice) }
        if let session = serial?.session, session.isWatching { session.show(notice) }
      }
      if state.isActive { watchSoon() }
    }
  }

  /// Shows a line of the log on the consoles where people type.
  func show(_ line: LogLine) {
    if let session = serial?.session, session.showsLog { session.show(Notice("log", log.text(of: line))) }
  }

  func didEnd(_ session: Session) {
    // It may be in the middle of reading.
    endedSessions.append(session)
    farewellTimer.start(after: 0) { [unowned(unsafe) self] in endedSessions = [] }
    if serial?.session === session {
      serial?.didEnd()
    } else {
      sessions.removeAll { $0 === session }
    }
  }
}
