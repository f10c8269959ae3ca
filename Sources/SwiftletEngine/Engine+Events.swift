// What happens in a player, as events for those who embed it. The engine's thread.

import Platform
import PlaybackModel
import Player

extension Engine: PlayerObserver {
  package func playerDidChange(_ player: Player) {
    for transition in transitions.new(in: player.machine.history)
    where transition.from.kind != transition.to.kind {
      post(
        .state(EngineState(transition.to.kind), from: EngineState(transition.from.kind)), at: transition.time)
    }
    if isOutputThere == player.machine.outputIsLost {
      isOutputThere.toggle()
      post(.output(isThere: isOutputThere))
    }
    if queueRevision != player.queue.revision {
      queueRevision = player.queue.revision
      post(.queue(count: player.queue.count))
    }
    observer?.playerDidChange(player)
  }

  package func player(_ player: Player, reports error: PlaybackError) {
    post(.error(EngineError(error)))
    observer?.player(player, reports: error)
  }

  package func player(_ player: Player, notes text: String) {
    post(.note(text))
    observer?.player(player, notes: text)
  }

  package func player(_ player: Player, began track: Track) { post(.began(describe(track))) }

  package func player(_ player: Player, left track: Track, at position: Frames, isOver: Bool) {
    post(.left(describe(track), position: seconds(position), isOver: isOver))
  }

  private func post(_ kind: EngineEvent.Kind, at time: UInt64? = nil) {
    waiting.append(EngineEvent(time: time ?? (offline?.now ?? events.now), kind: kind))
  }

  /// After whatever has changed something: delivers what has happened, with all that the listener makes of it.
  func settle() {
    // The queue may have changed without the player.
    if queueRevision != player.queue.revision { playerDidChange(player) }
    guard !isDelivering else { return }
    isDelivering = true
    while !waiting.isEmpty { onEvent(waiting.removeFirst()) }
    isDelivering = false
    setAlarm()
  }
}

/// Finds what is new in a player's history.
package struct TransitionCursor {
  private var seen: UInt64 = 0

  /// A cursor at the beginning.
  package init() {}

  /// Passes over what a history holds.
  package mutating func skip(_ history: History) { seen = history.total }

  /// The transitions since the last call that have changed something, oldest first.
  package mutating func new(in history: History) -> [Transition] {
    // A player that took up a checkpoint has a history of its own.
    let new = history.total >= seen ? Int(clamping: history.total - seen) : history.count
    seen = history.total
    return ((history.count - min(new, history.count))..<history.count).map { history[$0] }
      .filter { $0.verdict == .changed }
  }
}
