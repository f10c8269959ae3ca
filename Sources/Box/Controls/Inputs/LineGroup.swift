// Turns the edges of one GPIO line request into presses and detents. Control thread only; never blocks.

import Platform

/// Lines granted by the kernel, in use until `end` or `onLoss`.
final class LineGroup {
  private enum Role {
    case button
    case knob(QuadratureDecoder.Line)
  }

  private struct Line {
    let offset: Int
    let control: Int
    let role: Role
    /// The level after the last edge.
    var isActive: Bool
    /// Set if the kernel does not debounce the line.
    var debouncer: Debouncer?
  }

  let controls: [LineControl]
  /// Called when the chip has been removed. The owner must end the group.
  var onLoss: (SystemError) -> Void = { _ in }
  /// Called after edges were lost and the levels were read instead.
  var onRepair: () -> Void = {}

  private let request: any LineRequest
  private let scheduler: any Scheduler
  private let levels: ControlLevels
  private var lines: [Line] = []
  private var decoders: [QuadratureDecoder?] = []
  private var watch: DescriptorWatch?
  private let timer: DeadlineTimer
  private var lastSequence: UInt32 = 0
  private var needsRepair = false

  /// Reads the levels and starts listening for edges.
  ///
  /// - Throws: If the chip has been removed already.
  init(
    _ request: any LineRequest, _ controls: [LineControl], _ abilities: LineAbilities,
    scheduler: any Scheduler,
    levels: ControlLevels
  ) throws(SystemError) {
    self.request = request
    self.controls = controls
    self.scheduler = scheduler
    timer = DeadlineTimer(scheduler)
    self.levels = levels
    let now = try request.levels()
    for (index, control) in controls.enumerated() {
      let first = lines.count
      func isActive(_ line: Int) -> Bool { now >> UInt64(first + line) & 1 == 1 }
      for (number, line) in control.lines.enumerated() {
        let role: Role = control.kind == .button ? .button : .knob(number == 0 ? .a : .b)
        let debouncer =
          !abilities.kernelDebounces(control) && control.debounce > 0
          ? Debouncer(milliseconds: control.debounce, isDown: isActive(number)) : nil
        lines.append(
          Line(
            offset: line.offset, control: index, role: role, isActive: isActive(number), debouncer: debouncer)
        )
      }
      switch control.kind {
      case .button:
        decoders.append(nil)
        levels.begin(control.name, isDown: isActive(0))
      case .knob(let steps):
        decoders.append(QuadratureDecoder(stepsPerDetent: steps, a: isActive(0), b: isActive(1)))
      }
    }
    watch = try DescriptorWatch(scheduler, readable: request.descriptor) { [unowned(unsafe) self] in
      // Keep the group alive: the owner may release it when the chip is lost.
      withExtendedLifetime(self) {
        read()
        setTimer()
      }
    }
  }

  /// Stops listening. Releasing the group returns the lines to the kernel.
  func end() {
    watch = nil
    timer.stop()
    (onLoss, onRepair) = ({ _ in }, {})
  }

  private func read() {
    do throws(SystemError) {
      let edges = inOrder(try request.takeEvents())
      for edge in edges {
        let step = Int32(bitPattern: edge.sequence &- lastSequence)
        if step != 1 { needsRepair = true }
        if step > 0 { lastSequence = edge.sequence }
        settle(to: edge.time)
        for index in lines.indices where lines[index].offset == edge.offset {
          take(edge.isActive, of: index, at: edge.time)
        }
      }
      // Edges that are still queued are not lost.
      if needsRepair, edges.count < GPIOLines.maxEvents { try repair() }
    } catch {
      onLoss(error)
    }
  }

  /// Sorts edges by sequence number: the kernel numbers them as they happen, but queues them in one thread
  /// per line.
  private func inOrder(_ edges: [GPIOEvent]) -> [GPIOEvent] {
    let last = lastSequence
    return edges.sorted {
      Int32(bitPattern: $0.sequence &- last) < Int32(bitPattern: $1.sequence &- last)
    }
  }

  private func take(_ isActive: Bool, of index: Int, at time: UInt64) {
    lines[index].isActive = isActive
    guard lines[index].debouncer != nil else { return set(isActive, of: index, at: time) }
    if let edge = lines[index].debouncer?.edge(isDown: isActive, at: time) {
      set(edge.isDown, of: index, at: edge.time)
    }
  }

  /// Applies debounced levels that became stable by `time`, in the order in which they did. A knob's
  /// direction depends on that order, however late its edges are read.
  private func settle(to time: UInt64) {
    while true {
      var next: (index: Int, deadline: UInt64)?
      for index in lines.indices {
        guard let deadline = lines[index].debouncer?.deadline, deadline <= time else { continue }
        if next.map({ deadline < $0.deadline }) ?? true { next = (index, deadline) }
      }
      guard let next else { return }
      guard let edge = lines[next.index].debouncer?.advance(to: next.deadline) else { return }
      set(edge.isDown, of: next.index, at: edge.time)
    }
  }

  private func set(_ isActive: Bool, of index: Int, at time: UInt64) {
    let control = lines[index].control
    switch lines[index].role {
    case .button: levels.set(controls[control].name, isDown: isActive, at: time)
    case .knob(let line):
      let detents = decoders[control]?.edge(line, isOn: isActive) ?? 0
      levels.turn(controls[control].name, detents: detents, at: time)
    }
  }

  private func repair() throws(SystemError) {
    let now = try request.levels()
    let time = scheduler.now
    needsRepair = false
    func isActive(_ index: Int) -> Bool { now >> UInt64(index) & 1 == 1 }
    var hasMissed = false
    for index in lines.indices {
      if lines[index].isActive != isActive(index) { hasMissed = true }
      lines[index].isActive = isActive(index)
      if lines[index].debouncer != nil {
        if let edge = lines[index].debouncer?.level(isDown: isActive(index), at: time) {
          set(edge.isDown, of: index, at: edge.time)
        }
      } else if case .button = lines[index].role {
        set(isActive(index), of: index, at: time)
      } else if case .knob(.a) = lines[index].role {
        // Line b is the next one.
        let control = lines[index].control
        let detents = decoders[control]?.levels(a: isActive(index), b: isActive(index + 1)) ?? 0
        levels.turn(controls[control].name, detents: detents, at: time)
      }
    }
    // Report only a changed level: the kernel also counts edges that are too fast to be queued, such as
    // contact bounce.
    if hasMissed { onRepair() }
  }

  /// Sets one timer for all lines that are not stable yet; none if all are.
  private func setTimer() {
    timer.stop()
    guard watch != nil, let due = lines.compactMap({ $0.debouncer?.deadline }).min() else { return }
    timer.start(at: due) { [unowned(unsafe) self] in
      withExtendedLifetime(self) {
        // An edge may have arrived after the event loop's poll.
        read()
        settle(to: scheduler.now)
        setTimer()
      }
    }
  }
}
