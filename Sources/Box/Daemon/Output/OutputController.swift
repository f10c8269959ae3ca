// The output and the player on it: opens them, looks for an output that is gone, and goes on with another one.
// Control thread; only at the start does it wait for a card to open.

import Checkpoints
import Console
import Decoding
import PlaybackModel
import Platform
import Player
import SwiftletEngine

/// Keeps the box on an output.
final class OutputController {
  /// Called with each new playback, before anything is played on it.
  var onOpen: (Playback) -> Void = { _ in }
  /// What is played at this moment, to go on with on another output.
  var capture: () -> (Checkpoint, PlayQueue)? = { nil }
  /// Goes on with what was captured, on the new player.
  var restore: (Checkpoint) -> Void = { _ in }

  /// What the light shows in a state.
  var indicator: (PlayerState) -> Indicator {
    get { events.indicator }
    set { events.indicator = newValue }
  }

  /// What the players of former outputs tried again.
  private(set) var formerRetries = 0
  private var opened: Playback?
  private var finder = OutputFinder()
  private let timer: DeadlineTimer
  private var isLooking = true
  /// What looks for an output just now.
  private var search: OutputSearch?
  private let configuration: ConfigurationStore
  private let machine: any Machine
  private let isStrict: Bool
  private let log: Log
  private let events: PlayerEvents
  private var subscription: EventSubscription?

  /// A controller without an output; `open` finds one.
  init(
    _ configuration: ConfigurationStore, on machine: any Machine, isStrict: Bool, feed: EventFeed, log: Log
  ) {
    self.configuration = configuration
    self.machine = machine
    self.isStrict = isStrict
    self.log = log
    events = PlayerEvents(feed)
    timer = DeadlineTimer(machine.scheduler)
    subscription = feed.listen { [unowned(unsafe) self] stamped in
      // The audio thread gets a card back that returns as it was; another card in its place is found here.
      switch stamped.event {
      case .adjusted:
        if player.machine.outputIsLost { findLater() } else { finder.replacementBackOff.reset() }
      case .setting: opened?.player.adopt(configuration.settings)
      default: break
      }
    }
  }

  /// The output in use. There is one from `open` on.
  var playback: Playback {
    guard let opened else { preconditionFailure("nothing asks for the output before it is opened") }
    return opened
  }

  /// The player in use. There is one from `open` on.
  var player: Player { playback.player }

  /// The player, once there is one.
  var openedPlayer: Player? { opened?.player }

  /// Opens the output that the settings name, or what stands in for it until it is there. Throws where the process
  /// itself cannot work.
  func open() throws(SystemError) {
    adopt(
      try Playback(
        OutputFinder.open(configuration.settings, on: machine),
        roots: { [unowned(unsafe) self] in configuration.roots }, on: machine,
        isStrict: isStrict, note: { [unowned(unsafe) self] in log.write(.warning, $0) }))
  }

  /// Begins with what stands in for an output, and looks for the real one in the background: nothing that takes files is waited for.
  func openLater() throws(SystemError) {
    finder.lateSettings = configuration.settings
    adopt(
      try Playback(
        OutputFinder.standIn(configuration.settings, "it is not open yet", on: machine),
        roots: { [unowned(unsafe) self] in configuration.roots }, on: machine,
        isStrict: isStrict, note: { [unowned(unsafe) self] in log.write(.warning, $0) }))
  }

  /// Goes on with the output of settings that have come late, if that is another one.
  func adoptLateSettings() {
    let settings = configuration.settings
    guard let before = finder.lateSettings,
      settings.differences(from: before).contains(where: { $0.isOfOutput })
    else {
      return
    }
    finder.lateSettings = settings
    search = nil
    timer.stop()
    do throws(SystemError) {
      // It may be the same card, which only one can have.
      if playback.missing == nil {
        change(to: try OutputFinder.standIn(settings, "the configuration wants another output", on: machine))
      }
    } catch {
      log.write(.error, "The output cannot be changed: \(error.description).")
    }
    findLater()
  }

  /// Posts a change of the queue, if there was one.
  func noteQueue() { events.noteQueue(of: player) }

  /// Posts what the light shows, if that is something else.
  func noteLight() {
    if let player = openedPlayer { events.noteLight(of: player) }
  }

  /// When a lost output is looked for again, on the scheduler's clock; nil while there is one.
  var retryDue: UInt64? { isLost ? timer.deadline : nil }

  /// Whether there is no output that plays: none was found, or it has gone.
  var isLost: Bool { playback.missing != nil || player.machine.outputIsLost }

  /// Looks for no output any more.
  func stopLooking() {
    isLooking = false
    timer.stop()
    search = nil
  }

  /// Ends the audio thread and the decoders.
  func end() {
    stopLooking()
    opened?.end()
  }

  private func adopt(_ playback: Playback) {
    opened = playback
    playback.player.adopt(configuration.settings)
    onOpen(playback)
    events.attach(
      to: playback.player, OutputFacts(summary: playback.summary, isThere: playback.missing == nil))
    if let reason = playback.missing {
      log.write(.error, "No sound: \(reason). Looking for the device.")
      player.handle(.outputLost)
      findLater()
    } else if let grant = playback.audio.grant {
      log.write(.info, "Audio thread: \(grant.description).", isPublic: true)
    }
  }

  private func findLater() {
    guard !timer.isRunning, isLooking, search == nil else { return }
    // A card that returns as it was is the audio thread's: that one knows the very frame.
    let wait =
      playback.missing == nil
      ? finder.replacementBackOff.next(at: machine.scheduler.now)
      : finder.backOff.next(at: machine.scheduler.now)
    timer.start(after: wait) { [unowned(unsafe) self] in
      guard isLost else { return }
      let search = OutputSearch()
      self.search = search
      search.begin(configuration.settings, on: machine) { [unowned(unsafe) self] output in
        self.search = nil
        guard isLooking, isLost else { return }
        if let output { change(to: output) } else { findLater() }
      }
    }
  }

  /// Goes on with the same tracks at the same places on another output.
  private func change(to output: OpenOutput) {
    let before = capture()
    do throws(SystemError) {
      let next = try Playback(
        output, roots: { [unowned(unsafe) self] in configuration.roots }, on: machine, isStrict: isStrict,
        note: { [unowned(unsafe) self] in log.write(.warning, $0) })
      playback.end()
      formerRetries += player.trackRetries + player.decoderRestarts
      finder.backOff.reset()
      adopt(next)
      log.write(.info, "Output: \(next.summary).")
      if let (checkpoint, queue) = before {
        player.queue = queue
        restore(checkpoint)
      }
    } catch {
      log.write(.error, "The output cannot be used: \(error.description). Trying again.")
      findLater()
    }
  }
}
