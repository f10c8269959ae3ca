// One run of `swiftlet play`: output, player, keys, script and the live line around one event loop.
// Main thread.

import Console
import Media
import Outputs
import PlaybackModel
import Platform
import Player
import RealtimeAudio

/// Plays until the queue ends or the listener quits.
final class PlaySession: PlayerObserver {
  private let options: PlayOptions
  private let events: EventLoop
  private let signals: PlaySignals
  /// A recording's own time; nil where the output has a clock.
  private let offline: OfflineScheduler?
  private let host: AudioHost
  private let player: Player
  private let line: LiveLine
  private let log: StateLog?
  private let terminal: Terminal?
  private let recording: WAVFile?
  private let commands: PlayCommands
  private var runner: ScriptRunner?
  private var end = PlayEnd()
  /// Nanoseconds for the ramp of a pause and for what answers it.
  private static let softEnd: UInt64 = 300_000_000
  private var refresh: EventLoop.Token?
  private var ending: EventLoop.Token?

  /// Builds everything around an open output.
  init(_ options: PlayOptions, tracks: [Track], output: OutputChoice, script: Script?) throws(SystemError) {
    self.options = options
    let rate = output.device.rate
    // Before the audio thread, which takes over what is blocked.
    signals = try PlaySignals()
    events = try EventLoop()
    recording = output.recording
    host = try AudioHost(device: output.device)
    offline = host.isPaced ? nil : OfflineScheduler(over: events)
    let decoders = WorkerDecoders(events, rate: rate, early: output.early)
    player = Player(
      scheduler: offline ?? events, link: host.link, decoders: decoders, rate: rate, isOffline: !host.isPaced,
      isStrict: options.isStrict)
    commands = PlayCommands(player, options.settings)
    let line = LiveLine(rate: rate)
    self.line = line
    decoders.onNote = { line.note("swiftlet: " + $0) }
    log = try options.events.map { path throws(SystemError) in try StateLog(path) }
    terminal = Terminal()
    if let notice = output.notice { line.note(notice) }
    line.note(output.summary)
    if let grant = host.grant { line.note("Audio thread: " + grant.description + ".") }
    fillQueue(tracks)
    if let volume = options.volume { player.setVolume(Volume(volume)) }
    if let script { runner = ScriptRunner(script, player: player, rate: rate) }
  }

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
    _ = try events.add(readable: signals.termination.descriptor) { [self] in
      guard let signal = signals.termination.take() else { return }
      interrupt(128 + signal)
    }
    // Nothing to watch where standard output is a file.
    if let pipe = TextOutput.standardOutput.pipe {
      _ = try events.add(changing: pipe) { [self] in
        end.isOver = true
        end.status = 141
      }
    }
    _ = try events.add(readable: host.reports.descriptor) { [self] in
      host.reports.clear()
      player.takeReports()
      refreshSoon()
    }
    if let terminal {
      _ = try events.add(readable: terminal.descriptor) { [self] in takeKeys() }
      _ = try events.add(readable: signals.continuation.descriptor) { [self] in
        signals.continuation.clear()
        terminal.resume()
        line.show(player, link: host.link)
      }
    }
    player.observer = self
    player.onLimit = { [self] frame in runner?.reached(frame) }
    runner?.onCommand = { [self] line, frame in give(line.command, line.text, at: frame) }
    runner?.onLimit = { [self] in setLimit() }
    setLimit()
    player.start(at: options.startAt)
    runner?.beginIfReady()
    refreshSoon()
    if let offline { record(offline) } else { runPaced() }
    line.show(player, link: host.link)
    line.end()
    host.stop()
    player.end()
    terminal?.restore()
    do throws(OutputError) {
      try recording?.finish()
    } catch {
      line.note("swiftlet play: " + error.description)
      return 3
    }
    return status
  }

  /// Ends with this status: softly where there is a sound card, at once when asked again.
  private func interrupt(_ status: Int32?) {
    guard !end.isOver, !end.hasBegun, host.isPaced, player.machine.state.isActive else {
      end.status = status
      end.isOver = true
      return
    }
    end.hasBegun = true
    end.status = status
    player.handle(.pause)
    _ = events.after(Self.softEnd) { [self] in end.isOver = true }
  }

  private var status: Int32 {
    if let status = end.status { return status }
    let failed = player.failedTracks
    if failed == 0 { return 0 }
    return failed >= player.queue.count ? 2 : 1
  }

  private func runPaced() {
    while !end.isOver {
      events.turn(waits: true)
      if hasEnded { endSoon() }
    }
  }

  /// Frames that a recording renders at once, at most.
  private static let chunk = Frames(4096)

  /// Renders whenever nothing is open that could change what comes next, up to the next frame at which something is due:
  /// so a recording is the same whatever the machine's speed.
  private func record(_ clock: OfflineScheduler) {
    while !end.isOver {
      events.turn(waits: false)
      player.takeReports()
      guard !end.isOver, !hasEnded else { return }
      guard player.isSettled(for: Self.chunk) else {
        awaitDecoders()
        continue
      }
      if clock.fire() { continue }
      setLimit()
      if host.step() {
        clock.advance(to: time(of: host.frame))
      } else if isSilentForGood {
        return
      } else {
        awaitDecoders()
      }
    }
  }

  private func awaitDecoders() {
    player.awaitDecoders(for: Self.chunk)
    _ = events.after(1_000_000) {}
    events.turn(waits: true)
  }

  /// Holds rendering before the next frame at which the script or, in a recording, a timer has something to say.
  private func setLimit() {
    var limit = runner?.limit ?? .max
    if let deadline = offline?.nextDeadline { limit = min(limit, frame(at: deadline)) }
    host.link.setLimit(limit)
  }

  private var hertz: Int64 { Int64(player.machine.settings.rate.hertz) }

  /// The time at which a frame of a recording begins.
  private func time(of frame: Frames) -> UInt64 {
    UInt64(frame.count / hertz) * 1_000_000_000 + UInt64(frame.count % hertz * 1_000_000_000 / hertz)
  }

  /// The first frame of a recording that does not begin before a time.
  private func frame(at time: UInt64) -> Int64 {
    let rest = Int64(time % 1_000_000_000) * hertz
    return Int64(time / 1_000_000_000) * hertz + (rest + 999_999_999) / 1_000_000_000
  }

  private var hasEnded: Bool { player.machine.state.isTerminal && !(runner?.isPending ?? false) }

  /// Whether a recording would wait for somebody who is not there.
  private var isSilentForGood: Bool {
    guard terminal == nil, !(runner?.isPending ?? false) else { return false }
    switch player.machine.state {
    case .paused, .crossfadePaused, .ready, .idle: return host.link.isParked
    default: return false
    }
  }

  // MARK: Observing

  func playerDidChange(_ player: Player) {
    log?.write(player, frame: player.timelineFrame)
    runner?.beginIfReady()
    line.show(player, link: host.link)
  }

  func player(_ player: Player, reports error: PlaybackError) {
    line.note("swiftlet: " + error.sentence + " " + error.remedy)
  }

  func player(_ player: Player, notes text: String) { line.note("swiftlet: " + text) }

  /// What is still in the card's own queue is heard before the end.
  private func endSoon() {
    guard ending == nil else { return }
    ending = events.after(100_000_000) { [self] in
      ending = nil
      if hasEnded { end.isOver = true }
    }
  }

  /// While something moves the line is drawn five times a second, otherwise not at all.
  private func refreshSoon() {
    guard refresh == nil, TextOutput.standardOutput.isTerminal, player.machine.state.isActive else { return }
    refresh = events.after(200_000_000) { [self] in
      refresh = nil
      line.show(player, link: host.link)
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
    line.show(player, link: host.link)
    refreshSoon()
  }

  private func press(_ key: Key) {
    if key == .character(UInt8(ascii: "?")) {
      for text in PlayOptions.keys.split(separator: "\n") { line.note(String(text)) }
    }
    for text in PlayKeys.lines(key, fadeLength: player.machine.settings.automaticFadeLength) { type(text) }
  }

  /// Pressing a key is typing a command.
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
      _ = commands.perform(command)
    }
  }
}

/// How a run comes to its end.
private struct PlayEnd {
  /// Whether nothing is waited for any more.
  var isOver = false
  /// Whether it fades out, to end then.
  var hasBegun = false
  /// The exit status of a run that did not come to its own end.
  var status: Int32?
}

/// What others ask of the program.
private final class PlaySignals {
  let termination: TerminationSignals
  let continuation: ContinuationSignal

  init() throws(SystemError) {
    termination = try TerminationSignals()
    continuation = try ContinuationSignal()
  }
}
