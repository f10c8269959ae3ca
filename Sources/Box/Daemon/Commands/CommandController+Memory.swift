// Meaning of play before the saved state is loaded, with an empty queue, and with a queue whose storage is away;
// and which commands it accepts. Control thread.

import Console
import Decoding
import Media
import PlaybackModel
import Platform
import Player
import SwiftletEngine

/// What a request for music begins.
enum PlayMeaning {
  /// What the player has: the state decides.
  case player
  /// The stick that was offered.
  case offer(path: String)
  /// Everything below the roots, because the queue is empty.
  case allMusic
  /// The next entry of the queue whose storage is there.
  case entry(Track)
  /// Nothing yet: the storage of the queue is away, and it plays when that is back.
  case wait(for: Track)
}

extension CommandController {
  /// Whether a command is accepted at present. Nothing is performed.
  func accepts(_ command: Command) -> Bool {
    guard refusal == nil, limits(asLimited(command), .session, alarms.isEnded(by: command)) == nil else {
      return false
    }
    return wantsMusic(command) || choosesOtherStorage(command) || player.refusal(of: command) == nil
  }

  /// Whether a press of play finds the storage of its track away, and begins something else or waits.
  private func choosesOtherStorage(_ command: Command) -> Bool {
    !isRemembering() && asksToPlay(command) && trackThatIsAway != nil
  }

  /// What a command begins that asks for music; `player` for every other command.
  func meaning(of command: Command) -> PlayMeaning {
    // The box goes on with what it remembers, once that is known.
    guard !isRemembering() else { return .player }
    if wantsMusic(command) { return offered().map { .offer(path: $0) } ?? .allMusic }
    guard asksToPlay(command), let track = trackThatIsAway else { return .player }
    if let path = offered() { return .offer(path: path) }
    let isStorageAway = player.isStorageAway(track)
    let roots = media.configuration.roots
    let away = roots.root(of: track.path)
    // Mounts tell of sticks that are away; a folder of music that is away has failed a track.
    func isThere(_ other: Track) -> Bool {
      guard !player.isStorageAway(other) else { return false }
      guard !isStorageAway, let away else { return true }
      return roots.root(of: other.path) != away
    }
    return player.queue.firstAfter(track, where: isThere).map { .entry($0) } ?? .wait(for: track)
  }

  /// The command that limits decide about: a play that means the offer chooses music, as `play offered` does.
  func asLimited(_ command: Command) -> Command {
    let isOffer =
      !isRemembering() && offered() != nil && (wantsMusic(command) || choosesOtherStorage(command))
    return isOffer ? .playOffered : command
  }

  /// Whether a command wants music from a box that has nothing to go on with.
  private func wantsMusic(_ command: Command) -> Bool {
    guard player.queue.isEmpty, player.liveInputName == nil || command != .toggle else { return false }
    switch (command, player.machine.state.kind) {
    case (.play(path: nil), .idle), (.play(path: nil), .finished), (.toggle, .idle): return true
    default: return false
    }
  }

  /// Whether a command is a person's play: `toggle` is, where nothing plays or is about to.
  private func asksToPlay(_ command: Command) -> Bool {
    switch command {
    case .play(path: nil): true
    case .toggle: !player.machine.state.isActive
    default: false
    }
  }

  /// The track that play would begin with, where its storage is away; nil where it is there.
  private var trackThatIsAway: Track? {
    let state = player.machine.state
    switch state {
    case .failed(let error, let track?, _, _):
      return error.kind == .storageRemoved || player.isStorageAway(track) ? track : nil
    case .idle, .ready, .paused, .crossfadePaused, .finished:
      guard let track = state.heardTrack ?? player.queue.current ?? player.queue.peekFirst,
        player.isStorageAway(track)
      else { return nil }
      return track
    // What is being prepared was named a moment ago: where its storage is away it fails, and the next press finds that.
    case .preparing, .playing, .buffering, .seeking, .preparingCrossfade, .crossfading, .fadingOut, .failed:
      return nil
    }
  }

  /// Begins what a command means that asks for music, and answers when it has begun or cannot.
  func play(_ meaning: PlayMeaning, as command: Command, _ answer: @escaping (Reply) -> Void) {
    switch meaning {
    case .player: answer(perform(command))
    case .offer(let path): playEverything(in: [path], isForEmptyQueue: false, answer)
    case .allMusic: playEverything(in: media.roots, isForEmptyQueue: true, answer)
    case .entry(let track):
      // A press tries again, also tracks that have failed before.
      player.queue.forgetFailures()
      do throws(QueueError) { try player.queue.select(track.id) } catch {}
      answer(player.give(.skip(to: track)))
    case .wait(let track):
      // Its intent is to play from now on, and the return of the storage has it tried again.
      player.play()
      answer(.ok("waiting for the storage of " + track.path + ", which is away; it plays when that is back"))
    }
  }

  static var noOffer: Reply { .failed("no stick is offered; plug one in, or 'media' lists the music") }

  /// Plays the stick that was offered.
  func playOffered(_ answer: @escaping (Reply) -> Void) {
    guard let path = offered() else {
      return answer(Self.noOffer)
    }
    playEverything(in: [path], isForEmptyQueue: false, answer)
  }

  private func playEverything(
    in folders: [String], isForEmptyQueue: Bool, _ answer: @escaping (Reply) -> Void
  ) {
    // A second press during the search wants its result, too; a stick takes the place of what was looked for before.
    if !isForEmptyQueue { playSearch.cancel() }
    if playSearch.isSet { playSearch = Cancellation() }
    let search = playSearch
    media.findAll(in: folders, until: search) { [unowned(unsafe) self] lookup in
      guard refusal == nil, !search.isSet else { return answer(refusal ?? Self.superseded) }
      // A person or the saved state may have filled the queue meanwhile.
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

  /// Notes a wish for silence or sound: results that arrive after pause or stop are dropped.
  func noteSilence(_ command: Command) {
    switch command {
    case .pause, .stop, .standby:
      playSearch.cancel()
      // A press of play that waits for it is taken back, also by what means nothing to an idle player.
      if isRemembering(), player.machine.state.kind == .idle { player.handle(.pause) }
      onSilence(true)
    case .toggle:
      if player.machine.state.isActive { playSearch.cancel() }
      onSilence(player.machine.state == .idle(cause: nil, armed: .armed))
    case .play, .playOffered: onSilence(false)
    default: break
    }
  }

  /// Has what is remembered play as soon as it is known.
  func arm(_ command: Command) -> Reply? {
    guard isRemembering(), wantsMusic(command) else { return nil }
    player.handle(command == .toggle ? .toggle : .play)
    return .ok("what is remembered is not known yet: its storage does not answer")
  }
}
