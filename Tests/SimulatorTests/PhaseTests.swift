// Boxes whose storage fails in a phase of start or end, judged by the oracle like all worlds. Test threads.

import Testing

@testable import Simulator

@Suite struct PhaseTests {
  /// Phases that last longer than a moment. `Tests/DaemonTests/Lifecycle` has the others.
  static let starts = ["readingState", "waitingForState", "running"]
  static let ends = ["saving", "fadingOut"]

  /// A box that plays, starts or ends meanwhile, and loses power three seconds later.
  private static func world(_ phase: String, _ health: FlashHealth) throws -> World {
    let event =
      if ends.contains(phase) {
        "+9000000 terminate"
      } else if phase == "waitingForState" {
        "+8900000 flash hangs\n+100000 power-cut 500"
      } else {
        "+9000000 power-cut 500"
      }
    return try World(
      text: """
        weather calm
        track length 60000
        track length 60000
        box seed 5
        box config set fade.length 2
        +0 type "play all.m3u"
        \(event)
        @phase:\(phase) +0 flash \(health.rawValue)
        +3000000 flash well
        +3000000 power-cut 500
        calm 10
        """)
  }

  @Test(arguments: starts + ends, FlashHealth.allCases)
  func storageMayFailInEachPhase(phase: String, health: FlashHealth) throws {
    let simulation = Simulation(try Self.world(phase, health))
    let outcome = simulation.run()
    #expect(outcome.violation == nil, "\(String(describing: outcome.violation))")
    // A phase that is not reached delays the script by 20 s.
    #expect(outcome.duration < 40_000_000_000, "the phase was reached")
  }

  @Test func conditionsHaveAText() throws {
    let world = try Self.world("readingState", .hangs)
    #expect(try World(text: world.text) == world)
    #expect(world.lines.contains { $0.wait.text == "@phase:readingState" })
    #expect(throws: ScriptFault.self) { try Wait(word: "@phase:nowhere") }
  }
}
