// Messages from a peer that has ended. Test threads.

import Platform
import Testing

@Suite struct MessageSocketTests {
  @Test func whatAPeerSaidIsHeardThoughItWentWithoutListening() throws {
    let pair = try MessageSocket.Pair()
    let mine = pair.mine
    var wasSent = [false, false]
    do {
      let theirs = pair.theirs
      wasSent = [theirs.send([1, 2, 3]), mine.send([9])]
    }
    #expect(wasSent == [true, true])
    var buffer = [UInt8](repeating: 0, count: 16)
    let first = mine.receive(into: &buffer)
    let second = mine.receive(into: &buffer)
    #expect(first == .message(3))
    #expect(second == .closed)
  }
}
