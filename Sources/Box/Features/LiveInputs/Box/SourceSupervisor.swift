// Supervises one live source: starts its processes, restarts them, and tracks whether it has sound. Control thread;
// never blocks.

import AudioRing
import Console
import Controls
import PlaybackModel
import Platform
import Player

/// Keeps a live source running while it is declared.
final class SourceSupervisor {
  /// State of the source's sound.
  enum Sound: Equatable {
    /// The source delivers no sound.
    case silent
    /// Sound is available from this ring index on.
    case ready(UInt64)
    /// The sound is the live input, or is about to be.
    case heard
    /// The sound is discarded until it stops and starts again.
    case dismissed
  }

  /// Called when sound is available.
  var onReady: () -> Void = {}
  /// Called when the sound that was heard has stopped, with the reason.
  var onStop: (LiveInputOutcome) -> Void = { _ in }

  /// The source's declaration in the configuration.
  let declaration: SourceDeclaration
  private(set) var sound = Sound.silent
  /// Whether the user has requested this source since it was last heard.
  var isAsked = false
  /// Whether the output was lost while the source was heard.
  private(set) var wasLost = false
  /// Number of restarts.
  private(set) var restarts = 0
  /// Last logged reason why the source does not run.
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

  /// Why the source does not run; nil while it runs.
  var problem: String? { receiver == nil ? told : nil }

  /// Seconds until the next restart; nil while it runs.
  var secondsToRetry: Int? { restart.secondsLeft }

  /// Latency and clock figures; nil while it does not run.
  var figures: LiveFigures.Values? { receiver?.figures }

  /// Sound to pass to the player; nil if none is available.
  var liveSound: LiveSound? {
    guard case .ready(let index) = sound, let receiver, let rate else { return nil }
    let delay = rate.frames(Seconds(Double(declaration.source.delay) / 1000))
    return LiveSound(name, receiver, from: index, delay: delay)
  }

  // MARK: Running

  /// Runs the source at an output's sample rate; a different rate restarts it.
  func run(at rate: SampleRate) {
    guard rate != self.rate else { return }
    self.rate = rate
    end()
    start()
  }

  /// Ends the source.
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
    // The receiver may be calling this from its event handler, so keep it until this returns.
    let former = receiver
    former?.onEvents = {}
    former?.terminate()
    receiver = nil
    sound = .silent
    let wait = restart.again { [unowned(unsafe) self] in
      restarts += 1
      start()
    }
    // A persistent failure is logged only once.
    if told != reason {
      log.write(
        .warning, "\("The source \(name) does not run: \(reason)".asSentence) Trying again in \(wait) s.")
    }
    told = reason
  }

  // MARK: Sound

  /// Records that the available sound is now heard.
  func noteHeard() {
    sound = .heard
    isAsked = false
    wasLost = false
  }

  /// Discards the sound although it continues.
  ///
  /// - Parameter outcome: Why it is no longer heard; nil: it was not accepted.
  func dismiss(_ outcome: LiveInputOutcome?) {
    guard sound != .silent, sound != .dismissed else { return }
    let wasHeard = sound == .heard
    sound = .dismissed
    wasLost = outcome == .lost
    receiver?.dismiss()
    // Unread frames in the ring would leave no room for new ones.
    if !wasHeard, let ring = receiver?.ring { ring.retain(from: ring.writtenIndex) }
    if outcome == .broken { tryAgain("its worker wrote impossible indexes into its ring") }
  }

  /// Requests that the source be heard.
  ///
  /// - Returns: Whether it has sound now.
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
