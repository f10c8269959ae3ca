// The shared libraries that a worker loads before its sandbox closes. Values; any thread.

/// The libraries that a worker is started with. Limited to what its file probably needs, because each costs
/// memory and start time.
struct WorkerEquipment: Hashable {
  /// Name of the codec plugin to load, such as `FLAC`; empty for all plugins.
  var hint: String
  /// Whether the resampler is loaded.
  var hasResampler: Bool

  /// Whether this equipment meets a need.
  func has(_ need: WorkerNeed) -> Bool {
    switch need {
    case .allPlugins: hint.isEmpty
    case .resampler: hasResampler
    }
  }

  /// Adds the missing libraries.
  mutating func add(_ need: WorkerNeed) {
    switch need {
    case .allPlugins: hint = ""
    case .resampler: hasResampler = true
    }
  }
}

/// Why a worker must be replaced by one with more libraries.
enum WorkerNeed: UInt32, CaseIterable {
  /// The plugin given as a hint does not recognise the content; all plugins must be tried.
  case allPlugins = 1
  /// The file's rate differs from the engine's.
  case resampler
}
