// The box and its player: what the player tells, outputs that come and go, and coming back from a checkpoint.
// Control thread.

import Checkpoints
import Console
import Decoding
import PlaybackModel
import Platform
import Player
import RealtimeAudio

extension Box {
  /// Connects a new playback and sets it up as the box is set.
  func adopt(_ playback: Playback) {
    use(playback)
    record(playback)
    player.observer = BoxObserver(self)
    player.startPosition = { [unowned(unsafe) self] in startPosition($0) }
    applySettings()
    if let reason = playback.missing {
      log.write(.error, "No sound: \(reason). Looking for the device.")
      player.handle(.outputLost)
      findLater()
    } else if let grant = playback.audio.grant {
      log.write(.info, "Audio thread: \(grant.description).", isPublic: true)
    }
  }

  private func findLater() {
    guard !finderTimer.isRunning, !isEnding else { return }
    // A card that returns as it was is the audio thread's: that one knows the very frame.
    let wait = playback.missing == nil ? OutputFinder.patience : finder.backOff.next(at: scheduler.now)
    finderTimer.start(after: wait) { [unowned(unsafe) self] in
      guard playback.missing != nil || player.machine.outputIsLost else { return }
      if let output = try? OutputFinder.find(settings, on: machine) {
        change(to: output)
      } else {
        findLater()
      }
    }
  }

  /// Goes on with the same tracks at the same places on another output.
  private func change(to output: OpenOutput) {
    let before = capture()
    do throws(SystemError) {
      let next = try Playback(output, roots: roots, on: machine, isStrict: options.isStrict)
      playback.end()
      trackRetries += player.trackRetries
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

  /// What a checkpoint holds at this moment.
  func capture() -> (Checkpoint, PlayQueue)? {
    let moment = player.moment()
    var checkpoint = Checkpoint(
      state: player.machine.state, moment: moment, rate: player.machine.settings.rate, volume: wantedVolume,
      cursor: player.queue.cursor)
    if let rest = sleepRest { checkpoint.sleepTimer = Seconds(Double(rest) / 1e9) }
    return (checkpoint, player.queue)
  }

  /// Takes up what the file held, as far as the settings want it.
  func resume(from opening: JournalOpening?) {
    guard let opening else { return }
    for note in opening.notes { log.write(.warning, note) }
    guard let checkpoint = opening.checkpoint, settings.checkpointResume != "off" else { return }
    if settings.startVolume == nil { setVolume(checkpoint.volume) }
    guard let record = opening.queue else { return }
    player.queue = record.queue(at: checkpoint.cursor)
    var taken = checkpoint.converted(to: player.machine.settings.rate)
    if settings.checkpointResume == "paused" { taken.state = taken.state.atRest(taken.moment) }
    if let rest = taken.sleepTimer { setSleepTimer(after: rest) }
    restore(taken)
    log.write(.info, "Took up where it was: \(player.machine.state.statusText).")
  }

  private func restore(_ checkpoint: Checkpoint) {
    let converted = checkpoint.converted(to: player.machine.settings.rate)
    player.restore(converted.state, saved: converted.moment)
    // A fade that ran comes back as one that waits for the output, which is there.
    player.handle(playback.missing == nil ? .outputRestored : .outputLost)
  }

  // MARK: What the player tells

  func playerDidChange(_ player: Player) {
    // The audio thread gets a card back that returns as it was; another card in its place is found here.
    if player.machine.outputIsLost { findLater() }
    checkpoints?.note(player.machine.state, isTransition: false)
    showState()
    recordRings()
    watchSoon()
  }

  func playerWantsCheckpoint(_ player: Player) {
    checkpoints?.note(player.machine.state, isTransition: true)
  }

  func player(_ player: Player, reports error: PlaybackError) {
    failures += 1
    switch error.kind {
    case .decoderCrashed, .decoderHung, .decoderBrokeSandbox: crashes += 1
    default: break
    }
    log.write(.error, error.sentence + " " + error.remedy)
  }

  func player(_ player: Player, notes text: String) { log.write(.warning, text, isPublic: true) }
}

extension PlayerState {
  /// The same, waiting for somebody to press play.
  fileprivate func atRest(_ moment: Moment) -> PlayerState {
    switch self {
    case .preparing(let track, _, let start):
      .preparing(track: track, intent: .pause(.user), start: start)
    case .playing(let track), .buffering(let track, _), .preparingCrossfade(let track, _, _):
      .paused(track: track, position: moment.current, reason: .user)
    case .seeking(let track, let target, _): .seeking(track: track, target: target, intent: .pause(.user))
    case .crossfading(_, let to, _, _, _):
      .paused(track: to, position: moment.next ?? .zero, reason: .user)
    case .crossfadePaused(let from, let to, let strategy, let snapshot, _):
      .crossfadePaused(from: from, to: to, strategy: strategy, snapshot: snapshot, reason: .user)
    case .paused(let track, let position, _): .paused(track: track, position: position, reason: .user)
    case .failed(let error, let track, let position, _):
      .failed(error: error, track: track, position: position, intent: .pause(.user))
    case .idle, .ready, .fadingOut, .finished: self
    }
  }
}
