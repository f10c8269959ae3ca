// Reports from an integration to its box, in pieces. Test threads.

import Testing

@testable import Integrations

@Suite struct IntegrationReportTests {
  @Test func reportsAreReadInAnyPieces() {
    let reports: [IntegrationReport] = [
      .beat, .standing("connected"), .trouble("lost: ü"), .exitReason("no library"), .beat,
    ]
    let bytes = reports.flatMap { $0.line }
    for size in [1, 3, 100] {
      var reader = IntegrationReportReader()
      var read: [IntegrationReport] = []
      for start in stride(from: 0, to: bytes.count, by: size) {
        read += reader.take(Array(bytes[start..<min(start + size, bytes.count)]))
      }
      #expect(read == reports)
    }
  }
}
