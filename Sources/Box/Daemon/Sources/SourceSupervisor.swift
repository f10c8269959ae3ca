// One live source: its processes, started again when they have ended, and what its sound is doing. Control thread; never waits.

import AudioRing
import Console
import Controls
import PlaybackModel
import Platform
import Player

/// Keeps a source running while it is declared.
final class SourceSupervisor {
  /// What its sound is doing.
  enum Sound: Equatable {
    /// None comes.
    case silent
    /// It could be heard from an index of the ring on.
    case ready(UInt64)
    /// It is heard, or about to be.
    case heard
    /// It passes unheard, until it stops and begins anew.
    case dismissed
  }

  /// Called when its sound could be heard.
  var onReady: () -> Void = {}
  /// Called when its sound has stopped, for that reason.
  var onStop: (LiveInputOutcome) -> Void = { _ in }

  /// What it was declared as.
  let declaration: SourceDeclaration
  private(set) var sound = Sound.silent
  /// Somebody has asked to hear it, and it has not been heard since.
  var isAsked = false
  /// The output was lost while it was heard.
  private(set) var wasLost = false
  /// How often it was started again.
  private(set) var restarts = 0
  /// What was said last of why it does not run.
  private var told: String?
  private var receiver: (any LiveReceiver)?
  private var rate: SampleRate?
  private let restart: RestartTimer
  private let machine: any Machine
  private let log: Log

  init(_ declaration: SourceDeclaration, on machine: any Machine, log: Log) {
    self.declaration = declaration
    self.machine = machine
    self.log = log
    restart = RestartTimer(machine.scheduler)
  }

  var name: String { declaration.name.text }

  /// Why it does not run; nil while it does.
  var problem: String? { receiver == nil ? told : nil }

  /// Seconds until it is started again; nil while it runs.
  var secondsToRetry: Int? { restart.secondsLeft }

  /// How it is doing; nil while it does not run.
  var figures: LiveFigures.Values? { receiver?.figures }

  /// What of it is to be heard now; nil where nothing is ready.
  var liveSound: LiveSound? {
    guard case .ready(let index) = sound, let receiver, let rate else { return nil }
    let delay = rate.frames(Seconds(Double(declaration.source.delay) / 1000))
    return LiveSound(name, receiver, from: index, delay: delay)
  }

  // MARK: Running

  /// Runs for an output's rate from now on; for another rate it is started anew.
  func run(at rate: SampleRate) {
    guard rate != self.rate else { return }
    self.rate = rate
    end()
    start()
  }

  /// Runs no more.
  func end() {
    restart.reset()
    receiver?.terminate()
    receiver = nil
    sound = .silent
  }

  private func start() {
    guard let rate else { return }
    do throws(SystemError) {
      restart.noteStart()
      let started = try machine.startSource(declaration.source, rate: rate)
      started.onEvents = { [unowned(unsafe) self] in takeEvents() }
      receiver = started
    } catch {
      return tryAgain(error.description)
    }
  }

  private func takeEvents() {
    guard let receiver else { return }
    for event in receiver.takeEvents() {
      switch event {
      case .ready(let index):
        sound = .ready(index)
        onReady()
      case .silent: stop(.ended)
      case .failed(let reason):
        stop(.ended)
        return tryAgain(reason)
      }
    }
  }

  private func stop(_ outcome: LiveInputOutcome) {
    let former = sound
    sound = .silent
    wasLost = false
    if former == .heard { onStop(outcome) }
  }

  private func tryAgain(_ reason: String) {
    if restart.isSteady { told = nil }
    // It may be in the midst of telling this.
    let former = receiver
    former?.onEvents = {}
    former?.terminate()
    receiver = nil
    sound = .silent
    let wait = restart.again { [unowned(unsafe) self] in
      restarts += 1
      start()
    }
    // What cannot be had is said once.
    if told != reason {
      log.write(
        .warning, "\("The source \(name) does not run: \(reason)".asSentence) Trying again in \(wait) s.")
    }
    told = reason
  }

  // MARK: Its sound

  /// What was ready is heard now.
  func noteHeard() {
    sound = .heard
    isAsked = false
    wasLost = false
  }

  /// It is not heard any more, or was not let in, though its sound goes on.
  func dismiss(_ outcome: LiveInputOutcome?) {
    guard sound != .silent, sound != .dismissed else { return }
    let wasHeard = sound == .heard
    sound = .dismissed
    wasLost = outcome == .lost
    receiver?.dismiss()
    // What lies in the ring of one that is not heard keeps the place of what comes.
    if !wasHeard, let ring = receiver?.ring { ring.retain(from: ring.writtenIndex) }
    if outcome == .broken { tryAgain("its worker wrote impossible indexes into its ring") }
  }

  /// Somebody wants to hear it. Whether it sounds.
  func ask() -> Bool {
    isAsked = true
    switch sound {
    case .silent: return false
    case .ready: onReady()
    case .heard: isAsked = false
    case .dismissed:
      sound = .silent
      receiver?.listen()
    }
    return true
  }
}
