// One run of `swiftlet play`: connects output, player, keys, script and status line in one event loop. Main thread.

import Console
import Outputs
import PlaybackModel
import Platform
import Player
import RealtimeAudio
import SwiftletEngine

/// Plays until the queue ends or the user quits.
final class PlaySession: PlayerObserver {
  private let options: PlayOptions
  private let signals: PlaySignals
  private let engine: Engine
  private let line: LiveLine
  private let log: StateLog?
  private let terminal: Terminal?
  private var runner: ScriptRunner?
  private var end = PlayEnd()
  /// Frame at which a recording ends.
  private let lastFrame: Int64
  /// Nanoseconds for the fade-out at the end, and for the output to play it.
  private static let softEnd: UInt64 = 300_000_000
  private let refresh: DeadlineTimer

  /// Creates the engine on an open output and connects log, script and status line.
  ///
  /// - Throws: `SystemError` if the engine or the events file cannot be created.
  init(
    _ options: PlayOptions, tracks: [Track], output: OutputChoice, script: Script?, signals: PlaySignals
  ) throws(SystemError) {
    self.options = options
    self.signals = signals
    var engineOptions = EngineOptions()
    engineOptions.isStrict = options.isStrict
    engine = try Engine(
      output.opened, options: engineOptions, settings: options.settings, early: output.early)
    let rate = output.opened.device.rate
    lastFrame =
      !output.isRecording
      ? .max : min(rate.frames(options.longest).count, WAVFile.maxFrames(output.opened.device.format))
    line = LiveLine(rate: rate)
    log = try options.events.map { path throws(SystemError) in try StateLog(path) }
    terminal = Terminal()
    refresh = DeadlineTimer(engine.events)
    if let notice = output.notice { line.note(notice) }
    line.note(engine.outputSummary)
    if let grant = engine.host.grant { line.note("Audio thread: " + grant.description + ".") }
    fillQueue(tracks)
    if let volume = options.volume { player.setVolume(Volume(volume)) }
    if let script { runner = ScriptRunner(script, player: player, rate: rate) }
  }

  private var player: Player { engine.player }

  private func fillQueue(_ tracks: [Track]) {
    for track in tracks {
      do throws(QueueError) {
        try player.queue.add(track)
      } catch {
        line.note("swiftlet: " + error.sentence)
        break
      }
    }
  }

  /// Plays until the end.
  ///
  /// - Returns: Exit status.
  /// - Throws: `SystemError` if descriptors cannot be watched.
  func run() throws(SystemError) -> Int32 {
    let events = engine.events
    _ = try events.add(readable: signals.termination.descriptor) { [self] in
      guard let signal = signals.termination.take() else { return }
      interrupt(128 + signal)
    }
    // If standard output is a pipe, end when its reader does.
    if let pipe = TextOutput.standardOutput.pipe {
      _ = try events.add(changing: pipe) { [self] in
        end.isOver = true
        end.status = 141
      }
    }
    if let terminal {
      _ = try events.add(readable: terminal.descriptor) { [self] in takeKeys() }
      _ = try events.add(readable: signals.continuation.descriptor) { [self] in
        signals.continuation.clear()
        terminal.resume()
        line.show(player, link: engine.host.link)
      }
    }
    engine.observer = self
    engine.onReports = { [self] in refreshSoon() }
    engine.context.hasScript = { [self] in runner?.isPending ?? false }
    engine.context.isListening = { [self] in terminal != nil }
    engine.context.limit = { [self] in min(runner?.limit ?? .max, lastFrameIfNear) }
    player.onLimit = { [self] frame in reach(frame) }
    runner?.onCommand = { [self] line, frame in give(line.command, line.text, at: frame) }
    runner?.onLimit = { [self] in engine.setLimit() }
    engine.setLimit()
    player.start(at: options.startAt)
    runner?.beginIfReady()
    refreshSoon()
    while !end.isOver, !engine.isAtRest { engine.turn(waits: true) }
    line.show(player, link: engine.host.link)
    line.end()
    // Read the status before the engine releases its tracks.
    let status = status
    engine.end()
    terminal?.restore()
    if let failure = engine.recordingFailure {
      line.note("swiftlet play: " + failure.description)
      return 3
    }
    return status
  }

