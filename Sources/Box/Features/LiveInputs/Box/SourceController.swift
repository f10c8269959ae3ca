// Live sources: which ones run, and which one is heard. Music is paused while one is heard. Control thread; never
// blocks.

import AudioRing
import Console
import Controls
import PlaybackModel
import Platform
import Player

/// Runs the live sources and decides which one becomes the player's live input.
final class SourceController: StatusSource {
  private var sources: [SourceSupervisor] = []
  private var isOpen = false
  private let outputs: OutputController
  private let limits: LimitController
  private let alarms: AlarmController
  private let machine: any Machine
  private let feed: EventFeed
  private let log: Log
  private var subscription: EventSubscription?

  init(
    _ outputs: OutputController, _ limits: LimitController, _ alarms: AlarmController,
    on machine: any Machine, feed: EventFeed, log: Log
  ) {
    self.outputs = outputs
    self.limits = limits
    self.alarms = alarms
    self.machine = machine
    self.feed = feed
    self.log = log
    subscription = feed.listen { [unowned(unsafe) self] stamped in
      // The output is back, or was replaced.
      if case .output(let facts) = stamped.event, facts.isThere { resume() }
    }
  }

  /// Starts the declared sources.
  func open(_ declarations: [SourceDeclaration]) {
    isOpen = true
    adopt(declarations)
  }

  /// Replaces the set of sources. A source whose declaration is unchanged keeps running.
  func adopt(_ declarations: [SourceDeclaration]) {
    guard isOpen else { return }
    let former = sources
    sources = declarations.map { declaration in
      former.first { $0.declaration == declaration } ?? make(declaration)
    }
    for source in former where !declarations.contains(source.declaration) {
      if outputs.openedPlayer?.liveInputName == source.name { outputs.player.endLiveInput(.ended) }
      source.end()
    }
    guard let player = outputs.openedPlayer else { return }
    for source in sources { source.run(at: player.machine.settings.rate) }
  }

  /// Connects the sources to a new player.
  func attach(to player: Player) {
    player.onLiveInput = { [unowned(unsafe) self] in note($0, $1) }
    for source in sources {
      // It was heard on the former output.
      source.dismiss(source.sound == .heard ? .lost : nil)
      source.run(at: player.machine.settings.rate)
    }
  }

  /// Ends all sources.
  func end() {
    subscription = nil
    for source in sources { source.end() }
    sources = []
  }

  private func make(_ declaration: SourceDeclaration) -> SourceSupervisor {
    let source = SourceSupervisor(declaration, on: machine, log: log)
    source.onReady = { [unowned(unsafe) self, unowned(unsafe) source] in offer(source) }
    source.onStop = { [unowned(unsafe) self, unowned(unsafe) source] in
      if outputs.openedPlayer?.liveInputName == source.name { outputs.player.endLiveInput($0) }
    }
    return source
  }

  // MARK: Arbitration

  /// Whether a limit or an alarm forbids live sources.
  private var isBarred: Bool { limits.limit != nil || alarms.isRinging }

  /// Why no source may be heard now; nil: one may.
  private var obstacle: String? {
    guard let player = outputs.openedPlayer, !player.machine.outputIsLost else {
      return "there is no sound output"
    }
    if isBarred { return "limits or an alarm keep live sources silent" }
    switch player.machine.state.pauseReason {
    case .standby, .interruption: return "the box stands by ('wake'), or is interrupted ('interruption end')"
    case .user, .outputLost, .announcement, .liveInput, nil: return nil
    }
  }

  /// Makes a source the live input if that is allowed; otherwise its sound is discarded.
  private func offer(_ source: SourceSupervisor) {
    guard let sound = source.liveSound else { return }
    guard mayBeHeard(source), outputs.player.host(sound) else { return source.dismiss(nil) }
    source.noteHeard()
  }

  private func mayBeHeard(_ source: SourceSupervisor) -> Bool {
    guard obstacle == nil else { return false }
    if source.isAsked { return true }
    let player = outputs.player
    switch source.declaration.source.takesOver {
    case .always: return true
    case .idle: return !player.machine.state.isActive && player.liveInputName == nil
    case .never: return false
    }
  }

  /// Handles the result of a live input.
  private func note(_ name: String, _ outcome: LiveInputOutcome) {
    feed.post(.source(name, outcome))
    log.write(.info, "The source \(name) \(outcome.text).")
    guard let source = sources.first(where: { $0.name == name }) else { return }
    switch outcome {
    case .began, .ended: break
    case .dismissed, .displaced, .lost, .broken: source.dismiss(outcome)
    }
  }

