// The diagram and table in docs/ are what the code draws.
import Foundation
import PlaybackModel
import Testing

@Suite struct DiagramTests {
  private let table = StateTable()

  private func committed(_ name: String) throws -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: root.appendingPathComponent("docs/" + name), encoding: .utf8)
  }

  @Test func committedFilesAreCurrent() throws {
    // The page has a head of its own, with the diagram.
    #expect(
      try committed("states.md").hasSuffix("\n\n" + table.markdownTable()),
      "put the output of `swiftlet states` in place of everything from its comment on in docs/states.md")
    #expect(
      try committed("states.svg") == table.svg(), "run: swift run swiftlet states --svg > docs/states.svg")
  }

  @Test func everyPairHasAReaction() {
    for state in PlayerState.Kind.allCases {
      for event in PlayerEvent.Kind.allCases { #expect(!table.reactions(in: state, to: event).isEmpty) }
    }
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
