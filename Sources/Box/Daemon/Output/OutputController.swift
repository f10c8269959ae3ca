// Output device management: opens it, searches for a lost one, and moves playback to a replacement. Control thread;
// blocks only at start, while the card is opened.

import Checkpoints
import Console
import Decoding
import PlaybackModel
import Platform
import Player
import SwiftletEngine

/// Owns the output and its player.
final class OutputController {
  /// Number of retries and decoder restarts by players of former outputs.
  private(set) var formerRetries = 0
  private var opened: Playback?
  private unowned(unsafe) var user: (any OutputUser)?
  private var events: PlayerEvents?
  private var finder = OutputFinder()
  private let timer: DeadlineTimer
  private var isLooking = true
  /// The running search for an output; nil: none.
  private var search: OutputSearch?
  private let configuration: ConfigurationStore
  private let machine: any Machine
  private let isStrict: Bool
  private let log: Log
  private let feed: EventFeed
  private var subscription: EventSubscription?

  /// Creates a controller without an output; call `open` or `openLater`.
  init(
    _ configuration: ConfigurationStore, on machine: any Machine, isStrict: Bool, feed: EventFeed, log: Log
  ) {
    self.configuration = configuration
    self.machine = machine
    self.isStrict = isStrict
    self.log = log
    self.feed = feed
    timer = DeadlineTimer(machine.scheduler)
    subscription = feed.listen { [unowned(unsafe) self] stamped in
      // The audio thread reopens the same card by itself; a different card in its place is found here.
      switch stamped.event {
      case .adjusted:
        if player.machine.outputIsLost { findLater() } else { finder.replacementBackOff.reset() }
      case .setting: opened?.player.adopt(configuration.settings)
      default: break
      }
    }
  }

  /// The current output and its player. Available after `open` or `openLater`.
  var playback: Playback {
    guard let opened else { preconditionFailure("nothing asks for the output before it is opened") }
    return opened
  }

  /// The current player. Available after `open` or `openLater`.
  var player: Player { playback.player }

  /// The player; nil before the output is opened.
  var openedPlayer: Player? { opened?.player }

  /// Opens the configured output, or a placeholder if it is missing. Blocks.
  ///
  /// - Parameter user: The features that use the output's player.
  /// - Throws: `SystemError` if the process cannot create descriptors or threads.
  func open(for user: any OutputUser) throws(SystemError) {
    connect(user)
    adopt(
      try Playback(
        OutputFinder.open(configuration.settings, on: machine),
        roots: { [unowned(unsafe) self] in configuration.roots }, on: machine,
        isStrict: isStrict, note: { [unowned(unsafe) self] in log.write(.warning, $0) }))
  }

  /// Opens a placeholder and searches for the output in the background, so that nothing blocks.
  ///
  /// - Parameter user: The features that use the output's player.
  /// - Throws: `SystemError` if the process cannot create descriptors or threads.
  func openLater(for user: any OutputUser) throws(SystemError) {
    connect(user)
    finder.lateSettings = configuration.settings
    adopt(
      try Playback(
        OutputFinder.standIn(configuration.settings, "it is not open yet", on: machine),
        roots: { [unowned(unsafe) self] in configuration.roots }, on: machine,
        isStrict: isStrict, note: { [unowned(unsafe) self] in log.write(.warning, $0) }))
  }

  /// Switches to the output of a configuration that was read after the start, if it differs.
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
      // Release the current card first: the new settings may name the same one, which cannot be opened twice.
      if playback.missing == nil {
        change(to: try OutputFinder.standIn(settings, "the configuration wants another output", on: machine))
      }
    } catch {
      log.write(.error, "The output cannot be changed: \(error.description).")
    }
    findLater()
  }

  /// Posts a queue event if the queue has changed.
  func noteQueue() { events?.noteQueue(of: player) }

  /// Light pattern for a player state.
  func indicator(of state: PlayerState) -> Indicator { user?.indicator(of: state) ?? state.indicator }

  /// Posts a light event if the light pattern has changed.
  func noteLight() {
    if let player = openedPlayer { events?.noteLight(of: player) }
  }

  /// Scheduler time of the next search for a lost output; nil while there is an output.
  var retryDue: UInt64? { isLost ? timer.deadline : nil }

  /// Whether no output can play: none was found, or it was lost.
  var isLost: Bool { playback.missing != nil || player.machine.outputIsLost }

  /// Stops searching for outputs.
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

  private func connect(_ user: any OutputUser) {
    self.user = user
    events = PlayerEvents(feed, user)
  }

  private func adopt(_ playback: Playback) {
    opened = playback
    playback.player.adopt(configuration.settings)
    user?.prepare(playback)
    events?.attach(
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
    // Gives the audio thread time to reopen the same card first, since only that resumes on the exact frame.
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

  /// Continues the current tracks at their positions on another output.
  private func change(to output: OpenOutput) {
    let before = user?.capture()
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
        user?.restore(checkpoint)
      }
    } catch {
      log.write(.error, "The output cannot be used: \(error.description). Trying again.")
      findLater()
    }
  }
}
