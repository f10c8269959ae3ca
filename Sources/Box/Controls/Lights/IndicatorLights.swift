// All lights of a box as one indicator. Control thread only; never waits.

import Platform
import PlaybackModel

/// Shows indicators on the declared lights.
///
/// A light that does not move needs no timer, and one that the kernel moves neither; otherwise one timer steps all
/// lights together. Lights that are not there are looked for again, and never fatal.
package final class IndicatorLights {
  /// How long `flash` turns the light over, in milliseconds.
  package static let flashTime = 60

  private struct Light {
    let declaration: LightDeclaration
    var output: (any LightOutput)?
    var problem: Problem?
  }

  /// A sentence for the log: a light has gone, or is back.
  package var onNote: (String) -> Void = { _ in }
  /// A test lights this one now.
  package var onTest: (ControlName) -> Void = { _ in }

  private let devices: any ControlDevices
  private var colours: Set<LightDeclaration.Colour> = []
  private var lights: [Light] = []
  private var list = ProblemList()
  private var retry: RetryTimer?
  /// Steps what moves, and ends what does not last.
  private let timer: DeadlineTimer
  /// Runs while a light cannot be left to the kernel yet.
  private let reconsiderTimer: DeadlineTimer
  private var indicator = Indicator(.none, .off)
  /// What ends a test before its end; nil while there is none.
  private var onTestEnd: (() -> Void)?

  /// Opens what is declared and there; `problems` tells what is not. Everything is dark until something is shown.
  package init(_ lights: [LightDeclaration], devices: any ControlDevices, scheduler: any Scheduler) {
    self.devices = devices
    timer = DeadlineTimer(scheduler)
    reconsiderTimer = DeadlineTimer(scheduler)
    retry = RetryTimer(scheduler) { [unowned(unsafe) self] in
      if openMissing(), onTestEnd == nil { apply() }
      tell(didChange())
    }
    adopt(lights)
  }

  /// Takes over other declarations. What is shown goes on; a test ends.
  package func adopt(_ declarations: [LightDeclaration]) {
    endTest()
    timer.stop()
    // A line is free again when its output is gone, and may be wanted under another name.
    for index in lights.indices where !declarations.contains(lights[index].declaration) {
      lights[index].output?.end()
      lights[index].output = nil
    }
    let kept = lights.filter { $0.output != nil }
    lights = declarations.map { declaration in
      kept.first { $0.declaration == declaration } ?? Light(declaration: declaration)
    }
    colours = Set(declarations.map { $0.colour })
    _ = openMissing()
    apply()
    _ = didChange()
  }

  /// What is not there now, each with the light's name and the reason.
  package var problems: [String] { list.problems.map { $0.text } }

  /// The lights that are there now.
  package var present: [ControlName] {
    lights.compactMap { $0.output == nil ? nil : $0.declaration.name }
  }

  /// Shows an indicator from now on; no change if it is shown already. While a test runs it is kept for later.
  package func show(_ indicator: Indicator) {
    guard indicator != self.indicator else { return }
    self.indicator = indicator
    if onTestEnd == nil { apply() }
  }

  /// Turns the light over for a moment: what is on goes off, what is dark lights up. For a press that was taken.
  package func flash() {
    guard onTestEnd == nil else { return }
    let isDark = indicator.steps == [LightStep(false, milliseconds: nil)]
    timer.stop()
    let shown = isDark ? Indicator(.green, .steady) : indicator
    for index in lights.indices where isLit(index, shown) { set(index, isOn: isDark) }
    timer.start(after: UInt64(Self.flashTime) * 1_000_000) { [unowned(unsafe) self] in apply() }
  }

  /// Lights one after the other for so long each, goes back to what is shown, and calls `onEnd`. A test that runs
  /// already ends.
  package func test(milliseconds: Int = 500, _ onEnd: @escaping () -> Void = {}) {
    endTest()
    timer.stop()
    onTestEnd = onEnd
    testNext(0, milliseconds)
  }

  /// All dark, and each light as it was found, for good.
  package func end() {
    endTest()
    timer.stop()
    reconsiderTimer.stop()
    retry?.cancel()
    retry = nil
    for light in lights { light.output?.end() }
    lights = []
  }

  private func endTest() {
    let onEnd = onTestEnd
    onTestEnd = nil
    onEnd?()
  }

  private func testNext(_ first: Int, _ milliseconds: Int) {
    let next = lights.indices.first { $0 >= first && lights[$0].output != nil }
    for index in lights.indices { set(index, isOn: index == next) }
    guard let next else {
      apply()
      endTest()
      return
    }
    timer.start(after: UInt64(max(milliseconds, 1)) * 1_000_000) { [unowned(unsafe) self] in
      testNext(next + 1, milliseconds)
    }
    onTest(lights[next].declaration.name)
  }

  private func isLit(_ index: Int, _ indicator: Indicator) -> Bool {
    let colour = lights[index].declaration.colour
    if colour == .any { return indicator.colour != .none }
    return LightMix.lit(for: indicator.colour, among: colours).contains(colour)
  }

  /// Starts what is shown from its beginning.
  private func apply() {
    timer.stop()
    let lit = lights.indices.filter { isLit($0, indicator) }
    for index in lights.indices where !lit.contains(index) { set(index, isOn: false) }
    let motion = LightMotion(indicator, isLit: true)
    // The lights of a mixed colour move together: if one of them has to be stepped, all are.
    if lit.allSatisfy({ lights[$0].output?.canShow(motion) ?? true }) {
      for index in lit { attempt(index) { output throws(SystemError) in try output.show(motion) } }
      // One of them may not be moved by the kernel yet.
      if !lit.allSatisfy({ lights[$0].output?.canShow(motion) ?? true }) { apply() }
    } else if motion.isRest {
      // Dark, unlike a light that says that music plays.
      for index in lit { set(index, isOn: false) }
    } else {
      step(0, of: motion.steps, lit)
    }
  }

  private func step(_ number: Int, of steps: [LightStep], _ lit: [Int]) {
    for index in lit { set(index, isOn: steps[number].isOn) }
    guard let milliseconds = steps[number].milliseconds else { return }
    timer.start(after: UInt64(milliseconds) * 1_000_000) { [unowned(unsafe) self] in
      step((number + 1) % steps.count, of: steps, lit)
    }
  }

  private func set(_ index: Int, isOn: Bool) {
    attempt(index) { output throws(SystemError) in try output.set(isOn: isOn) }
  }

  private func attempt(_ index: Int, _ action: (any LightOutput) throws(SystemError) -> Void) {
    guard let output = lights[index].output else { return }
    do throws(SystemError) {
      try action(output)
    } catch {
      // A light whose trigger's files are not given to us yet is there all the same.
      if error.code == SystemError.accessDenied, !output.canShow(LightMotion(Self.moving, isLit: true)) {
        reconsiderTimer.start(after: Self.reconsiderNanoseconds) { [unowned(unsafe) self] in reconsider() }
        return
      }
      lights[index].output = nil
      lights[index].problem = problem(index, "has gone (" + error.reason + "); looking for it again")
      retry?.restart()
      tell(didChange())
    }
  }

  private static let moving = Indicator(.green, .fastBlink)
  /// Nanoseconds that udev has to give a trigger's files away.
  private static let reconsiderNanoseconds: UInt64 = 2_000_000_000

  /// Leaves to the kernel what it may be able to do by now.
  private func reconsider() {
    var isDue = false
    for light in lights where light.output?.reconsider() == true { isDue = true }
    if isDue, onTestEnd == nil { apply() }
  }

  private func problem(_ index: Int, _ reason: String) -> Problem {
    Problem(subject: "light " + lights[index].declaration.name.text, reason: reason)
  }

  /// Whether there is one more now.
  private func openMissing() -> Bool {
    var hasMore = false
    for index in lights.indices where lights[index].output == nil {
      do throws(LightFailure) {
        switch lights[index].declaration.sink {
        case .gpio(let line): lights[index].output = try LineLight(line, devices)
        case .sysfs(let name): lights[index].output = try FolderLight(name, devices)
        }
        lights[index].problem = nil
        hasMore = true
      } catch {
        lights[index].problem = problem(index, error.text + "; looking for it again")
      }
    }
    return hasMore
  }

  private func tell(_ notes: [String]) {
    for note in notes { onNote(note) }
  }

  /// Looks again later, if something is missing. Answers what is new.
  private func didChange() -> [String] {
    let problems = lights.compactMap { $0.problem }
    if problems.isEmpty { retry?.rest() } else { retry?.schedule() }
    return list.update(problems)
  }
}
