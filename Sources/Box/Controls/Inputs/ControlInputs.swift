// All buttons, knobs and tag readers of a box. Control thread only; never blocks.

import Platform

/// Opens the declared inputs, reports their events, and retries missing devices.
///
/// While no device is missing, it only waits for descriptors. Missing devices are opened when a device
/// appears, and retried by a timer with waits of up to a minute. A button that is down when its device is
/// opened does not count as pressed: only `isDown` reflects it, and it is reported from its next `down`. A
/// device that is removed releases its buttons.
package final class ControlInputs {
  /// The most panels that are opened.
  package static let maxPanels = 8
  /// Nanoseconds to wait after a device appears, because its permissions are set last.
  static let settling: UInt64 = 50_000_000

  /// Called with each input. Times never decrease.
  package var onInput: (TimedInput) -> Void = { _ in }
  /// Called when a tag is placed on a reader or removed.
  package var onTag: (TagInput) -> Void = { _ in }
  /// Called with a sentence for the log when a device is lost, repaired, refused or back.
  package var onNote: (String) -> Void = { _ in }

  private let devices: any ControlDevices
  private let scheduler: any Scheduler
  private let levels: ControlLevels
  private let context: UnitContext
  private var units: [any InputUnit] = []
  private var list = ProblemList()
  private var retry: RetryTimer?
  private var deviceNews: (any DeviceWatch)?
  private var deviceWatch: DescriptorWatch?
  private var followed: DeviceKinds?
  /// Reports notes of the initial opening once the callbacks are set.
  private let earlyNotes: DeadlineTimer
  private var misdeclared: [Problem] = []

  /// Opens all declared inputs that are present. Afterwards `isDown` reflects the buttons held at power-on,
  /// and `problems` lists the missing devices; `onNote` reports only later changes of these.
  package convenience init(
    _ declarations: ControlDeclarations, devices: any ControlDevices, scheduler: any Scheduler
  ) {
    self.init(declarations, fields: [:], devices: devices, scheduler: scheduler)
  }

  /// Replaces other inputs and keeps the known tags on those readers that are still declared.
  convenience init(_ declarations: ControlDeclarations, after former: ControlInputs) {
    let readers = Set(declarations.readers.map { $0.name })
    self.init(
      declarations, fields: former.context.fields.filter { readers.contains($0.key) },
      devices: former.devices,
      scheduler: former.scheduler)
  }

  private init(
    _ declarations: ControlDeclarations, fields: [ControlName: ReaderField], devices: any ControlDevices,
    scheduler: any Scheduler
  ) {
    self.devices = devices
    self.scheduler = scheduler
    levels = ControlLevels(scheduler)
    earlyNotes = DeadlineTimer(scheduler)
    context = UnitContext(levels, fields: fields)
    makeUnits(declarations)
    open()
  }

  private func open() {
    var notes: [String] = []
    context.onNote = { notes.append($0) }
    retry = RetryTimer(scheduler) { [unowned(unsafe) self] in
      for unit in units { unit.open() }
      tell(didChange())
    }
    for unit in units { unit.open() }
    _ = didChange()
    levels.onInput = { [unowned(unsafe) self] in onInput($0) }
    context.onTag = { [unowned(unsafe) self] in onTag($0) }
    context.onNote = { [unowned(unsafe) self] in onNote($0) }
    context.onLoss = { [unowned(unsafe) self] in
      retry?.restart()
      tell(didChange())
    }
    context.onReturn = { [unowned(unsafe) self] in tell(didChange()) }
    guard !notes.isEmpty else { return }
    // The callbacks are not set yet.
    earlyNotes.start(after: 0) { [unowned(unsafe) self] in tell(notes) }
  }

  /// The missing controls and panels, each with the reason.
  package var problems: [String] { list.problems.map { $0.text } }

  /// Whether a button is down, as last reported by its device.
  package func isDown(_ name: ControlName) -> Bool { levels.isDown(name) }

  /// Closes all devices without reporting releases. The object cannot be used again.
  package func end() {
    levels.onInput = { _ in }
    context.onTag = { _ in }
    context.onNote = { _ in }
    context.onLoss = {}
    context.onReturn = {}
    // Keep the units: one of them may be executing a callback.
    for unit in units { unit.end() }
    retry?.cancel()
    retry = nil
    earlyNotes.stop()
    deviceWatch = nil
    deviceNews = nil
  }

  private func makeUnits(_ declarations: ControlDeclarations) {
    let panelControls = makeLinesAndKeys(of: declarations)
    // Open tag readers first and grab them, so that their keys are not taken for buttons.
    let typing = declarations.readers.compactMap { reader in
      if case .keyboard(let device) = reader.source { (name: reader.name, device: device) } else { nil }
    }
    if !typing.isEmpty {
      units.insert(
        ReaderInputs(typing, devices: devices, scheduler: scheduler, context: context), at: 0)
    }
    for reader in declarations.readers {
      guard case .nfc(let connection) = reader.source else { continue }
      units.append(
        NFCReaderInput(reader.name, connection, devices: devices, scheduler: scheduler, context: context))
    }
    let readers = declarations.readers.filter { $0.source == .panel }.map { $0.name }
    for (index, panel) in declarations.panels.enumerated() {
      guard index < Self.maxPanels else {
        misdeclared.append(
          Problem(
            subject: "panel " + panel.path, reason: "only " + String(Self.maxPanels) + " panels are opened"))
        continue
      }
      units.append(
        PanelInputs(
          panel, buttons: panelControls.buttons, knobs: panelControls.knobs, readers: Set(readers),
          devices: devices, scheduler: scheduler, context: context))
    }
  }

  /// Creates the units for GPIO lines and input devices.
  ///
  /// - Returns: The buttons and knobs on panels.
  private func makeLinesAndKeys(
    of declarations: ControlDeclarations
  ) -> (buttons: Set<ControlName>, knobs: Set<ControlName>) {
    var chips: [String] = []
    var controls: [String: [LineControl]] = [:]
    func add(_ control: LineControl) {
      let chip = control.lines[0].chip
      guard control.lines.allSatisfy({ $0.chip == chip }) else {
        misdeclared.append(Problem(subject: control.subject, reason: "its lines are on different chips"))
        return
      }
      if controls[chip] == nil { chips.append(chip) }
      controls[chip, default: []].append(control)
    }
    var codes: [KeyInputs.Code] = []
    var (panelButtons, panelKnobs) = (Set<ControlName>(), Set<ControlName>())
    for button in declarations.buttons {
      switch button.source {
      case .gpio(let line, let bias):
        add(LineControl(button, line, bias, debounce: declarations.timing(of: button.name).debounce))
      case .key(let code): codes.append(KeyInputs.Code(name: button.name, code: code, isAxis: false))
      case .panel: panelButtons.insert(button.name)
      }
    }
    for knob in declarations.knobs {
      switch knob.source {
      case .gpio(let a, let b, let bias, let steps):
        add(LineControl(knob, a: a, b: b, bias, stepsPerDetent: steps))
      case .axis(let code): codes.append(KeyInputs.Code(name: knob.name, code: code, isAxis: true))
      case .panel: panelKnobs.insert(knob.name)
      }
    }
    for chip in chips {
      units.append(
        ChipInputs(
          chip, controls[chip] ?? [], devices: devices, scheduler: scheduler, context: context))
    }
    if !codes.isEmpty {
      units.append(KeyInputs(codes, devices: devices, scheduler: scheduler, context: context))
    }
    return (panelButtons, panelKnobs)
  }

  private func tell(_ notes: [String]) {
    for note in notes { onNote(note) }
  }

  /// Updates the watch and the retry timer for the missing devices.
  ///
  /// - Returns: One sentence for each change.
  private func didChange() -> [String] {
    var wants: DeviceKinds = []
    var missing = misdeclared
    for unit in units {
      wants.formUnion(unit.wants)
      missing += unit.problems
    }
    let isWatched = follow(wants)
    // A GPIO chip may be present but busy, and a tty may be outside /dev, so these need the timer.
    let needsTimer = wants.contains(.chipsAndLines) || (!isWatched && missing.count > misdeclared.count)
    if needsTimer { retry?.schedule() } else { retry?.rest() }
    return list.update(missing)
  }

  private func follow(_ wants: DeviceKinds) -> Bool {
    if wants.isEmpty && deviceNews == nil { return true }
    // /dev/input may have appeared or disappeared, so the watch is set up again.
    if wants == followed, !wants.contains(.inputs) { return true }
    if deviceNews == nil {
      do throws(SystemError) {
        let news = try devices.watch()
        deviceWatch = try DescriptorWatch(scheduler, readable: news.descriptor) { [unowned(unsafe) self] in
          if deviceNews?.takeChanges() == true { retry?.hurry(Self.settling) }
        }
        deviceNews = news
      } catch {
        return false
      }
    }
    followed = wants
    return deviceNews?.follow(wants) ?? false
  }
}
