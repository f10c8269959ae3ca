// Event loop of `swiftlet sim`: passes keys to the simulated panel and console, and draws console output and lights.
// Main thread.

import Console
import Controls
import Daemon
import PlaybackModel
import Platform

/// Connects the terminal with the daemon's pseudo-terminals.
final class SimSession {
  /// Nanoseconds that a tapped button stays down: longer than the debounce time, shorter than a long press.
  private static let tap: UInt64 = 120_000_000
  /// Nanoseconds between updates of the lights.
  private static let tick: UInt64 = 100_000_000

  private let terminal: Terminal
  private let console: PseudoTerminal
  private let panel: PseudoTerminal
  private let folder: String
  private let scheduler: any Scheduler
  private var watches: [DescriptorWatch] = []
  private let buttons: [ControlName]
  private let knob: ControlName?
  private var screen: SimScreen
  private var keys = SimKeys()
  private var releases: [Int: DeadlineTimer] = [:]
  private let lookTimer: DeadlineTimer
  private let moveTimer: DeadlineTimer
  private var watch: SimWatch?
  private var isOver = false

  /// Descriptions of the board's bindings, such as `next hold: seek +10`.
  private static func legend(_ bindings: BindingTable) -> [String] {
    bindings.bindings.filter { $0.state == nil }.map { $0.trigger.text + ": " + $0.commandLine }
  }

  init(
    _ options: SimOptions, _ table: ControlTable, _ terminal: Terminal,
    console: consuming PseudoTerminal, panel: consuming PseudoTerminal, folder: String,
    scheduler: any Scheduler
  ) {
    let controls = table.declarations
    self.terminal = terminal
    self.console = console
    self.panel = panel
    self.folder = folder
    self.scheduler = scheduler
    lookTimer = DeadlineTimer(scheduler)
    moveTimer = DeadlineTimer(scheduler)
    buttons = controls.buttons.map { $0.name }
    knob = controls.knobs.first?.name
    screen = SimScreen(
      board: options.board, buttons: buttons.map { SimScreen.Button(name: $0.text) }, knob: knob?.text,
      lights: controls.lights.map { $0.name.text }, legend: Self.legend(table.bindings))
  }

  /// Runs until Ctrl-C or until the daemon exits.
  ///
  /// - Parameter started: The daemon's process.
  /// - Returns: Exit status.
  /// - Throws: `SystemError` if descriptors cannot be watched.
  func run(_ started: consuming ChildProcess) throws(SystemError) -> Int32 {
    var box = started
    let signals = try TerminationSignals()
    let continuation = try ContinuationSignal()
    for descriptor in [signals.descriptor, box.descriptor] {
      watches.append(
        try DescriptorWatch(scheduler, readable: descriptor) { [unowned(unsafe) self] in isOver = true })
    }
    watches.append(
      try DescriptorWatch(scheduler, readable: terminal.descriptor) { [unowned(unsafe) self] in type() })
    watches.append(
      try DescriptorWatch(scheduler, readable: console.near.raw) { [unowned(unsafe) self] in show() })
    let rows = Terminal.rows
    watches.append(
      try DescriptorWatch(scheduler, readable: continuation.descriptor) { [unowned(unsafe) self] in
        continuation.clear()
        terminal.resume()
        TextOutput.standardOutput.write(SimScreen.enter(rows: rows))
        draw()
      })
    TextOutput.standardOutput.write(SimScreen.enter(rows: rows) + SimKeys.greeting)
    look()
    move()
    while !isOver { scheduler.turn(waits: true) }
    watches = []
    let ending = box.reap()
    if ending == nil { end(&box) }
    TextOutput.standardOutput.write(SimKeys.farewell + SimScreen.leave(rows: rows))
    terminal.restore()
    guard let ending else { return 0 }
    if ending.cause == .exited(Box.shutdownStatus) {
      TextOutput.standardError.line(
        "swiftlet sim: the box was shut down, as 'shutdown' or a button bound to it asked")
      return 0
    }
    let log = (try? TextFile.read(folder + "/log", limit: 1 << 20)) ?? ""
    let cause =
      switch ending.cause {
      case .exited(let status): "with status \(status)"
      case .killed(let signal): "by signal \(signal)"
      }
    TextOutput.standardError.line("swiftlet sim: the box has ended \(cause). The end of its log:")
    for line in log.split(separator: "\n").suffix(5) { TextOutput.standardError.line("  " + String(line)) }
    return 1
  }

  private func end(_ box: inout ChildProcess) {
    box.terminate()
    let timer = DeadlineTimer(scheduler)
    timer.start(after: 3_000_000_000) {}
    // Wakes up the scheduler when the daemon exits.
    let watch = try? DescriptorWatch(scheduler, readable: box.descriptor) {}
    while timer.isRunning, box.reap() == nil { scheduler.turn(waits: true) }
    withExtendedLifetime(watch) {}
  }

  // MARK: Input

  private func type() {
    guard let bytes = terminal.takeBytes() else {
      isOver = true
      return
    }
    for key in keys.feed(bytes) {
      switch key {
      case .text(let text): write(text, to: console)
      case .button(let number, let isDown): press(number, isDown)
      case .latch(let number): press(number, true)
      case .tap(let number):
        // A tap may arrive before the previous one has been released.
        press(number, false)
        press(number, true)
        let release = releases[number] ?? DeadlineTimer(scheduler)
        releases[number] = release
        release.start(after: Self.tap) { [unowned(unsafe) self] in press(number, false) }
      case .turn(let steps):
        if let knob { report(.turn(knob, detents: steps)) }
      }
    }
  }

  private func press(_ number: Int, _ isDown: Bool) {
    guard buttons.indices.contains(number), screen.buttons[number].isDown != isDown else { return }
    screen.buttons[number].isDown = isDown
    report(isDown ? .down(buttons[number]) : .up(buttons[number]))
    draw()
  }

  private func report(_ input: ControlInput) { write(Array((input.text + "\n").utf8), to: panel) }

  private func write(_ bytes: [UInt8], to line: borrowing PseudoTerminal) {
    // If the daemon does not read, input is lost, as on a serial line.
    bytes.withUnsafeBytes { _ = line.near.writeSome($0) }
  }

  // MARK: Output

  private func show() {
    guard let bytes = try? console.near.read(atMost: 4096), !bytes.isEmpty else { return }
    TextOutput.standardOutput.write(String(decoding: bytes, as: UTF8.self))
  }

  private func draw() { TextOutput.standardOutput.write(screen.drawn(columns: Terminal.columns)) }

  /// Connects to the daemon's control socket as soon as it exists.
  private func look() {
    watch = SimWatch(socket: folder + "/control", scheduler: scheduler) { [unowned(unsafe) self] status in
      screen.box = status
      draw()
    }
    if watch == nil { lookTimer.start(after: Self.tick) { [unowned(unsafe) self] in look() } }
  }

  private func move() {
    let isLit = LightRhythm.isLit(screen.box.indicator.pattern, at: scheduler.now)
    if isLit != screen.isLit || screen.box.text == "starting" {
      screen.isLit = isLit
      draw()
    }
    moveTimer.start(after: Self.tick) { [unowned(unsafe) self] in move() }
  }
}
