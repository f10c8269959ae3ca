// One run of `swiftlet play`: output, player, keys, script and the live line around one event loop.
// Main thread.

import Console
import Outputs
import PlaybackModel
import Platform
import Player
import RealtimeAudio
import SwiftletEngine

/// Plays until the queue ends or the listener quits.
final class PlaySession: PlayerObserver {
  private let options: PlayOptions
  private let engine: Engine
  private let line: LiveLine
  private let log: StateLog?
  private let terminal: Terminal?
  private var runner: ScriptRunner?
  private var isOver = false
  private let refresh: DeadlineTimer

  /// An engine on an open output, with everything that listens to it and speaks to it.
  init(_ options: PlayOptions, tracks: [Track], output: OutputChoice, script: Script?) throws(SystemError) {
    self.options = options
    var engineOptions = EngineOptions()
    engineOptions.isStrict = options.isStrict
    engine = try Engine(
      output.opened, options: engineOptions, settings: options.settings, early: output.early)
    let rate = output.opened.device.rate
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

  /// Plays. Answers the exit status.
  func run() throws(SystemError) -> Int32 {
    let signals = try TerminationSignals()
    _ = try engine.events.add(readable: signals.descriptor) { [self] in isOver = true }
    if let terminal {
      _ = try engine.events.add(readable: terminal.descriptor) { [self] in takeKeys() }
    }
    engine.observer = self
    engine.onReports = { [self] in refreshSoon() }
    engine.context.hasScript = { [self] in runner?.isPending ?? false }
    engine.context.isListening = { [self] in terminal != nil }
    engine.context.limit = { [self] in runner?.limit ?? .max }
    player.onLimit = { [self] frame in runner?.reached(frame) }
    runner?.onCommand = { [self] line, frame in give(line.command, line.text, at: frame) }
    runner?.onLimit = { [self] in engine.setLimit() }
    engine.setLimit()
    player.start(at: options.startAt)
    runner?.beginIfReady()
    refreshSoon()
    while !isOver, !engine.isAtRest { engine.turn(waits: true) }
    line.show(player, link: engine.host.link)
    line.end()
    // Before the engine lets go of its tracks.
    let status = status
    engine.end()
    terminal?.restore()
    return status
  }

  private var status: Int32 {
    let failed = player.failedTracks
    if failed == 0 { return 0 }
    return failed >= player.queue.count ? 2 : 1
  }

  // MARK: Observing

  func playerDidChange(_ player: Player) {
    log?.write(player, frame: player.timelineFrame)
    runner?.beginIfReady()
    line.show(player, link: engine.host.link)
  }

  func player(_ player: Player, reports error: PlaybackError) {
    line.note("swiftlet: " + error.sentence + " " + error.remedy)
  }

  func player(_ player: Player, notes text: String) { line.note("swiftlet: " + text) }

  /// While something moves the line is drawn five times a second, otherwise not at all.
  private func refreshSoon() {
    guard !refresh.isRunning, TextOutput.standardOutput.isTerminal, player.machine.state.isActive else {
      return
    }
    refresh.start(after: 200_000_000) { [unowned(unsafe) self] in
      line.show(player, link: engine.host.link)
      refreshSoon()
    }
  }

  // MARK: Keys

  private func takeKeys() {
    guard let keys = terminal?.takeKeys() else {
      isOver = true
      return
    }
    for key in keys { press(key) }
    line.show(player, link: engine.host.link)
    refreshSoon()
  }

  private func press(_ key: Key) {
    switch key {
    case .left: type("seek -10")
    case .right: type("seek +10")
    case .up: type("volume +5")
    case .down: type("volume -5")
    case .character(let byte):
      switch byte {
      case UInt8(ascii: " "): type("toggle")
      case UInt8(ascii: "n"): type("next")
      case UInt8(ascii: "p"): type("previous")
      case UInt8(ascii: "f"): type("finish-fade")
      case UInt8(ascii: "x"):
        let length = nextFadeLength
        type("set fade.length " + length)
        type("set fade.manual-length " + length)
      case UInt8(ascii: "c"): type("cycle fade.curve")
      case UInt8(ascii: "q"), 0x04: type("exit")
      default: break
      }
    }
  }

  /// Pressing a key is typing a command.
  private func type(_ line: String) {
    guard let command = try? Interpreter.parse(line) else { preconditionFailure("no command: \(line)") }
    give(command, line, at: player.timelineFrame)
  }

  private func give(_ command: Command, _ text: String, at frame: Frames) {
    log?.write(command: text, frame: frame)
    if command == .exit {
      isOver = true
      runner?.end()
    } else {
      _ = engine.commands.perform(command)
    }
  }

  private var nextFadeLength: String {
    let lengths = [0, 2, 5, 10, 15]
    let present = player.machine.settings.automaticFadeLength.value
    return String(lengths.first { Double($0) > present } ?? 0)
  }
}