  /// Distance in frames from the end at which the limit takes effect. Applying it earlier would change the length of
  /// the last chunk of recordings that end before.
  private static let nearFrames: Int64 = 65_536

  private var lastFrameIfNear: Int64 {
    engine.host.frame.count >= lastFrame - Self.nearFrames ? lastFrame : .max
  }

  /// Called when rendering has reached a frame: runs due script commands, and ends a recording at its limit.
  private func reach(_ frame: Frames) {
    guard frame.count >= lastFrame else {
      runner?.reached(frame)
      return
    }
    guard !end.isOver else { return }
    let length = Decimal.clock(seconds: player.machine.settings.rate.seconds(frame).value)
    line.note("swiftlet play: the recording ends at \(length), its limit; --limit sets another one")
    end.status = 1
    end.isOver = true
  }

  /// Ends playback: with a short fade-out on a sound card, or at once if called again.
  ///
  /// - Parameter status: Exit status; nil: derived from failed tracks.
  private func interrupt(_ status: Int32?) {
    guard !end.isOver, !end.hasBegun, engine.host.isPaced, player.machine.state.isActive else {
      end.status = status
      end.isOver = true
      return
    }
    end.hasBegun = true
    end.status = status
    player.handle(.pause)
    _ = engine.events.after(Self.softEnd) { [self] in end.isOver = true }
  }

  private var status: Int32 {
    if let status = end.status { return status }
    // A track that is retried counts as failed only after its last retry.
    let failed = player.failedTracks - player.trackRetries
    if failed <= 0 { return 0 }
    return failed >= player.queue.count ? 2 : 1
  }

  // MARK: Player observer

  func playerDidChange(_ player: Player) {
    log?.write(player, frame: player.timelineFrame)
    runner?.beginIfReady()
    line.show(player, link: engine.host.link)
  }

  func player(_ player: Player, reports error: PlaybackError) {
    // The cause of a failed recording is reported at the end; unlike a sound card, its file does not come back.
    guard options.output == nil || error.kind != .outputUnavailable else { return }
    line.note("swiftlet: " + error.sentence + " " + error.remedy)
  }

  func player(_ player: Player, heard title: String, of track: Track) {
    line.note(track.displayName + ": " + title)
  }

  func player(_ player: Player, missed time: Seconds, of track: Track) {
    line.note(
      track.displayName + " continues; " + Decimal.gap(seconds: time.value) + " of it is missing")
  }

  func player(_ player: Player, notes note: PlayerNote) {
    // A recording has no sound device; its failure is reported at the end.
    guard options.output == nil || note.kind != .device else { return }
    line.note("swiftlet: " + note.text)
  }

  /// Redraws the status line five times per second during playback or while a retry is pending.
  private func refreshSoon() {
    guard !refresh.isRunning, TextOutput.standardOutput.isTerminal,
      player.machine.state.isActive || player.retryDue != nil
    else { return }
    refresh.start(after: 200_000_000) { [unowned(unsafe) self] in
      line.show(player, link: engine.host.link)
      refreshSoon()
    }
  }

  // MARK: Keys

  private func takeKeys() {
    guard let keys = terminal?.takeKeys() else {
      end.isOver = true
      return
    }
    for key in keys { press(key) }
    line.show(player, link: engine.host.link)
    refreshSoon()
  }

  private func press(_ key: Key) {
    if key == .character(UInt8(ascii: "?")) {
      for text in PlayOptions.keys.split(separator: "\n") { line.note(String(text)) }
    }
    for text in PlayKeys.lines(key, fadeLength: player.machine.settings.automaticFadeLength) { type(text) }
  }

  /// Runs the command line bound to a key.
  private func type(_ line: String) {
    guard let command = try? Interpreter.parse(line) else { preconditionFailure("no command: \(line)") }
    give(command, line, at: player.timelineFrame)
  }

  private func give(_ command: Command, _ text: String, at frame: Frames) {
    log?.write(command: text, frame: frame)
    if command == .exit {
      runner?.end()
      interrupt(nil)
    } else {
      _ = engine.commands.perform(command)
    }
  }
}

/// How the run ends.
private struct PlayEnd {
  /// Whether the event loop should stop.
  var isOver = false
  /// Whether the final fade-out has begun.
  var hasBegun = false
  /// Exit status of an interrupted run; nil: derived from failed tracks.
  var status: Int32?
}
