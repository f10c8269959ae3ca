// The diagram and table in docs/ match the code's output. Test threads.
import Foundation
import PlaybackModel
import Testing

/// The rows of the transition table, whose name the suite's `table` shadows.
private let table_ = table

@Suite struct DiagramTests {
  private let table = StateTable()

  private func committed(_ name: String) throws -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: root.appendingPathComponent("docs/reference/" + name), encoding: .utf8)
  }

  @Test func committedFilesAreCurrent() throws {
    // The page starts with its own text and the diagram.
    #expect(
      try committed("states.md").hasSuffix("\n\n" + table.markdownTable()),
      "put the output of `swiftlet states` in place of everything from its comment on in docs/reference/states.md"
    )
    #expect(
      try committed("states.svg") == table.svg(),
      "run: swift run swiftlet states --svg > docs/reference/states.svg")
  }

  @Test func everyPairHasAReaction() {
    for state in PlayerState.Kind.allCases {
      for event in PlayerEvent.Kind.allCases { #expect(!table.reactions(in: state, to: event).isEmpty) }
    }
  }

  /// The table of commands agrees with the deciding function for all test states.
  @Test(arguments: table_) func commandsAreAsTheTableSays(row: Row) {
    let machine = PlayerStateMachine(state: row.state)
    for action in PlayerAction.allCases {
      let acceptance = table.acceptance(in: row.state.kind, of: action)
      for bits in 0..<8 {
        let holdings = PlayerHoldings(
          hasQueue: bits & 1 != 0, hasNext: bits & 3 == 3, hasPrevious: bits & 5 == 5)
        let isAccepted = machine.refusal(of: action, with: holdings, at: moment()) == nil
        guard let isExpected = acceptance.isAccepted(with: holdings) else { continue }
        #expect(isAccepted == isExpected, "\(action.name)")
      }
    }
  }

  @Test func rejectionsAreInTheTable() {
    let text = table.markdownTable()
    let rows = text.split(separator: "\n").map(String.init)
    #expect(rows.contains { $0.hasPrefix("| play |") && $0.hasSuffix("| preparing / ✗ |") })
    #expect(table.acceptance(in: .idle, of: .play) == .withQueue)
    #expect(table.acceptance(in: .failed, of: .next) == .withNext)
  }

  @Test func dotNamesEveryTransition() {
    let dot = table.dot()
    for from in PlayerState.Kind.allCases {
      for to in PlayerState.Kind.allCases where from != to {
        let edge = "\(from.name) -> \(to.name) ["
        #expect(dot.contains(edge) == !table.events(from: from, to: to).isEmpty)
      }
    }
  }

  @Test func svgIsWellFormed() throws {
    let svg = table.svg()
    #expect(svg.hasPrefix("<svg ") && svg.hasSuffix("</svg>\n"))
    for state in PlayerState.Kind.allCases { #expect(svg.contains(">\(state.name)</text>")) }
    #expect(svg.components(separatedBy: "<text").count == svg.components(separatedBy: "</text>").count)
  }
}
