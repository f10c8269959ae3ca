// Turns a player's callbacks into `EngineEvent`s and delivers them to the embedder. The engine's thread.

import Platform
import PlaybackModel
import Player

/// Forwards a player's callbacks to its engine. A separate object, because the player retains its observer and the
/// engine retains the player.
final class EngineObserver: PlayerObserver {
  private unowned(unsafe) let engine: Engine

  init(_ engine: Engine) { self.engine = engine }

  func playerDidChange(_ player: Player) {
    engine.noteChange()
    engine.observer?.playerDidChange(player)
  }

  func player(_ player: Player, reports error: PlaybackError) {
    engine.post(.error(EngineError(error)))
    engine.observer?.player(player, reports: error)
  }

  func player(_ player: Player, notes note: PlayerNote) {
    engine.post(.note(note.text))
    engine.observer?.player(player, notes: note)
  }

  func player(_ player: Player, restarts track: Track, after error: PlaybackError) {
    let text = error.sentence + " Its decoder was restarted; playing continues."
    engine.post(.note(text))
    engine.observer?.player(player, notes: PlayerNote(.other, text))
  }

  func player(_ player: Player, began track: Track) { engine.post(.began(engine.describe(track))) }

  func player(_ player: Player, heard title: String, of track: Track) {
    engine.post(.titled(engine.describe(track), title: title))
    engine.observer?.player(player, heard: title, of: track)
  }

  func player(_ player: Player, missed time: Seconds, of track: Track) {
    engine.observer?.player(player, missed: time, of: track)
  }

  func player(_ player: Player, left track: Track, at position: Frames, isOver: Bool) {
    engine.post(.left(engine.describe(track), position: engine.seconds(position), isOver: isOver))
  }
}

extension Engine {
  /// Queues events for all changes of state, output and queue since the last call.
  func noteChange() {
    noteTransitions()
    for transition in news.transitions.new(in: player.machine.history)
    where transition.from.kind != transition.to.kind {
      post(
        .state(EngineState(transition.to.kind), from: EngineState(transition.from.kind)), at: transition.time)
    }
    if news.isOutputThere == player.machine.outputIsLost {
      news.isOutputThere.toggle()
      post(.output(isThere: news.isOutputThere))
    }
    if news.queueRevision != player.queue.revision {
      news.queueRevision = player.queue.revision
      post(.queue(count: player.queue.count))
    }
  }

  func post(_ kind: EngineEvent.Kind, at time: UInt64? = nil) {
    news.waiting.append(.event(EngineEvent(time: time ?? (offline?.now ?? events.now), kind: kind)))
  }

  /// Delivers queued events and transitions, including those caused by the listener's own commands. Call it after
  /// each change.
  func settle() {
    // An edit of the queue does not call the player's observer.
    if news.queueRevision != player.queue.revision { noteChange() }
    noteTransitions()
    guard !news.isDelivering else { return }
    news.isDelivering = true
    while !news.waiting.isEmpty {
      switch news.waiting.removeFirst() {
      case .event(let event): onEvent(event)
      case .transition(let transition): deliver(transition)
      }
    }
    news.isDelivering = false
    setAlarm()
  }
}

/// Events that wait for delivery, and the last reported values of state, output and queue.
struct EngineNews {
  /// A pending notification.
  enum Item {
    case event(EngineEvent)
    case transition(EngineTransition)
  }

  var waiting: [Item] = []
  var watches: [EngineWatch] = []
  var dates = TransitionDates()
  var isDelivering = false
  var transitions = TransitionCursor()
  var queueRevision: UInt64 = 0
  var isOutputThere = true
}

/// Iterates over the new entries of a player's transition history.
package struct TransitionCursor {
  private var seen: UInt64 = 0

  /// A cursor before the first transition.
  package init() {}

  /// Skips all transitions that the history holds now.
  package mutating func skip(_ history: History) { seen = history.total }

  /// The transitions since the last call that changed the state, oldest first.
  package mutating func new(in history: History) -> [Transition] {
    // A player restored from a checkpoint starts a new history, whose total is lower.
    let new = history.total >= seen ? Int(clamping: history.total - seen) : history.count
    seen = history.total
    return ((history.count - min(new, history.count))..<history.count).map { history[$0] }
      .filter { $0.verdict == .changed }
  }
}
