// Carries out the commands that play, pause and skip: what a play command starts before the saved state is loaded, with
// an empty queue, and with a queue whose storage is unmounted. Control thread.

import Console
import Decoding
import Media
import PlaybackModel
import Platform
import Player
import SwiftletEngine

/// Decides what playback commands start, and looks up the music that they name.
final class PlaybackController {
  private let lifecycle: LifecycleController
  private let outputs: OutputController
  private let queue: QueueController
  private let media: MediaController
  private let storage: RemovableStorageController
  private let checkpoints: CheckpointController
  private let places: TagPlaces
  private let log: Log
  /// Token of the search whose result will be played at once; a newer search, pause or stop cancels it.
  private var search = Cancellation()

  init(
    _ lifecycle: LifecycleController, _ outputs: OutputController, _ queue: QueueController,
    _ media: MediaController, _ storage: RemovableStorageController, _ checkpoints: CheckpointController,
    _ places: TagPlaces, log: Log
  ) {
    self.lifecycle = lifecycle
    self.outputs = outputs
    self.queue = queue
    self.media = media
    self.storage = storage
    self.checkpoints = checkpoints
    self.places = places
    self.log = log
  }

  private var player: Player { outputs.player }
  /// Whether a play command waits for the saved state.
  private var awaitsState: Bool { lifecycle.phase.awaitsState }

  /// Reply of a search that a newer one has replaced.
  static var superseded: Reply { .failed("given up for what was asked for since") }

  /// Reply that refuses all commands while the audio thread is stalled with many commands queued, or during shutdown;
  /// nil otherwise.
  var refusal: Reply? {
    guard !lifecycle.phase.isEnding else { return .failed("the box is shutting down") }
    guard player.isOverloaded else { return nil }
    return .failed("the sound card holds up the audio thread, and many commands wait; try again")
  }

  // MARK: Meaning of play commands

  /// What a play command starts.
  private enum PlayMeaning {
    /// The player's queue; the state machine decides.
    case player
    /// The stick that was offered when it was plugged in.
    case offer(path: String)
    /// Everything below the media roots, because the queue is empty.
    case allMusic
    /// The next queue entry whose storage is mounted.
    case entry(Track)
    /// Nothing yet: the storage of this track is unmounted; playback starts when it returns.
    case wait(for: Track)
  }

  /// Whether the player would accept a playback command, or the command starts other music than the player's queue.
  /// Changes nothing.
  func accepts(_ command: Command) -> Bool {
    wantsMusic(command) || choosesOtherStorage(command) || player.refusal(of: command) == nil
  }

  /// Command to check against the limits: a plain play that would start the offered stick counts as `play offered`.
  func asLimited(_ command: Command) -> Command {
    let isOffer =
      !awaitsState && storage.offered != nil && (wantsMusic(command) || choosesOtherStorage(command))
    return isOffer ? .playOffered : command
  }

  /// Whether a play command finds its track's storage unmounted and would play something else or wait.
  private func choosesOtherStorage(_ command: Command) -> Bool {
    !awaitsState && asksToPlay(command) && trackThatIsAway != nil
  }

  /// What a command starts if it requests music.
  ///
  /// - Returns: `player` for all commands that do not need special treatment.
  private func meaning(of command: Command) -> PlayMeaning {
    // While the saved state is loading, play means to resume it.
    guard !awaitsState else { return .player }
    if wantsMusic(command) { return storage.offered.map { .offer(path: $0) } ?? .allMusic }
    guard asksToPlay(command), let track = trackThatIsAway else { return .player }
    if let path = storage.offered { return .offer(path: path) }
    let isStorageAway = player.isStorageAway(track)
    let roots = media.configuration.roots
    let away = roots.root(of: track.path)
    // A stick's absence is known from the mount table; that of a media root, from the failure of a track in it.
    func isThere(_ other: Track) -> Bool {
      guard !player.isStorageAway(other) else { return false }
      guard !isStorageAway, let away else { return true }
      return roots.root(of: other.path) != away
    }
    return player.queue.firstAfter(track, where: isThere).map { .entry($0) } ?? .wait(for: track)
  }

  /// Whether a command requests music while the queue is empty and nothing can be resumed.
  private func wantsMusic(_ command: Command) -> Bool {
    guard player.queue.isEmpty, player.liveInputName == nil || command != .toggle else { return false }
    switch (command, player.machine.state.kind) {
    case (.play(path: nil), .idle), (.play(path: nil), .finished), (.toggle, .idle): return true
    default: return false
    }
  }

  /// Whether a command means play; `toggle` does if nothing is playing or about to.
  private func asksToPlay(_ command: Command) -> Bool {
    switch command {
    case .play(path: nil): true
    case .toggle: !player.machine.state.isActive
    default: false
    }
  }

  /// The track that play would start, if its storage is unmounted; nil if it is mounted.
  private var trackThatIsAway: Track? {
    let state = player.machine.state
    switch state {
    case .failed(let error, let track?, _, _):
      // The offered stick may have taken the place of the one that has the track.
      let isElsewhere = error.kind == .missing && storage.offered.map { track.lives(beneath: $0) } == true
      return error.kind == .storageRemoved || isElsewhere || player.isStorageAway(track) ? track : nil
    case .idle, .ready, .paused, .crossfadePaused, .finished:
      guard let track = state.heardTrack ?? player.queue.current ?? player.queue.peekFirst,
        player.isStorageAway(track)
      else { return nil }
      return track
    // A track being prepared was chosen a moment ago; if its storage is unmounted it fails, and the next press handles
    // that.
    case .preparing, .playing, .buffering, .seeking, .preparingCrossfade, .crossfading, .fadingOut, .failed:
      return nil
    }
  }

