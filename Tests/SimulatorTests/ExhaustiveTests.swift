// The space of short sequences around a fade. Test threads.

import Simulator
import Testing

@Suite struct ExhaustiveTests {
  @Test func allSequencesAreDifferentAndThereAreAsManyAsThereShouldBe() {
    let space = Exhaustive(depth: 2)
    let (moments, events) = (Exhaustive.Moment.allCases.count, Exhaustive.events.count)
    #expect(space.count == moments * (events + events * events))
    var worlds = Set<String>()
    for index in 0..<space.count {
      let (moment, events, _) = space.sequence(index)
      worlds.insert(moment.rawValue + events.map { $0.text }.joined(separator: ","))
    }
    #expect(worlds.count == space.count)
    #expect(Exhaustive(depth: 4).count > Exhaustive(depth: 3).count)
  }

  @Test func aWorldIsReplayedFromItsText() throws {
    let space = Exhaustive(depth: 3)
    for index in stride(from: 0, to: space.count, by: 997) {
      let world = space.world(index)
      #expect(try World(text: world.text) == world)
    }
  }
}
