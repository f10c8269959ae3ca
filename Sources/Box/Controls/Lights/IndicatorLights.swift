// Shows the box's state as an indicator on all its lights. Control thread only; never blocks.

import Platform
import PlaybackModel

/// Shows indicators on the declared lights.
///
/// Steady lights and lights animated by the kernel need no timer; otherwise one timer steps all lights
/// together. Missing lights are retried and are never fatal.
package final class IndicatorLights {
  /// The duration of `flash`, in milliseconds.
  package static let flashTime = 60

  private struct Light {
    let declaration: LightDeclaration
    var output: (any LightOutput)?
    var problem: Problem?
  }

  /// Called with a sentence for the log when a light is lost or back.
  package var onNote: (String) -> Void = { _ in }
  /// Called with the name of the light that a test has just lit.
  package var onTest: (ControlName) -> Void = { _ in }

  private let devices: any ControlDevices
  private var colours: Set<LightDeclaration.Colour> = []
  private var lights: [Light] = []
  private var list = ProblemList()
  private var retry: RetryTimer?
  /// Steps animations, and ends flashes and test steps.
  private let timer: DeadlineTimer
  /// Running while a light's trigger files are not writable yet.
  private let reconsiderTimer: DeadlineTimer
  private var indicator = Indicator(.none, .off)
  /// Called when the running test ends; nil if no test runs.
  private var onTestEnd: (() -> Void)?

  /// Opens the declared lights that are present; `problems` lists the missing ones. All lights are dark until
  /// `show`.
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

  /// Applies changed declarations. The current indicator stays; a running test ends.
  package func adopt(_ declarations: [LightDeclaration]) {
    endTest()
    timer.stop()
    // End removed lights first: their lines may be requested under a new name.
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

  /// The missing lights, each with the reason.
  package var problems: [String] { list.problems.map { $0.text } }

  /// The lights that are present.
  package var present: [ControlName] {
    lights.compactMap { $0.output == nil ? nil : $0.declaration.name }
  }

  /// Shows an indicator; no effect if it is shown already. During a test it is shown once the test ends.
  package func show(_ indicator: Indicator) {
    guard indicator != self.indicator else { return }
    self.indicator = indicator
    if onTestEnd == nil { apply() }
  }

  /// Inverts the light for a moment, to confirm a press.
  package func flash() {
    guard onTestEnd == nil else { return }
    let isDark = indicator.steps == [LightStep(false, milliseconds: nil)]
    timer.stop()
    let shown = isDark ? Indicator(.green, .steady) : indicator
    for index in lights.indices where isLit(index, shown) { set(index, isOn: isDark) }
    timer.start(after: UInt64(Self.flashTime) * 1_000_000) { [unowned(unsafe) self] in apply() }
  }

  /// Lights each light in turn, then shows the indicator again. Ends a running test first.
  ///
  /// - Parameters:
  ///   - milliseconds: The time for each light.
  ///   - onEnd: Called when the test ends.
  package func test(milliseconds: Int = 500, _ onEnd: @escaping () -> Void = {}) {
    endTest()
    timer.stop()
    onTestEnd = onEnd
    testNext(0, milliseconds)
  }

  /// Turns all lights off and restores their triggers. The object cannot be used again.
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

  /// Shows the indicator from the beginning of its pattern.
  private func apply() {
    timer.stop()
    let lit = lights.indices.filter { isLit($0, indicator) }
    for index in lights.indices where !lit.contains(index) { set(index, isOn: false) }
    let motion = LightMotion(indicator, isLit: true)
    // The lights of a mixed colour must stay in step: if one needs the timer, all use it.
    if lit.allSatisfy({ lights[$0].output?.canShow(motion) ?? true }) {
      for index in lit { attempt(index) { output throws(SystemError) in try output.show(motion) } }
      // `show` may have found that a light's trigger files are not writable yet.
      if !lit.allSatisfy({ lights[$0].output?.canShow(motion) ?? true }) { apply() }
    } else if motion.isRest {
      // A resting pattern is not worth a timer; the light stays dark, unlike while music plays.
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
      // A light whose trigger files are not writable yet is present; try again shortly.
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
  /// Nanoseconds that udev needs to make a trigger's files writable.
  private static let reconsiderNanoseconds: UInt64 = 2_000_000_000

  /// Lets the kernel animate lights whose trigger files may be writable by now.
  private func reconsider() {
    var isDue = false
    for light in lights where light.output?.reconsider() == true { isDue = true }
    if isDue, onTestEnd == nil { apply() }
  }

  private func problem(_ index: Int, _ reason: String) -> Problem {
    Problem(subject: "light " + lights[index].declaration.name.text, reason: reason)
  }

  /// Opens missing lights; returns whether one was opened.
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

  /// Schedules a retry if a light is missing.
  ///
  /// - Returns: One sentence for each change.
  private func didChange() -> [String] {
    let problems = lights.compactMap { $0.problem }
    if problems.isEmpty { retry?.rest() } else { retry?.schedule() }
    return list.update(problems)
  }
}