  // MARK: Commands

  /// Carries out a command of the player.
  ///
  /// - Returns: nil for other commands, of which only the request for silence has been noted.
  func handling(of command: Command) -> Handling? {
    let meaning = meaning(of: command)
    noteSilence(command)
    switch meaning {
    case .player: return (arm(command) ?? player.perform(command)).map { .done($0) }
    case .offer(let path): return playing(everythingIn: [path], isForEmptyQueue: false)
    case .allMusic: return playing(everythingIn: media.roots, isForEmptyQueue: true)
    case .entry(let track):
      // The user retries explicitly, so earlier failures do not count.
      player.queue.forgetFailures()
      do throws(QueueError) { try player.queue.select(track.id) } catch {}
      return .done(player.give(.skip(to: track)))
    case .wait(let track):
      // Puts the state machine into its play state; the track is retried when its storage returns.
      player.play()
      return .done(
        .ok("waiting for the storage of " + track.path + ", which is away; it plays when that is back"))
    }
  }

  /// Plays the offered stick.
  func playOffered() -> Handling {
    guard let path = storage.offered else {
      return .done(.failed("no stick is offered; plug one in, or 'media' lists the music"))
    }
    return playing(everythingIn: [path], isForEmptyQueue: false)
  }

  private func playing(everythingIn folders: [String], isForEmptyQueue: Bool) -> Handling {
    .waits { [unowned(unsafe) self] _, answer in
      // A second press during a search joins that search; playing a stick replaces it.
      if !isForEmptyQueue { search.cancel() }
      if search.isSet { search = Cancellation() }
      let search = search
      media.findAll(in: folders, until: search) { [unowned(unsafe) self] lookup in
        guard refusal == nil, !search.isSet else { return answer(refusal ?? Self.superseded) }
        // The user or the saved state may have filled the queue during the search.
        guard !isForEmptyQueue || player.queue.isEmpty else { return resume(answer) }
        switch lookup {
        case .tracks(let found):
          places.playedName = nil
          if let note = found.note { log.write(.warning, note) }
          answer(queue.play(found.tracks).adding(found.note))
        case .refused(let error): answer(.error(error))
        }
      }
    }
  }

  private func resume(_ answer: @escaping (Reply) -> Void) {
    switch handling(of: .play(path: nil)) {
    case nil: preconditionFailure("the player performs a plain play")
    case .done(let reply, _)?: answer(reply)
    case .waits(_, let start)?: start(Cancellation(), answer)
    }
  }

  /// Cancels a pending search on pause or stop, so that its result does not break the silence; `play` clears that
  /// state.
  private func noteSilence(_ command: Command) {
    switch command.properties.silence {
    case .requests:
      search.cancel()
      // Also cancel a play command that waits for the saved state; an idle player would otherwise ignore pause.
      if awaitsState, player.machine.state.kind == .idle { player.handle(.pause) }
      checkpoints.isSilenced = true
    case .toggles:
      if player.machine.state.isActive { search.cancel() }
      checkpoints.isSilenced = player.machine.state == .idle(cause: nil, armed: .armed)
    case .ends: checkpoints.isSilenced = false
    case .unaffected: break
    }
  }

  /// Schedules playback for when the saved state has loaded.
  ///
  /// - Returns: The reply; nil if the command does not wait for the saved state.
  private func arm(_ command: Command) -> Reply? {
    guard awaitsState, wantsMusic(command) else { return nil }
    player.handle(command == .toggle ? .toggle : .play)
    return .ok("what is remembered is not known yet: its storage does not answer")
  }

  // MARK: Named music

  /// Finds music by name and plays it in place of the queue.
  ///
  /// - Parameters:
  ///   - name: Path, stream address or stored playlist.
  ///   - beginning: Where to start; nil: at the first track.
  ///   - isUnattended: Whether no user requested it.
  ///   - answer: Called with the reply.
  func play(
    _ name: String, from beginning: TagPlaces.Beginning?, isUnattended: Bool = false,
    _ answer: @escaping (Reply) -> Void
  ) {
    search.cancel()
    let search = Cancellation()
    self.search = search
    find([name], until: search, answer) { [unowned(unsafe) self] in
      guard !search.isSet else { return Self.superseded }
      if isUnattended { player.noteUnattended($0) }
      let reply = queue.play($0, from: beginning)
      if reply.isOK { places.playedName = name }
      return reply
    }
  }

  /// Looks up music by name.
  ///
  /// - Parameters:
  ///   - names: Paths, stream addresses and stored playlists.
  ///   - cancellation: Ends the lookup early.
  ///   - answer: Called with the reply of `use`, or with an error.
  ///   - use: Uses the tracks.
  func find(
    _ names: [String], until cancellation: Cancellation = Cancellation(), _ answer: @escaping (Reply) -> Void,
    use: @escaping ([Track]) -> Reply
  ) {
    media.find(names, until: cancellation) { [unowned(unsafe) self] lookup in
      switch lookup {
      case .tracks(let found):
        if let note = found.note { log.write(.warning, note) }
        answer(refusal ?? use(found.tracks).adding(found.note))
      case .refused(let error): answer(cancellation.isSet ? Self.superseded : .error(error))
      }
    }
  }
}
