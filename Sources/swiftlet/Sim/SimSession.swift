// The desk while it runs: keys to the panel and the console, the console and the lights to the screen. Main thread.

import Console
import Controls
import PlaybackModel
import Platform

/// Connects a terminal with the serial lines of a box.
final class SimSession {
  /// How long a tapped button stays down: longer than the debounce, shorter than anything that is long.
  private static let tap: UInt64 = 120_000_000
  /// How often the lights move, while they do.
  private static let tick: UInt64 = 100_000_000

  private let terminal: Terminal
  private let console: PseudoTerminal
  private let panel: PseudoTerminal
  private let socket: String
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

  init(
    _ options: SimOptions, _ controls: ControlDeclarations, _ terminal: Terminal,
    console: consuming PseudoTerminal, panel: consuming PseudoTerminal, socket: String,
    scheduler: any Scheduler
  ) {
    self.terminal = terminal
    self.console = console
    self.panel = panel
    self.socket = socket
    self.scheduler = scheduler
    lookTimer = DeadlineTimer(scheduler)
    moveTimer = DeadlineTimer(scheduler)
    buttons = controls.buttons.map { $0.name }
    knob = controls.knobs.first?.name
    screen = SimScreen(
      board: options.board, buttons: buttons.map { SimScreen.Button(name: $0.text) }, knob: knob?.text,
      lights: controls.lights.map { $0.name.text })
  }

  /// Runs until Ctrl-C or the box's end. Answers the exit status.
  func run(_ started: consuming ChildProcess) throws(SystemError) -> Int32 {
    var box = started
    let signals = try TerminationSignals()
    for descriptor in [signals.descriptor, box.descriptor] {
      watches.append(
        try DescriptorWatch(scheduler, readable: descriptor) { [unowned(unsafe) self] in isOver = true })
    }
    watches.append(
      try DescriptorWatch(scheduler, readable: terminal.descriptor) { [unowned(unsafe) self] in type() })
    watches.append(
      try DescriptorWatch(scheduler, readable: console.near.raw) { [unowned(unsafe) self] in show() })
    let rows = Terminal.rows
    TextOutput.standardOutput.write(SimScreen.enter(rows: rows) + SimKeys.greeting)
    look()
    move()
    while !isOver { scheduler.turn(waits: true) }
    watches = []
    let hasEnded = box.reap() != nil
    if !hasEnded { end(&box) }
    TextOutput.standardOutput.write(SimKeys.farewell + SimScreen.leave(rows: rows))
    terminal.restore()
    if hasEnded { TextOutput.standardError.line("swiftlet sim: the box has ended by itself") }
    return hasEnded ? 1 : 0
  }

  private func end(_ box: inout ChildProcess) {
    box.terminate()
    let timer = DeadlineTimer(scheduler)
    timer.start(after: 3_000_000_000) {}
    // Its end ends a turn.
    let watch = try? DescriptorWatch(scheduler, readable: box.descriptor) {}
    while timer.isRunning, box.reap() == nil { scheduler.turn(waits: true) }
    withExtendedLifetime(watch) {}
  }

  // MARK: What is typed

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
        // Two taps may come sooner than the first is over.
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
    // A box that does not read loses what is typed, as on a wire.
    bytes.withUnsafeBytes { _ = line.near.writeSome($0) }
  }

  // MARK: What is shown

  private func show() {
    guard let bytes = try? console.near.read(atMost: 4096), !bytes.isEmpty else { return }
    TextOutput.standardOutput.write(String(decoding: bytes, as: UTF8.self))
  }

  private func draw() { TextOutput.standardOutput.write(screen.drawn(columns: Terminal.columns)) }

  /// Watches the box as soon as its socket is there.
  private func look() {
    watch = SimWatch(socket: socket, scheduler: scheduler) { [unowned(unsafe) self] state, indicator in
      screen.state = state
      screen.indicator = indicator
      draw()
    }
    if watch == nil { lookTimer.start(after: Self.tick) { [unowned(unsafe) self] in look() } }
  }

  private func move() {
    let isLit = LightRhythm.isLit(screen.indicator.pattern, at: scheduler.now)
    if isLit != screen.isLit || screen.state == "starting" {
      screen.isLit = isLit
      draw()
    }
    moveTimer.start(after: Self.tick) { [unowned(unsafe) self] in move() }
  }
}
