// docs/reference/lifecycle.md and its diagram match the lifecycle. Test threads.

import Daemon
import Foundation
import Testing

@Suite struct LifecycleDocumentTests {
  private static func file(_ name: String) -> URL {
    URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../docs/reference/" + name).standardizedFileURL
  }

  @Test func documentIsNotStale() throws {
    let (page, drawing) = (Self.file("lifecycle.md"), Self.file("lifecycle.svg"))
    // As for docs/reference/console.md. The page begins with its own text.
    if ProcessInfo.processInfo.environment["SWIFTLET_WRITE_REFERENCE"] != nil {
      let text = try String(contentsOf: page, encoding: .utf8)
      let head = text.range(of: LifecycleDocument.mark).map { text[..<$0.lowerBound] } ?? text[...] + "\n"
      try Data((head + LifecycleDocument.markdown).utf8).write(to: page)
      try Data(LifecycleDiagram.svg.utf8).write(to: drawing)
    }
    let isCurrent = try String(contentsOf: page, encoding: .utf8).hasSuffix(LifecycleDocument.markdown)
    #expect(
      isCurrent,
      "docs/reference/lifecycle.md is stale: SWIFTLET_WRITE_REFERENCE=1 scripts/test --filter LifecycleDocumentTests"
    )
    let isDrawn = try String(contentsOf: drawing, encoding: .utf8) == LifecycleDiagram.svg
    #expect(isDrawn, "docs/reference/lifecycle.svg is stale: write it in the same way")
  }

  /// The diagram has each transition: as the label of an arrow, or in the box of its phase.
  @Test func theDiagramHasEveryTransition() {
    let svg = LifecycleDiagram.svg
    for from in BoxPhase.Kind.allCases {
      #expect(svg.contains(">\(from.name)</text>"))
      for to in BoxPhase.Kind.allCases where to != from {
        for event in LifecycleDocument.events(from: from, to: to) { #expect(svg.contains(event.name)) }
      }
    }
    #expect(svg.components(separatedBy: "<text").count == svg.components(separatedBy: "</text>").count)
  }
}
