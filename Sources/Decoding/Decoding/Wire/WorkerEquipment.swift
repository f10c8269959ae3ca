// What a worker loads before its sandbox closes, and what it may find missing afterwards. Values; any thread.

/// Shared libraries that a worker is started with: no more than its file is likely to need, for each costs memory and
/// a part of the start.
struct WorkerEquipment: Hashable {
  /// Codec plugin to load, such as `FLAC`; empty for all.
  var hint: String
  /// Whether rates can be converted.
  var hasResampler: Bool

  /// Whether a worker that has this can do without.
  func has(_ need: WorkerNeed) -> Bool {
    switch need {
    case .allPlugins: hint.isEmpty
    case .resampler: hasResampler
    }
  }

  /// Adds what was missing.
  mutating func add(_ need: WorkerNeed) {
    switch need {
    case .allPlugins: hint = ""
    case .resampler: hasResampler = true
    }
  }
}

/// Why a worker has to be replaced by one that has more.
enum WorkerNeed: UInt32, CaseIterable {
  /// The plugin hinted at does not know the content; all others should be tried.
  case allPlugins = 1
  /// The file's rate is not the engine's.
  case resampler
}
