// Runs one conversation between the real player and hostile workers, and judges what is heard. One thread; no real
// clock, no entropy.

import Platform
import PlaybackModel
import Player

/// Conversation interpreted from bytes: simulated time, user commands and misbehavior of workers.
package final class ConversationTrial {
  /// Nanoseconds of simulated time for a conversation, and for the player's recovery after it.
  private static let maxLength: UInt64 = 30_000_000_000
  private static let patience: UInt64 = 40_000_000_000
  /// Consecutive frames of a healthy track that prove recovery.
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

  /// Runs a conversation.
  ///
  /// - Parameters:
  ///   - bytes: Actions of hostile workers and the user; any bytes are valid.
  ///   - isAlone: Whether no other thread opens descriptors during the run, so that leaks can be detected.
  ///   - journal: Called with a line for each event.
  /// - Returns: What the player did wrong; nil if nothing.
  package static func finding(
    in bytes: [UInt8], isAlone: Bool, journal: ((String) -> Void)? = nil
  ) -> String? {
    // Create process-wide objects first, so that their descriptors do not count as leaked by the first conversation.
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
      // Mostly the newest hostile worker, otherwise an older one about to die.
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
    // Commands that may leave the heard track; during a fade also those that may finish it quickly.
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

  /// Presses play. In a paused state this also retries failed tracks, and a track that had just begun instead may be
  /// replaced.
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

  /// Requires every frame again once no request is pending.
  private func look() {
    note(nil)
    let machine = trial.player.machine
    let isOver = pending.isOver(machine.history.total, at: trial.clock.now)
    guard trial.ear.isExcused, isOver, machine.state.kind == .playing,
      trial.ear.isHearing(frames: Self.enough)
    else { return }
    trial.ear.expect()
  }

  /// Kills all hostile workers and presses play: a healthy track must be heard again.
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

  // MARK: Journal

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

/// Whether the effects of the last user command are still pending.
private struct PendingRequest {
  private var askedAt: UInt64 = 0
  private var changedAt: UInt64 = 0
  private var events: UInt64 = 0

  mutating func begin(at time: UInt64) { askedAt = time }

  /// Whether nothing has happened for 300 ms. `total` is the number of events of the state machine.
  mutating func isOver(_ total: UInt64, at time: UInt64) -> Bool {
    if total != events { (events, changedAt) = (total, time) }
    return time > max(askedAt, changedAt) + 300_000_000
  }
}
