// Every event in every state has exactly the result in the table. Test threads.
import PlaybackModel
import Testing

@Suite struct TransitionTableTests {
  /// The query of an event has no side effects and agrees with the result.
  @Test(arguments: table)
  func everyEvent(row: Row) throws {
    var expectations: [String: String] = [:]
    for (target, names) in row.expected {
      for name in names.split(separator: " ").map(String.init) {
        try #require(expectations[name] == nil, "\(name) stands twice in the row")
        try #require(events.contains { $0.name == name }, "\(name) is no event")
        expectations[name] = target
      }
    }
    for (name, event) in events {
      var settings = PlayerSettings(rate: rate)
      settings.fadesManually = row.fadesManually
      var machine = PlayerStateMachine(state: row.state, settings: settings)
      let canPerform = machine.canPerform(event, at: moment())
      let outcome = machine.handle(event, at: moment())
      let found: String
      switch outcome.verdict {
      case .rejected(let reason):
        found = "rejected"
        #expect(outcome.effects.isEmpty && outcome.state == row.state)
        #expect(!reason.sentence.isEmpty)
      case .unchanged:
        found = "="
        #expect(outcome.state == row.state, "\(name)")
      case .changed:
        found = outcome.state.kind == row.state.kind ? "~" : outcome.state.kind.name
        #expect(outcome.state != row.state, "\(name) claims a change")
        #expect(outcome.effects.last == .checkpoint, "\(name) leaves no checkpoint")
      }
      #expect(canPerform == !outcome.verdict.isRejected, "\(row.name) on \(name)")
      #expect(outcome.state.isValid, "\(name)")
      #expect(found == expectations[name] ?? "rejected", "\(row.name) on \(name)")
      #expect(machine.state == outcome.state)
    }
  }

  @Test func theTableNamesEveryKindOfStateAndEvent() {
    #expect(Set(table.map(\.state.kind)) == Set(PlayerState.Kind.allCases))
    #expect(Set(events.map(\.event.kind)) == Set(PlayerEvent.Kind.allCases))
  }
}
