// The daemon's lifecycle in a model of its environment: storage that responds early, late or never, timers in any
// order, a user, and requests to end. Test threads.

import Daemon
import Platform

/// A daemon's lifecycle and the state of its environment.
struct LifecycleModel: Hashable {
  /// Conditions of a start that do not change.
  struct Setup: Hashable {
    /// Whether the configuration is read within 0.5 s.
    var isConfigurationInTime = true
    /// Whether the safe-start button is down at power-on.
    var isButtonDown = false
    var saved = Saved.file
    /// Whether the process can create what it needs.
    var canRun = true
    /// Whether writing the state files finishes within the call.
    var writesAtOnce = false

    /// What is saved: a file; nothing, because it is off; a file that is skipped after crashes.
    enum Saved: CaseIterable { case file, off, skipped }

    static var all: [Setup] {
      var all: [Setup] = []
      for bits in 0..<16 {
        func bit(_ n: Int) -> Bool { bits & 1 << n != 0 }
        for saved in Saved.allCases {
          all.append(
            Setup(
              isConfigurationInTime: bit(0), isButtonDown: bit(1), saved: saved, canRun: bit(2),
              writesAtOnce: bit(3)))
        }
      }
      return all
    }
  }

  /// A request to storage.
  enum Request: Hashable { case none, pending, answered }

  /// Something that happens to the daemon.
  enum Move: Hashable, CaseIterable {
    case configurationAnswers, bookmarksAnswer, stateIsLoaded, stateIsRefused, buttonIsReleased, buttonIsHeld
    case commandsExpire, playExpires, turnExpires, fadeExpires, writesFinish
    case userStarts, userPauses, commandEnds, signalEnds
  }

  let setup: Setup
  private(set) var lifecycle = BoxLifecycle()
  private(set) var timers: Set<BoxTimer> = []
  private(set) var configuration = Request.none
  private(set) var bookmarks = Request.none
  private(set) var state = Request.none
  private(set) var hasRefused = false
  private(set) var awaitsButton = false
  private(set) var isWriting = false
  /// Whether a loaded state is neither restored nor dropped.
  private(set) var holdsState = false
  private(set) var facts = LifecycleFacts()
  private(set) var acceptances = 0
  private(set) var readies = 0
  private(set) var commandRuns = 0
  private(set) var stops = 0
  private(set) var closes = 0
  /// The first broken promise.
  private(set) var violation: String?

  init(_ setup: Setup) {
    self.setup = setup
    configuration = setup.isConfigurationInTime ? .answered : .pending
    handle(setup.isConfigurationInTime ? .configurationRead : .configurationTimedOut)
  }

  var phase: BoxPhase { lifecycle.phase }

  /// Whether no further event can change anything.
  var isOver: Bool { phase.kind == .ended || phase.kind == .failed }

  // MARK: Moves

  /// The model after a move; nil if the move is not possible now.
  func after(_ move: Move) -> LifecycleModel? {
    var next = self
    return next.make(move) ? next : nil
  }

  private mutating func make(_ move: Move) -> Bool {
    switch move {
    case .configurationAnswers:
      guard configuration == .pending else { return false }
      configuration = .answered
      handle(.configurationRead)
    case .bookmarksAnswer:
      guard bookmarks == .pending else { return false }
      bookmarks = .answered
      handle(.bookmarksRead)
    case .stateIsLoaded:
      // The store reports nothing after it was finished.
      guard state == .pending, !isOver, phase.kind != .saving, phase.kind != .fadingOut else { return false }
      state = .answered
      holdsState = true
      handle(.stateLoaded)
    case .stateIsRefused:
      guard state == .pending, !hasRefused, !isOver, phase.kind != .saving, phase.kind != .fadingOut else {
        return false
      }
      // The store retries, so the state may still be loaded.
      hasRefused = true
      handle(.stateDecided)
    case .buttonIsReleased, .buttonIsHeld:
      guard awaitsButton else { return false }
      awaitsButton = false
      handle(move == .buttonIsHeld ? .buttonHeld : .buttonReleased)
    case .commandsExpire: return expire(.commands)
    case .playExpires: return expire(.play)
    case .turnExpires: return expire(.turn)
    case .fadeExpires: return expire(.fade)
    case .writesFinish:
      guard isWriting else { return false }
      isWriting = false
      handle(.saved)
    case .userStarts:
      guard phase.acceptsCommands, facts.isFree else { return false }
      facts = LifecycleFacts(isFree: false, isSounding: true)
    case .userPauses:
      guard phase.acceptsCommands, facts.isSounding else { return false }
      facts.isSounding = false
    case .commandEnds:
      guard phase.acceptsCommands else { return false }
      handle(.endRequested(.command))
    case .signalEnds: handle(.endRequested(.signal))
    }
    return true
  }

  private mutating func expire(_ timer: BoxTimer) -> Bool {
    guard timers.remove(timer) != nil else { return false }
    handle(timer.event)
    return true
  }

