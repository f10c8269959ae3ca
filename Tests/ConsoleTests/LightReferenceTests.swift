// docs/using/lights.md ends with the generated description of lights and cues, and `help lights` shows the same.
// Test threads.

import Console
import Foundation
import PlaybackModel
import Testing

@Suite struct LightReferenceTests {
  @Test func documentIsNotStale() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../docs/using/lights.md").standardizedFileURL
    // As for docs/reference/console.md.
    if ProcessInfo.processInfo.environment["SWIFTLET_WRITE_REFERENCE"] != nil {
      let page = try String(contentsOf: file, encoding: .utf8)
      let head = page.range(of: LightReference.mark).map { page[..<$0.lowerBound] } ?? page[...] + "\n"
      try Data((head + LightReference.markdown).utf8).write(to: file)
    }
    let isCurrent = try String(contentsOf: file, encoding: .utf8).hasSuffix(LightReference.markdown)
    #expect(
      isCurrent,
      "docs/using/lights.md is stale: put the output of `swiftlet help --lights` in place of all from its mark on"
    )
  }

  /// Each light is in the table once, with each error and its cue, named as in `status`.
  @Test func theTableNamesEveryLightAndCue() {
    let page = LightReference.markdown
    let lights = IndicatorTable.meanings.map(\.indicator)
    #expect(Set(lights).count == lights.count)
    for light in lights {
      #expect(Indicator(text: light.text) == light)
      #expect(page.contains("| " + light.text + " | "))
    }
    for kind in PlaybackError.Kind.allCases {
      let error = PlaybackError(kind)
      #expect(lights.contains(error.indicator))
      #expect(
        page.contains("| \(error.indicator.text) | failed: \(error.sentence.dropLast())"),
        "\(error.indicator.text)")
      #expect(page.contains("| `\(error.cue)` | when "))
    }
    for light in [Indicator.waitingForStorage, .notSaved, .carefulStart, .skippedLines] {
      #expect(lights.contains(light))
    }
    for kind in PlayerState.Kind.allCases { #expect(page.contains(kind.name)) }
    for setting in Setting.allCases where setting.key.hasPrefix("cues.error") {
      #expect(page.contains("| `\(setting.key.dropFirst(5))` | "), "\(setting.key)")
    }
  }

  /// Each light that a state shows is in the table.
  @Test func theTableHasTheLightOfEveryState() {
    let lights = Set(IndicatorTable.meanings.map(\.indicator))
    let track = Track(id: 1, path: "/one")
    let intents = [Intent.play, .cue] + PauseReason.allCases.map { .pause($0) }
    var states: [PlayerState] = [
      .idle(cause: nil, armed: .armed), .idle(cause: nil, armed: .disarmed), .playing(track: track),
      .ready(track: track, position: .zero), .finished(last: track),
      .fadingOut(track: track, duration: .zero),
    ]
    for intent in intents {
      states += [
        .preparing(track: track, intent: intent, start: .zero), .buffering(track: track, intent: intent),
        .seeking(track: track, target: .zero, intent: intent),
      ]
      for kind in PlaybackError.Kind.allCases {
        states.append(
          .failed(error: PlaybackError(kind), track: track, position: .zero, intent: intent))
      }
    }
    for reason in PauseReason.allCases {
      states.append(.paused(track: track, position: .zero, reason: reason))
    }
    for state in states { #expect(lights.contains(state.indicator), "\(state.kind.name)") }
  }

  @Test func helpListsTheSame() throws {
    guard case .help(let topic)? = try Interpreter.parse("help lights") else {
      Issue.record("help lights is not help")
      return
    }
    let text = String(decoding: Reply.ok(topic.answer).rendered(.json), as: UTF8.self)
    for entry in IndicatorTable.meanings { #expect(text.contains("\"light\":\"\(entry.indicator.text)\"")) }
    for setting in Setting.allCases where setting.key.hasPrefix("cues.error") {
      #expect(text.contains("\"cue\":\"\(setting.key.dropFirst(5))\""))
    }
  }
}
