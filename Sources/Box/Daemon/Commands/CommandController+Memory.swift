// Meaning of `play` before the saved state is loaded, with an empty queue, and with a queue whose storage is unmounted;
// and which commands are accepted. Control thread.

import Console
import Decoding
import Media
import PlaybackModel
import Platform
import Player
import SwiftletEngine

/// What a play command starts.
enum PlayMeaning {
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

extension CommandController {
  /// Whether a command would be accepted now. Changes nothing.
  func accepts(_ command: Command) -> Bool {
    guard refusal == nil, limits(asLimited(command), .session, alarms.isEnded(by: command)) == nil else {
      return false
    }
    return wantsMusic(command) || choosesOtherStorage(command) || player.refusal(of: command) == nil
  }

  /// Whether a play command finds its track's storage unmounted and would play something else or wait.
  private func choosesOtherStorage(_ command: Command) -> Bool {
    !isRemembering && asksToPlay(command) && trackThatIsAway != nil
  }

  /// What a command starts if it requests music.
  ///
  /// - Returns: `player` for all commands that do not need special treatment.
  func meaning(of command: Command) -> PlayMeaning {
    // While the saved state is loading, play means to resume it.
    guard !isRemembering else { return .player }
    if wantsMusic(command) { return offered().map { .offer(path: $0) } ?? .allMusic }
    guard asksToPlay(command), let track = trackThatIsAway else { return .player }
    if let path = offered() { return .offer(path: path) }
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

  /// Command to check against the limits: a plain play that would start the offered stick counts as `play offered`.
  func asLimited(_ command: Command) -> Command {
    let isOffer =
      !isRemembering && offered() != nil && (wantsMusic(command) || choosesOtherStorage(command))
    return isOffer ? .playOffered : command
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
      let isElsewhere = error.kind == .missing && offered().map { track.lives(beneath: $0) } == true
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

  /// Starts what a play command means.
  ///
  /// - Parameters:
  ///   - meaning: Result of `meaning(of:)`.
  ///   - command: The command, for `player`.
  ///   - answer: Called when playback has been requested or has failed.
  func play(_ meaning: PlayMeaning, as command: Command, _ answer: @escaping (Reply) -> Void) {
    switch meaning {
    case .player: answer(perform(command))
    case .offer(let path): playEverything(in: [path], isForEmptyQueue: false, answer)
    case .allMusic: playEverything(in: media.roots, isForEmptyQueue: true, answer)
    case .entry(let track):
      // The user retries explicitly, so earlier failures do not count.
      player.queue.forgetFailures()
      do throws(QueueError) { try player.queue.select(track.id) } catch {}
      answer(player.give(.skip(to: track)))
    case .wait(let track):
      // Puts the state machine into its play state; the track is retried when its storage returns.
      player.play()
      answer(.ok("waiting for the storage of " + track.path + ", which is away; it plays when that is back"))
    }
  }

  static var noOffer: Reply { .failed("no stick is offered; plug one in, or 'media' lists the music") }

  /// Plays the offered stick.
  func playOffered(_ answer: @escaping (Reply) -> Void) {
    guard let path = offered() else {
      return answer(Self.noOffer)
    }
    playEverything(in: [path], isForEmptyQueue: false, answer)
  }

  private func playEverything(
    in folders: [String], isForEmptyQueue: Bool, _ answer: @escaping (Reply) -> Void
  ) {
    // A second press during a search joins that search; playing a stick replaces it.
    if !isForEmptyQueue { playSearch.cancel() }
    if playSearch.isSet { playSearch = Cancellation() }
    let search = playSearch
    media.findAll(in: folders, until: search) { [unowned(unsafe) self] lookup in
      guard refusal == nil, !search.isSet else { return answer(refusal ?? Self.superseded) }
      // The user or the saved state may have filled the queue during the search.
      guard !isForEmptyQueue || player.queue.isEmpty else { return answer(perform(.play(path: nil))) }
      switch lookup {
      case .tracks(let found):
        playedName = nil
        if let note = found.note { log.write(.warning, note) }
        answer(queue.play(found.tracks).adding(found.note))
      case .refused(let error): answer(.error(error))
      }
    }
  }

  /// Cancels a pending search on pause or stop, so that its result does not break the silence; `play` clears that
  /// state.
  func noteSilence(_ command: Command) {
    switch command.properties.silence {
    case .requests:
      playSearch.cancel()
      // Also cancel a play command that waits for the saved state; an idle player would otherwise ignore pause.
      if isRemembering, player.machine.state.kind == .idle { player.handle(.pause) }
      onSilence(true)
    case .toggles:
      if player.machine.state.isActive { playSearch.cancel() }
      onSilence(player.machine.state == .idle(cause: nil, armed: .armed))
    case .ends: onSilence(false)
    case .unaffected: break
    }
  }

  /// Schedules playback for when the saved state has loaded.
  ///
  /// - Returns: The reply; nil if the command does not wait for the saved state.
  func arm(_ command: Command) -> Reply? {
    guard isRemembering, wantsMusic(command) else { return nil }
    player.handle(command == .toggle ? .toggle : .play)
    return .ok("what is remembered is not known yet: its storage does not answer")
  }
}