  // MARK: Effects

  private mutating func handle(_ event: BoxEvent) {
    let (former, moment) = (phase, facts)
    guard let effects = lifecycle.handle(event, moment) else {
      return violate("\(event.kind.name) cannot occur while \(former)")
    }
    if former.isEnding, !phase.isEnding { violate("\(event.kind.name) has cancelled the end") }
    for effect in effects { perform(effect, decidedWith: moment) }
    checkTimers()
  }

  private mutating func violate(_ text: String) { if violation == nil { violation = text } }

  private mutating func perform(_ effect: BoxEffect, decidedWith moment: LifecycleFacts) {
    if phase.isEnding, !Self.isAllowedAtEnd(effect) { violate("\(effect.name) while \(phase.kind.name)") }
    switch effect {
    case .start(let timer): timers.insert(timer)
    case .stop(let timer): timers.remove(timer)
    case .checkButton:
      if setup.isButtonDown { awaitsButton = true } else { handle(.buttonReleased) }
    case .readState: readState()
    case .openOutput, .openPlaceholder:
      handle(setup.canRun ? .outputOpened : .cannotRun(SystemError("pipe", code: 24)))
    case .restoreState, .dropState:
      if !holdsState { violate("\(effect.name) without a loaded state") }
      if (effect == .restoreState) != moment.isFree { violate("\(effect.name) with \(moment)") }
      holdsState = false
      if effect == .restoreState { facts = LifecycleFacts(isFree: false, isSounding: true) }
      handle(.stateDecided)
    case .acceptCommands:
      acceptances += 1
      if acceptances > 1 { violate("commands are accepted twice") }
      if configuration == .none { violate("commands are accepted before the configuration is decided") }
      if timers.contains(.commands) { violate("the timer 'commands' runs while commands are accepted") }
    case .notifyReady:
      readies += 1
      if readies > 1 { violate("the start is complete twice") }
    case .runConfiguredCommands, .skipConfiguredCommands:
      commandRuns += 1
      if commandRuns > 1 { violate("the configuration's commands run twice") }
      if configuration != .answered { violate("the configuration's commands run before they are known") }
    case .notifyStopping:
      stops += 1
      if stops > 1 { violate("the end begins twice") }
    case .save:
      if holdsState { violate("a state that was loaded and not restored is replaced") }
      if setup.writesAtOnce { handle(.saved) } else { isWriting = true }
    case .close:
      closes += 1
      if closes > 1 { violate("everything is closed twice") }
    case .applyConfiguration, .adoptConfiguration, .countStart, .watchStorage, .showCaution,
      .showSkippedLines,
      .startWatchdog, .playIfRequested, .resetStartCount, .stopActivity, .detachPlayer, .fadeOut:
      break
    }
  }

  private mutating func readState() {
    if setup.saved == .off {
      handle(.stateDecided)
      handle(.bookmarksRead)
      return
    }
    bookmarks = .pending
    if setup.saved == .skipped { handle(.stateDecided) } else { state = .pending }
  }

  /// Effects that start nothing new.
  private static func isAllowedAtEnd(_ effect: BoxEffect) -> Bool {
    switch effect {
    case .notifyStopping, .resetStartCount, .save, .stopActivity, .detachPlayer, .fadeOut, .close, .stop,
      .start(.turn), .start(.fade), .restoreState, .dropState:
      true
    case .checkButton, .applyConfiguration, .adoptConfiguration, .countStart, .readState, .openOutput,
      .openPlaceholder, .watchStorage, .acceptCommands, .notifyReady, .showCaution, .showSkippedLines,
      .runConfiguredCommands, .skipConfiguredCommands, .startWatchdog, .playIfRequested, .start(.commands),
      .start(.play):
      false
    }
  }

  /// Each phase that waits does so under a timeout, and no other timer runs.
  private mutating func checkTimers() {
    let wanted: Set<BoxTimer>
    switch phase {
    case .readingConfiguration, .openingPlaceholder, .openingOutput: return
    case .checkingButton:
      wanted = []
      if !awaitsButton { violate("the button is not checked") }
    case .readingState(.decided): wanted = [.commands]
    case .readingState: wanted = timers.contains(.play) ? [.commands, .play] : [.commands]
    case .waitingForConfiguration(let wait), .waitingForState(let wait):
      wanted = wait == .active ? [.play] : []
    case .adoptingConfiguration(.loading(_, .active), _), .adoptingConfiguration(.held(.active), _):
      wanted = [.commands, .play]
    case .adoptingConfiguration: wanted = [.commands]
    case .running: wanted = []
    case .stopping: wanted = [.turn]
    case .saving:
      wanted = []
      if !isWriting { violate("nothing is written, and the end waits") }
    case .fadingOut: wanted = [.fade]
    case .ended, .failed: wanted = []
    }
    if timers != wanted { violate("timers \(timers.map(\.name).sorted()) while \(phase)") }
  }
}
