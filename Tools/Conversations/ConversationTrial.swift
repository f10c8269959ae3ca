// One conversation with hostile workers, judged by what is heard. One thread; no clock, no chance.

import Platform
import PlaybackModel
import Player

/// Reads a conversation from bytes, and holds it.
package final class ConversationTrial {
  /// Simulated nanoseconds that a conversation may take, and that the player has to come back in.
  private static let maxLength: UInt64 = 30_000_000_000
  private static let patience: UInt64 = 40_000_000_000
  /// Frames of healthy music in a row that show that it is back.
  private static let enough = 2000

  private let trial: TrialPlayer
  private var choices: Choices
  private let isQuiet: Bool
  private var pending = PendingRequest()
  private let journal: ((String) -> Void)?
  private var lastState = ""

  private init(_ bytes: [UInt8], _ census: Census, _ journal: ((String) -> Void)?) {
    var choices = Choices(bytes)
    let first = choices.byte()
    isQuiet = first & 1 == 0
    var shape = TrialPlayer.Shape()
    shape.hostileLevel = isQuiet ? 0 : [0.25, 1, 8, 1e30][choices.below(4)]
    (shape.isDeep, shape.fadesManually) = (first & 2 == 0, first & 4 == 0)
    shape.length = 12_000 + choices.below(16) * 1000
    shape.fade = Seconds([0, 0.01, 0.2, 0.5][choices.below(4)])
    shape.curve = FadeCurve.allCases[choices.below(FadeCurve.allCases.count)]
    trial = TrialPlayer(shape, census)
    self.choices = choices
    self.journal = journal
  }

  /// Holds a conversation.
  ///
  /// - Parameters:
  ///   - bytes: All that a hostile worker and a person do, in order; any bytes are a conversation.
  ///   - isAlone: Whether no other thread opens descriptors meanwhile, so that one that is left is noticed.
  ///   - journal: Gets a line for each thing that happens.
  /// - Returns: What is wrong with how the engine took it; nil where nothing is.
  package static func finding(
    in bytes: [UInt8], isAlone: Bool, journal: ((String) -> Void)? = nil
  ) -> String? {
    // What a process has once and for all is not left open by the first conversation.
    _ = UnreapedChildren.ofProcess.count
    let descriptor = isAlone ? TrialClock.lowestDescriptor : nil
    let census = Census()
    let finding = ConversationTrial(bytes, census, journal).hold()
    if isAlone, TrialClock.lowestDescriptor != descriptor { return finding ?? "a descriptor is left open" }
    if census.workers != 0 { return finding ?? "a worker's ring is left mapped" }
    return finding
  }

  private func hold() -> String? {
    trial.player.play()
    settle()
    while !choices.isOver, trial.finding == nil, trial.clock.now < Self.maxLength { step() }
    recover()
    tellHistory()
    let remains = trial.end()
    return trial.finding ?? remains
  }

  private func step() {
    let choice = Int(choices.byte())
    switch choice % 8 {
    case 0, 1: pass([0, 1, 8, 20, 64, 250, 330, 700, 1500, 4100][choices.below(10)] * 1_000_000)
    case 2: command()
    default:
      let trick = Trick.allCases[choice / 8 % Trick.allCases.count]
      note { "the worker does trick \(choice / 8 % Trick.allCases.count)" }
      // Mostly the newest hostile worker, else an older one that is about to die.
      let hostile = trial.workers.filter { !$0.isHealthy }
      let worker = choices.byte() < 200 ? hostile.last : hostile.first
      worker?.lie(trick, &choices, isQuiet: isQuiet)
    }
    settle()
  }

  private func command() {
    let player = trial.player
    let choice = choices.below(14)
    note { "a person asks for command \(choice)" }
    // What leads away from a track that is heard; in a fade also what may finish it quickly.
    if choice > 3 || player.machine.state.fadeProgress != nil { excuse() }
    switch choice {
    case 0: play()
    case 1, 2: player.toggle()
    case 3: player.handle(.pause)
    case 4, 5: player.next()
    case 6: player.previous()
    case 7, 8: player.handle(.seek(Frames(Int64(choices.byte()) * 128)))
    case 9: player.handle(.seek(Frames(Extremes.steps[choices.below(Extremes.steps.count)])))
    case 10: player.handle(.stop)
    case 11: player.handle(.finishFade)
    case 12: player.handle(.retry)
    default: player.seek(by: Frames(Extremes.steps[choices.below(Extremes.steps.count)]))
    }
  }

  /// Gives what failed another chance where music is held. In its last moments, what was to follow may have begun, and
  /// makes way for what failed.
  private func play() {
    if trial.player.machine.state.canPlay, trial.player.queue.passesOverAny { excuse() }
    trial.player.play()
  }

  private func excuse() {
    trial.ear.excuse()
    pending.begin(at: trial.clock.now)
  }

  private func pass(_ nanoseconds: UInt64) {
    let end = trial.clock.now + nanoseconds
    trial.run(until: end) {
      look()
      return false
    }
    trial.clock.advance(to: end)
    settle()
  }

  private func settle() {
    trial.settle()
    look()
  }

  /// From when nothing of a request is pending any more, every frame counts again.
  private func look() {
    note(nil)
    let machine = trial.player.machine
    let isOver = pending.isOver(machine.history.total, at: trial.clock.now)
    guard trial.ear.isExcused, isOver, machine.state.kind == .playing,
      trial.ear.isHearing(frames: Self.enough)
    else { return }
    trial.ear.expect()
  }

  /// Every hostile worker dies, and a person presses play: healthy music has to be heard again.
  private func recover() {
    note { "all hostile workers die, and play is pressed" }
    trial.isSafe = true
    for worker in trial.workers where !worker.isHealthy { worker.process.die(.killed(signal: 11)) }
    settle()
    play()
    trial.ear.beginAnew()
    settle()
    let end = trial.clock.now + Self.patience
    trial.run(until: end) { [trial] in trial.ear.isHearing(frames: Self.enough) }
    if trial.finding == nil, !trial.ear.isHearing(frames: Self.enough) {
      let state = trial.player.machine.state.kind.name
      trial.fail("no healthy track is heard again; the player is \(state), \(trial.ear.description)")
    }
  }

  // MARK: For people

  private func note(_ text: (() -> String)?) {
    guard let journal else { return }
    let time = trial.clock.now / 1_000_000
    let state = trial.player.machine.state.displayText
    if state != lastState { journal("\(time) ms: \(state)") }
    lastState = state
    if let text { journal("\(time) ms: \(text())") }
  }

  private func tellHistory() {
    guard let journal else { return }
    let history = trial.player.machine.history
    for index in max(0, history.count - 30)..<history.count {
      let entry = history[index]
      journal(
        "\(entry.time / 1_000_000) ms: \(entry.event.kind.name) in \(entry.from.kind.name), then \(entry.to.kind.name)"
      )
    }
  }
}

/// When what a person asked for has been heard, or come to nothing.
private struct PendingRequest {
  private var askedAt: UInt64 = 0
  private var changedAt: UInt64 = 0
  private var events: UInt64 = 0

  mutating func begin(at time: UInt64) { askedAt = time }

  /// Whether nothing has happened for so long that nothing is on its way; `total` counts the machine's events.
  mutating func isOver(_ total: UInt64, at time: UInt64) -> Bool {
    if total != events { (events, changedAt) = (total, time) }
    return time > max(askedAt, changedAt) + 300_000_000
  }
}
