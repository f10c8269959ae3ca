// The buttons, knobs and readers of one serial panel. Control thread only; never blocks.

import PlaybackModel
import Platform

/// A panel that may disappear and return. Buttons held when it disappears count as released.
final class PanelInputs: InputUnit {
  static let nanosecondsBetweenNotes: UInt64 = 60_000_000_000
  /// A button whose first report within this time after `ready` is `down` was held when the microcontroller
  /// started, and was not pressed.
  static let heldNanoseconds: UInt64 = 500_000_000
  /// A reader's first tag within this time after `ready`, or after opening the line, was already there, and
  /// was not just placed.
  static let lyingNanoseconds: UInt64 = 5_000_000_000

  private let declaration: PanelDeclaration
  private let buttons: Set<ControlName>
  private let knobs: Set<ControlName>
  private let readers: Set<ControlName>
  private let devices: any ControlDevices
  private let scheduler: any Scheduler
  private let context: UnitContext
  private var line: (any ByteSource)?
  private var watch: DescriptorWatch?
  private var reader = PanelReader()
  private var held: Set<ControlName> = []
  /// The time of opening the line, and that of the microcontroller's last `ready`.
  private var begun: (openedAt: UInt64, readyAt: UInt64?) = (0, nil)
  /// Buttons and readers that have reported since.
  private var reporting: Set<ControlName> = []
  /// Readers that report removed tags. For these, a repeated report means that the tag is still there.
  private var lifting: Set<ControlName> = []
  private var badReports = 0
  private var lastNote: UInt64?
  private var problem: Problem?

  init(
    _ declaration: PanelDeclaration, buttons: Set<ControlName>, knobs: Set<ControlName>,
    readers: Set<ControlName>, devices: any ControlDevices, scheduler: any Scheduler, context: UnitContext
  ) {
    self.declaration = declaration
    self.buttons = buttons
    self.knobs = knobs
    self.readers = readers
    self.devices = devices
    self.scheduler = scheduler
    self.context = context
  }

  var problems: [Problem] { problem.map { [$0] } ?? [] }
  var wants: DeviceKinds { line == nil ? .chipsAndLines : [] }

  func open() {
    guard line == nil else { return }
    do throws(SystemError) {
      let line = try devices.openPanel(declaration)
      watch = try DescriptorWatch(scheduler, readable: line.descriptor) { [unowned(unsafe) self] in read() }
      self.line = line
      begun = (scheduler.now, nil)
      reporting = []
      reader = PanelReader()
      badReports = 0
      problem = nil
    } catch {
      fail(error)
    }
  }

  func end() {
    watch = nil
    line = nil
    release()
  }

  private func fail(_ error: SystemError) {
    problem = Problem(
      subject: "panel " + declaration.path, reason: error.reason + "; looking for it again")
  }

  private func read() {
    guard let line else { return }
    do throws(SystemError) {
      let bytes = try line.takeBytes()
      let time = scheduler.now
      for report in reader.take(bytes) { take(report, at: time) }
      noteNoise(at: time)
    } catch {
      end()
      fail(error)
      context.onLoss()
    }
  }

  private func take(_ report: PanelReport, at time: UInt64) {
    switch report {
    case .button(let name, let isDown) where buttons.contains(name): set(name, isDown: isDown, at: time)
    case .turn(let name, let detents) where knobs.contains(name):
      context.levels.turn(name, detents: detents, at: time)
    case .tag(.placed(let tag, let name)) where readers.contains(name): place(tag, on: name, at: time)
    case .tag(.lifted(let name)) where readers.contains(name):
      reporting.insert(name)
      lifting.insert(name)
      context.fields[name] = .empty
      context.onTag(.lifted(from: name))
    case .ready:
      release()
      begun.readyAt = time
      reporting = []
    case .button, .turn, .tag: badReports += 1
    }
  }

  private func set(_ name: ControlName, isDown: Bool, at time: UInt64) {
    if isDown { held.insert(name) } else { held.remove(name) }
    let isFirst = reporting.insert(name).inserted
    if isDown, isFirst, let readyAt = begun.readyAt, time - readyAt < Self.heldNanoseconds {
      context.levels.begin(name, isDown: true)
    } else {
      context.levels.set(name, isDown: isDown, at: time)
    }
  }

  private func place(_ tag: TagID, on name: ControlName, at time: UInt64) {
    let isFirst = reporting.insert(name).inserted
    let lies = isFirst && time - (begun.readyAt ?? begun.openedAt) < Self.lyingNanoseconds
    // A microcontroller that restarts with a tag in place reports it again, and some repeat it continuously.
    if lies || lifting.contains(name), context.fields[name] == .tag(tag) { return }
    context.fields[name] = .tag(tag)
    context.onTag(lies ? .lying(tag, on: name) : .placed(tag, on: name))
  }

  private func release() {
    for name in held.sorted() { context.levels.lose(name) }
    held = []
  }

  /// Reports unreadable lines, at most once a minute: a panel at the wrong speed sends nothing readable.
  private func noteNoise(at time: UInt64) {
    let bad = reader.badLines + badReports
    guard bad > 0 else { return }
    if let lastNote, time - lastNote < Self.nanosecondsBetweenNotes { return }
    lastNote = time
    context.onNote(
      "panel " + declaration.path + ": " + (bad == 1 ? "1 line" : String(bad) + " lines")
        + " could not be understood; check its speed, and that its buttons, knobs and readers are declared.")
    reader.forgetBadLines()
    badReports = 0
  }
}
