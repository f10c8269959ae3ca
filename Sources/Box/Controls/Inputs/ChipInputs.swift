// The buttons and knobs on one GPIO chip. Control thread only; never blocks.

import Platform

/// All controls on one chip, in as few line requests as possible. Controls whose lines are refused are
/// retried separately.
final class ChipInputs: InputUnit {
  private let chip: String
  private let devices: any ControlDevices
  private let scheduler: any Scheduler
  private let context: UnitContext
  private var groups: [LineGroup] = []
  private var missing: [(control: LineControl, reason: String)]
  /// Problems that no retry can solve.
  private var impossible: [Problem] = []
  private var noted: Set<String> = []

  init(
    _ chip: String, _ controls: [LineControl], devices: any ControlDevices, scheduler: any Scheduler,
    context: UnitContext
  ) {
    self.chip = chip
    self.devices = devices
    self.scheduler = scheduler
    self.context = context
    // Knobs first, so that both lines of a knob are in the same request, which keeps their edges in order.
    missing =
      (controls.filter { $0.kind != .button } + controls.filter { $0.kind == .button }).map { ($0, "") }
  }

  var problems: [Problem] {
    impossible + missing.map { Problem(subject: $0.control.subject, reason: $0.reason) }
  }
  var wants: DeviceKinds { missing.isEmpty ? [] : .chipsAndLines }

  func open() {
    guard !missing.isEmpty else { return }
    let wanted = missing.map { $0.control }
    missing = []
    let lines: any LineChip
    do throws(SystemError) { lines = try devices.openChip(chip) } catch {
      refuse(wanted, chip + " is not there (" + error.reason + "); looking for it again")
      return
    }
    var possible: [LineControl] = []
    for control in wanted {
      if let line = control.lines.first(where: { $0.offset >= lines.lineCount }) {
        impossible.append(
          Problem(
            subject: control.subject,
            reason: chip + " has no line " + String(line.offset) + ", its last is "
              + String(lines.lineCount - 1)))
      } else {
        possible.append(control)
      }
    }
    grant(possible, of: lines)
  }

  func end() {
    for group in groups { group.end() }
    groups = []
    missing = []
  }

  private func refuse(_ controls: [LineControl], _ reason: String) {
    for control in controls { missing.append((control, reason)) }
  }

  private func grant(_ controls: [LineControl], of chip: any LineChip) {
    var batch: [LineControl] = []
    for control in controls {
      if GPIOConfiguration((batch + [control]).flatMap(LineAbilities.ladder[0].settings)) == nil {
        grantBatch(batch, of: chip)
        batch = []
      }
      batch.append(control)
    }
    if !batch.isEmpty { grantBatch(batch, of: chip) }
  }

  private func grantBatch(_ controls: [LineControl], of chip: any LineChip) {
    do throws(SystemError) {
      groups.append(try request(controls, of: chip))
    } catch {
      let free = controls.filter { user(of: $0, on: chip) == nil }
      if error.kind == .busy, free.count < controls.count {
        for control in controls {
          if let user = user(of: control, on: chip) { refuse([control], user) }
        }
        if !free.isEmpty { grantBatch(free, of: chip) }
      } else if controls.count > 1 {
        for control in controls { grantBatch([control], of: chip) }
      } else {
        let why = error.code == SystemError.noInterrupt ? "it has no interrupt" : error.reason
        refuse(controls, self.chip + " refuses its line (" + why + "); trying again")
      }
    }
  }

  /// A sentence on who uses a line of a control; nil if all its lines are free.
  private func user(of control: LineControl, on chip: any LineChip) -> String? {
    for line in control.lines {
      guard let user = chip.user(of: line.offset) else { continue }
      return "line " + String(line.offset) + " of " + self.chip + " is in use by "
        + (user.utf8.isEmpty ? "the kernel" : "'" + user + "'") + "; trying again"
    }
    return nil
  }

  /// Requests lines, dropping debouncing and bias step by step while the driver does not support them.
  private func request(
    _ controls: [LineControl], of chip: any LineChip
  ) throws(SystemError) -> LineGroup {
    var refusal = SystemError("GPIO_V2_GET_LINE", on: self.chip, code: SystemError.unsupported)
    for abilities in LineAbilities.ladder {
      guard let configuration = GPIOConfiguration(controls.flatMap(abilities.settings)) else { continue }
      do throws(SystemError) {
        let lines = try chip.requestLines(configuration)
        let group = try LineGroup(
          lines, controls, abilities, scheduler: scheduler, levels: context.levels)
        group.onLoss = { [unowned(unsafe) self, unowned(unsafe) group] error in lose(group, error) }
        group.onRepair = { [unowned(unsafe) self] in
          noteOnce(chip: "has lost edges; the levels were read again and count")
        }
        if !abilities.hasBias { noteOnce(chip: "cannot pull its lines; they need resistors of their own") }
        return group
      } catch {
        guard error.kind == .unsupported else { throw error }
        refusal = error
      }
    }
    throw refusal
  }

  private func noteOnce(chip text: String) {
    guard noted.insert(text).inserted else { return }
    context.onNote(chip + " " + text + ".")
  }

  private func lose(_ group: LineGroup, _ error: SystemError) {
    group.end()
    groups.removeAll { $0 === group }
    for control in group.controls where control.kind == .button { context.levels.lose(control.name) }
    refuse(group.controls, chip + " has gone (" + error.reason + "); looking for it again")
    context.onLoss()
  }
}
