// The number of cases of the random tests. SWIFTLET_RANDOM_CASES raises it, for release builds. Test threads.
import Foundation

/// Number of random cases per property, at least 64.
let randomCases = max(64, Int(ProcessInfo.processInfo.environment["SWIFTLET_RANDOM_CASES"] ?? "") ?? 96)
