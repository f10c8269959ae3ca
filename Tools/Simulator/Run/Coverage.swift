// Coverage of the state machine: which reactions to events occurred in simulation runs. Values; one thread.

import PlaybackModel

/// Counts reactions for each kind of event in each kind of state.
package struct Coverage: Sendable {
  private static let states = PlayerState.Kind.allCases
  private static let events = PlayerEvent.Kind.allCases
  /// Number of reactions: a target state, or one of adjusts, stays, rejects.
  private static let reactions = states.count + 3
  private var counts = [Int](repeating: 0, count: states.count * events.count * reactions)
  /// Number of transitions of the present machine already counted.
  private var counted: UInt64 = 0

  /// Creates empty coverage.
  package init() {}

  private static func place(
    _ state: PlayerState.Kind, _ event: PlayerEvent.Kind, _ reaction: StateTable.Reaction
  ) -> Int {
    let column =
      switch reaction {
      case .goes(let kind): Int(kind.rawValue)
      case .adjusts: states.count
      case .stays: states.count + 1
      case .rejects: states.count + 2
      }
    return (Int(state.rawValue) * events.count + Int(event.rawValue)) * reactions + column
  }

  /// Counts a machine's transitions since the last call. A smaller total means that the machine is a new one.
  mutating func note(_ history: History) {
    if history.total < counted { counted = 0 }
    let fresh = Int(min(history.total - counted, UInt64(history.count)))
    counted = history.total
    for index in (history.count - fresh)..<history.count {
      let entry = history[index]
      let (from, to) = (entry.from.kind, entry.to.kind)
      let reaction: StateTable.Reaction =
        switch entry.verdict {
        case .rejected: .rejects
        case .unchanged: .stays
        case .changed: to == from ? .adjusts : .goes(to)
        }
      counts[Self.place(from, entry.event.kind, reaction)] += 1
    }
  }

  /// Prepares for a new machine.
  mutating func restart() { counted = 0 }

  /// Adds the coverage of another run.
  package mutating func add(_ other: Coverage) {
    for place in counts.indices { counts[place] += other.counts[place] }
  }

  private func total(_ state: PlayerState.Kind, _ event: PlayerEvent.Kind) -> Int {
    let first = Self.place(state, event, .goes(Self.states[0]))
    return counts[first..<(first + Self.reactions)].reduce(0, +)
  }

  /// Table with a row per event and a column per state, followed by a list of possible reactions that did not occur.
  package var text: String {
    let table = StateTable()
    var text = "| event |"
    for state in Self.states { text += " \(state.name) |" }
    text += "\n|---|" + Self.states.map { _ in "---:|" }.joined() + "\n"
    for event in Self.events {
      text += "| \(event.name) |"
      for state in Self.states {
        let total = total(state, event)
        let isPossible = table.reactions(in: state, to: event).contains { $0 != .rejects }
        text += total > 0 ? " \(total) |" : isPossible ? " **0** |" : " |"
      }
      text += "\n"
    }
    let missing = missing(table)
    text += "\nnever seen: \(missing.count) of \(missing.count + seen(table)) reactions\n"
    for line in missing { text += "  \(line)\n" }
    return text
  }

  private func seen(_ table: StateTable) -> Int {
    possible(table).filter { counts[Self.place($0.state, $0.event, $0.reaction)] > 0 }.count
  }

  /// Possible reactions that did not occur, as text.
  private func missing(_ table: StateTable) -> [String] {
    possible(table).filter { counts[Self.place($0.state, $0.event, $0.reaction)] == 0 }.map {
      let result =
        switch $0.reaction {
        case .goes(let kind): "→ \(kind.name)"
        case .adjusts: "adjusts"
        case .stays: "stays"
        case .rejects: "rejected"
        }
      return "\($0.event.name) in \($0.state.name): \(result)"
    }
  }

  /// All reactions except rejections.
  private func possible(
    _ table: StateTable
  ) -> [(state: PlayerState.Kind, event: PlayerEvent.Kind, reaction: StateTable.Reaction)] {
    Self.events.flatMap { event in
      Self.states.flatMap { state in
        table.reactions(in: state, to: event).filter { $0 != .rejects }.map { (state, event, $0) }
      }
    }
  }
}
