// Generates the list of LED indications from all states and errors, so that the documentation matches the code. Pure;
// control thread, on demand.

/// An LED indication with its states and errors.
package struct IndicatorMeaning: Hashable, Sendable {
  /// The indication.
  package let indicator: Indicator
  /// The states, by their names in `status`, and the errors.
  package internal(set) var meanings: [String]
  /// The cue that accompanies it; nil if there is none.
  package internal(set) var cue: String?

  /// The meanings in one line.
  package var text: String { meanings.joined(separator: "; ") }
}

/// All LED indications of the player.
package enum IndicatorTable {
  /// All indications: states, then errors, then those of the device itself.
  package static var meanings: [IndicatorMeaning] {
    var table: [IndicatorMeaning] = []
    for state in Examples.states where state.kind != .failed && state.pauseReason != .outputLost {
      add(word(for: state), to: state.indicator, cue: nil, in: &table)
    }
    for kind in PlaybackError.Kind.allCases {
      let error = PlaybackError(kind)
      add("failed: " + bare(error.sentence), to: error.indicator, cue: error.cue, in: &table)
    }
    for state in Examples.states where state.pauseReason == .outputLost {
      add(
        state.kind.name + ", and the sound output is not available", to: state.indicator, cue: nil, in: &table
      )
    }
    add(
      "the box has died again and again, and has started with care", to: .carefulStart, cue: "error-internal",
      in: &table)
    add("lines of the configuration are skipped", to: .skippedLines, cue: "configuration", in: &table)
    add(
      "nothing is heard because storage does not answer", to: .waitingForStorage, cue: "storage-wait",
      in: &table)
    add("a change cannot be stored, and is lost at power-off", to: .notSaved, cue: "not-saved", in: &table)
    return table
  }

  private static func add(
    _ meaning: String, to indicator: Indicator, cue: String?, in table: inout [IndicatorMeaning]
  ) {
    guard let index = table.firstIndex(where: { $0.indicator == indicator }) else {
      table.append(IndicatorMeaning(indicator: indicator, meanings: [meaning], cue: cue))
      return
    }
    if !table[index].meanings.contains(meaning) { table[index].meanings.append(meaning) }
    if table[index].cue == nil { table[index].cue = cue }
  }

  /// A sentence without its full stop.
  private static func bare(_ sentence: String) -> String {
    String(
      decoding: sentence.utf8.last == 0x2E ? sentence.utf8.dropLast() : sentence.utf8[...], as: UTF8.self)
  }

  /// The name of a state, with the contents that change its indication.
  private static func word(for state: PlayerState) -> String {
    switch state {
    case .idle(_, .armed): "idle, and play was pressed before the saved state was loaded"
    case .preparing(_, let intent, _), .buffering(_, let intent), .seeking(_, _, let intent):
      state.kind.name + (intent.isPlay ? "" : ", will stay paused")
    default: state.kind.name
    }
  }
}
