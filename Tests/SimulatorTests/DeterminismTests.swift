// The same world gives the same bytes. Test threads.

import Simulator
import Testing

@Suite struct DeterminismTests {
  @Test(arguments: [1, 2, 3, 17, 40] as [UInt64]) func theSameSeedGivesTheSameRun(seed: UInt64) {
    let first = Simulation(World(seed: seed)).run()
    let second = Simulation(World(seed: seed)).run()
    #expect(first.digest == second.digest)
    #expect(first.duration == second.duration)
    #expect(first.violation == second.violation)
    #expect(first.journal == second.journal)
  }

  @Test(arguments: Array(1...40) as [UInt64]) func aWorldIsWhatItsScriptSays(seed: UInt64) throws {
    let world = World(seed: seed)
    #expect(try World(text: world.text) == world)
  }
}
