// What commands mean to a box that does not know yet what it remembers, or has nothing to play. Control thread.

import Console
import Media
import PlaybackModel
import Platform
import Player

extension CommandController {
  /// Whether a command wants music from a box that has nothing to go on with.
  func playsWhatThereIs(_ command: Command) -> Bool {
    // It goes on with what it remembers, once that is known.
    !isRemembering() && wantsMusic(command)
  }

  private func wantsMusic(_ command: Command) -> Bool {
    guard player.queue.isEmpty, player.guestName == nil || command != .toggle else { return false }
    switch (command, player.machine.state.kind) {
    case (.play(path: nil), .idle), (.play(path: nil), .finished), (.toggle, .idle): return true
    default: return false
    }
  }

  /// Plays the stick that was offered, or else everything below the roots.
  func playWhatThereIs(_ answer: @escaping (Reply) -> Void) {
    // Whoever presses once more while it is looked for wants what is looked for.
    if playSearch.isSet { playSearch = Cancellation() }
    let search = playSearch
    media.findAll(in: offered().map { [$0] } ?? media.roots, until: search) { [unowned(unsafe) self] lookup in
      guard refusal == nil, !search.isSet else { return answer(refusal ?? Self.superseded) }
      // Something may have filled the queue meanwhile: a person, or what was remembered.
      guard player.queue.isEmpty else { return answer(perform(.play(path: nil))) }
      switch lookup {
      case .tracks(let found):
        playedName = nil
        if let note = found.note { log.write(.warning, note) }
        answer(queue.play(found.tracks).adding(found.note))
      case .refused(let error): answer(.error(error))
      }
    }
  }

  /// What is remembered or looked for may come late, and must not break a silence that somebody wanted meanwhile.
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
    case .play: onSilence(false)
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
