// The seekable window of a station. Test threads.

import PlaybackModel
import Testing

@Suite struct StationWindowTests {
  private let window = StationWindow(oldest: Frames(100), newest: Frames(1000), lag: Frames(50))

  @Test func aSeekEndsAtTheEdges() {
    for (wanted, position, edge) in [
      (100, 100, nil), (1000, 1000, nil), (500, 500, nil), (99, 100, .oldest), (-5, 100, .oldest),
      (1001, 1050, .live), (9000, 1050, .live),
    ] as [(Int64, Int64, StationWindow.Edge?)] {
      let target = window.target(Frames(wanted))
      #expect(target.position == Frames(position) && target.edge == edge, "\(wanted)")
    }
  }

  @Test func whatDidNotComeCounts() {
    #expect(window.live == Frames(1050))
    #expect(window.behindLive(Frames(1000)) == Frames(50) && window.behindLive(Frames(2000)) == .zero)
  }

  @Test func whatCannotBeIsBroughtIntoOrder() {
    let odd = StationWindow(oldest: Frames(10), newest: Frames(5), lag: Frames(-3))
    #expect(odd.oldest == Frames(5) && odd.lag == .zero)
  }
}
