// A trait for tests with real-time bounds: a failure counts only if the host let the test and its programs
// run. Test threads.

import Synchronization
import Testing

/// Repeats a test that failed while the host withheld the CPU, at most twice. A test that failed each time
/// for that reason is reported as not judged; `scripts/test` runs such tests again alone and limits their
/// number.
package struct RealTimeTrait: SuiteTrait, TestTrait, TestScoping {
  /// Maximum number of runs of a test.
  package static let maxAttempts = 3

  /// Nanoseconds by which the host may delay a wakeup without voiding a failure.
  package let margin: UInt64

  package var isRecursive: Bool { true }

  /// The failures of an attempt that does not count.
  private final class Findings: Sendable {
    let texts = Mutex<[String]>([])
    let isJudged = Mutex(false)
  }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    // A suite's own scope encloses those of its tests.
    guard testCase != nil else { return try await function() }
    for attempt in 1...Self.maxAttempts {
      let mark = HostWatch.shared.mark()
      let findings = Findings()
      let filter = IssueHandlingTrait.compactMapIssues { issue in
        let withheld = HostWatch.shared.withheld(since: mark)
        guard withheld.isStarved(margin: margin) else {
          findings.isJudged.withLock { $0 = true }
          return issue
        }
        findings.texts.withLock { $0.append("\(issue) (\(withheld))") }
        return nil
      }
      do {
        try await filter.provideScope(for: test, testCase: testCase, performing: function)
      } catch {
        let withheld = HostWatch.shared.withheld(since: mark)
        if findings.isJudged.withLock({ $0 }) || !withheld.isStarved(margin: margin) { throw error }
        findings.texts.withLock { $0.append("\(error) (\(withheld))") }
      }
      let texts = findings.texts.withLock { $0 }
      if texts.isEmpty || findings.isJudged.withLock({ $0 }) { return }
      let verdict = attempt < Self.maxAttempts ? "RUNS AGAIN" : "NOT JUDGED"
      print("\(verdict): \(test.id): \(texts[0].prefix(600))")
    }
  }
}

extension Trait where Self == RealTimeTrait {
  /// For tests and suites with real-time bounds, or that wait for programs running in real time.
  package static var realTime: Self { realTime(margin: 20_000_000) }

  /// For tests with a narrow bound.
  ///
  /// - Parameter margin: Nanoseconds between the expected time and the bound.
  package static func realTime(margin: UInt64) -> Self { RealTimeTrait(margin: margin) }
}