  /// Resumes the source that was heard when the output was lost.
  private func resume() {
    for source in sources where source.wasLost { _ = source.ask() }
  }

  // MARK: Commands

  /// Carries out `sources` and `listen`.
  func perform(_ command: SourceCommand) -> Reply {
    switch command {
    case .list:
      guard !sources.isEmpty else {
        return .ok(Answer("there are no live sources; 'help source' explains how to declare one"))
      }
      return .ok(Answer(rows: sources.map { row($0) }))
    case .listen(let name):
      guard let source = sources.first(where: { $0.declaration.name == name }) else {
        return .failed("there is no source '\(name.text)'; 'sources' lists them")
      }
      if let problem = source.problem { return .failed("\(name.text) does not run: \(problem)") }
      if let obstacle { return .failed(obstacle) }
      return .ok(
        source.ask() ? "listening to \(name.text)" : "\(name.text) is heard as soon as its sound begins")
    }
  }

  private func row(_ source: SourceSupervisor) -> Row {
    var fields = [
      Field("source", source.name), Field("origin", source.declaration.source.origin.kind),
      Field("takes-over", source.declaration.source.takesOver.rawValue), Field("sound", word(source)),
    ]
    var text = source.name + ": " + word(source)
    if let figures = source.figures {
      fields += Self.fields(figures, prefix: "")
      if source.sound == .heard { text += ", " + Self.text(figures) }
      if figures.dropped > 0 { text += ", \(figures.dropped) frames dropped" }
    }
    fields.append(Field("restarts", source.restarts))
    if source.restarts > 0 { text += ", started again \(source.restarts) times" }
    if let problem = source.problem {
      fields.append(Field("problem", problem))
      text += "; " + problem + (source.secondsToRetry.map { "; trying again in \($0) s" } ?? "")
    }
    return Row(text, fields)
  }

  private func word(_ source: SourceSupervisor) -> String {
    if source.problem != nil { return "does not run" }
    switch source.sound {
    case .silent: return source.isAsked ? "waited for" : "silent"
    case .ready, .dismissed: return "passes unheard"
    case .heard: return "heard"
    }
  }

  private static func fields(_ figures: LiveFigures.Values, prefix: String) -> [Field] {
    var fields = [
      Field(prefix + "latency-ms", Int(figures.delay / 1000)),
      Field(prefix + "ppm", Int(figures.partsPerMillion)), Field(prefix + "dropped", Int(figures.dropped)),
    ]
    if let error = figures.error { fields.append(Field(prefix + "error-us", Int(error))) }
    return fields
  }

  private static func text(_ figures: LiveFigures.Values) -> String {
    "\(figures.delay / 1000) ms late, clock \(figures.partsPerMillion >= 0 ? "+" : "")\(figures.partsPerMillion) ppm"
      + (figures.error.map { ", \($0) us off its time" } ?? "")
  }

  /// Fields for `status`.
  var statusFields: [Field] {
    var fields: [Field] = []
    if let heard = sources.first(where: { $0.sound == .heard }) {
      fields.append(Field("source", heard.name))
      if let figures = heard.figures { fields += Self.fields(figures, prefix: "source-") }
    }
    for source in sources {
      if let problem = source.problem { fields.append(Field("source-problem", source.name + ": " + problem)) }
    }
    return fields
  }
}

extension LiveOrigin {
  fileprivate var kind: String {
    switch self {
    case .command: "exec"
    case .fifo: "fifo"
    case .capture: "alsa"
    case .snapcast: "snapcast"
    }
  }
}

extension LiveInputOutcome {
  /// Name of the outcome in JSON.
  var word: String {
    switch self {
    case .began: "began"
    case .ended: "ended"
    case .dismissed: "dismissed"
    case .displaced: "displaced"
    case .lost: "lost"
    case .broken: "broken"
    }
  }

  /// Text that follows the source's name.
  var text: String {
    switch self {
    case .began: "is heard"
    case .ended: "has fallen silent"
    case .dismissed: "is not heard any more"
    case .displaced: "makes room for another source"
    case .lost: "is not heard, because the output is gone"
    case .broken: "is not heard any more: its worker wrote impossible indexes into its ring"
    }
  }
}
