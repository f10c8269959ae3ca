// How much the random tests do. SWIFTLET_RANDOM_CASES raises it, for release builds.
import Foundation

/// Random cases of a property, at least 64.
let randomCases = max(64, Int(ProcessInfo.processInfo.environment["SWIFTLET_RANDOM_CASES"] ?? "") ?? 96)
