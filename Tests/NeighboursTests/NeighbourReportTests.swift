// What a neighbour lets its box know, in pieces. Test threads.

import Testing

@testable import Neighbours

@Suite struct NeighbourReportTests {
  @Test func reportsAreReadInAnyPieces() {
    let reports: [NeighbourReport] = [
      .beat, .standing("connected"), .trouble("lost: ü"), .lastWords("no library"), .beat,
    ]
    let bytes = reports.flatMap { $0.line }
    for size in [1, 3, 100] {
      var reader = NeighbourReportReader()
      var read: [NeighbourReport] = []
      for start in stride(from: 0, to: bytes.count, by: size) {
        read += reader.take(Array(bytes[start..<min(start + size, bytes.count)]))
      }
      #expect(read == reports)
    }
  }
}
