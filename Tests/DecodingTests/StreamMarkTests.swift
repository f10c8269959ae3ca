// The mapping of a stream's byte offsets to ring indices. Test threads.

import Testing

@testable import Decoding

@Suite struct StreamMarkTests {
  private typealias Passed = StreamMarks.Passed

  /// A codec that reads blocks of 1000 bytes and decodes 500 frames from each.
  @Test(
    arguments: [(0, 0), (1, 0), (500, 250), (1000, 500), (2600, 1300), (2999, 1499)] as [(UInt64, UInt64)])
  func aByteLiesInItsBlocksSound(offset: UInt64, index: UInt64) {
    var marks = StreamMarks()
    marks.ask(offset)
    var passed: [StreamMarks.Passed] = []
    for block in 1...4 as ClosedRange<UInt64> {
      passed += marks.note(read: (block - 1) * 1000..<block * 1000, index: (block - 1) * 500)
    }
    #expect(passed == [Passed(offset: offset, index: index)])
    #expect(marks.isEmpty)
  }

  @Test func aMarkThatIsLateIsStillFound() {
    var marks = StreamMarks()
    _ = marks.note(read: 0000..<1000, index: 0)
    _ = marks.note(read: 1000..<2000, index: 500)
    marks.ask(300)
    #expect(marks.note(read: 1000..<2000, index: 900) == [Passed(offset: 300, index: 150)])
  }

  @Test func theEndTellsTheRest() {
    var marks = StreamMarks()
    _ = marks.note(read: 0000..<1000, index: 0)
    marks.ask(900)
    marks.ask(5000)
    #expect(marks.finish() == [Passed(offset: 900, index: 0)])
    #expect(!marks.isEmpty)
  }

  @Test func aSeekBeginsAnew() {
    var marks = StreamMarks()
    _ = marks.note(read: 7000..<8000, index: 0)
    marks.ask(2500)
    marks.restart()
    #expect(marks.note(read: 2000..<3000, index: 90_000) == [])
    #expect(marks.note(read: 3000..<4000, index: 90_500) == [Passed(offset: 2500, index: 90_250)])
  }

  @Test func aFloodIsBounded() {
    var marks = StreamMarks()
    for offset in 0..<1000 as Range<UInt64> { marks.ask(offset) }
    for block in 1...1000 as ClosedRange<UInt64> {
      _ = marks.note(read: 4999 + block..<5000 + block, index: block)
    }
    #expect(marks.isEmpty)
    for offset in 0..<1000 as Range<UInt64> { marks.ask(7000 + offset) }
    #expect(marks.note(read: 6000..<9000, index: 2000).isEmpty)
    #expect(marks.note(read: 9000..<9001, index: 2000).map { $0.offset } == Array(7968..<8000))
  }
}
