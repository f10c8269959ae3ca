// The command line of a worker process: built by the engine, parsed in the worker. A value; any thread.

import PlaybackModel

/// Quality of sample rate conversion, as libsoxr's recipes.
package enum ResamplingQuality: String, CaseIterable, Sendable {
  /// 16 bits, audible roll-off above 16 kHz at 44.1 kHz; lowest CPU load.
  case low
  /// 16 bits, flat to 0.91 of the band.
  case medium
  /// 20 bits, flat to 0.91 of the band, linear phase. Transparent; the default.
  case high
  /// 28 bits; for measurements.
  case veryHigh = "very-high"
}

/// Resource limits of a worker.
package struct SandboxLimits: Hashable, Sendable {
  /// Address space in MiB, including shared libraries and the ring.
  package var memory = 256
  /// CPU seconds for opening and for each seek; the length of the track is added for playing it.
  package var cpuSeconds = 30
  /// Whether decoding without a sandbox is permitted.
  package var confinement = Confinement.required

  /// What to do if the sandbox is not available or not wanted.
  package enum Confinement: Int64, CaseIterable, Sendable {
    /// Fail if there is no sandbox.
    case required = 0
    /// Continue if the kernel has no seccomp filters; reported in `StreamInfo.isSandboxed`.
    case whereAvailable = 1
    /// No system call filter and no limits, to count instructions under valgrind, which the filter would
    /// kill. Only for trusted files.
    case none = 2
  }

  /// The defaults, sufficient for all codecs of Swiftlet.
  package init() {}
}

/// The arguments of a worker process.
struct WorkerArguments: Hashable {
  enum Task: String {
    /// Decode a track into the ring.
    case decode
    /// Report the format of the file and exit.
    case probe
    /// Report a plugin's description and exit.
    case list
    /// Report the entries of a playlist and exit.
    case playlist
    /// Play a live source into the ring.
    case live
  }
  /// The parameters of a live source.
  struct Live: Hashable {
    var format: LiveFormat
    /// Milliseconds from a frame's arrival until it is played.
    var delay: Int
    /// Level below which samples count as silence, in millionths of full scale.
    var threshold: Int

    /// Whether the source sends blocks with presentation times.
    var isTimed: Bool

    var text: String {
      format.text + "/" + String(delay) + "/" + String(threshold) + "/" + (isTimed ? "timed" : "plain")
    }

    init(_ source: LiveSource) {
      format = source.format
      delay = source.delay
      threshold = Int(source.threshold * 1_000_000)
      isTimed = source.origin.isTimed
    }

    init?(_ text: String) {
      let parts = text.split(separator: "/")
      guard parts.count == 4, let format = LiveFormat(String(parts[0])), let delay = Int(parts[1]),
        LiveSource.delays.contains(delay), let threshold = Int(parts[2]), (0...1_000_000).contains(threshold),
        parts[3] == "timed" || parts[3] == "plain"
      else { return nil }
      self.format = format
      self.delay = delay
      self.threshold = threshold
      isTimed = parts[3] == "timed"
    }
  }
  var task: Task
  var parent: Int32
  /// Folders of plugins, empty for the default ones; for `list`, the plugin's path.
  var plugins = ""
  var equipment = WorkerEquipment(hint: "", hasResampler: false)
  /// The engine's rate in Hz; 0 for the file's own, see `StreamInfo.playableRate`.
  var rate = 48_000
  var capacity = 4096
  var start: Int64 = 0
  /// The section of the file to decode; nil for the whole file.
  var section: FileSection?
  var quality = ResamplingQuality.high
  var limits = SandboxLimits()
  /// Size of a stream's window in bytes; 0 for a file.
  var window = 0
  /// Milliseconds of a stream's audio to buffer before playback starts.
  var mark = 1500
  /// The live source; nil for other tasks.
  var live: Live?
  /// The file; unused for `list`.
  var place = MediaPlace(anywhere: "")

  init(task: Task, parent: Int32) {
    self.task = task
    self.parent = parent
  }

  /// The first two arguments of every worker, independent of the program's file name.
  static let name = ["swiftlet", "worker"]

  /// The arguments for execve(2).
  var words: [String] {
    Self.name + [
      task.rawValue, "parent=\(parent)", "plugins=\(plugins)", "hint=\(equipment.hint)",
      "resampler=\(equipment.hasResampler ? 1 : 0)", "rate=\(rate)", "capacity=\(capacity)", "start=\(start)",
      "section=\(section?.start ?? 0)-\(section?.end.map { "\($0)" } ?? "")", "quality=\(quality.rawValue)",
      "window=\(window)", "mark=\(mark)", "memory=\(limits.memory)", "cpu=\(limits.cpuSeconds)",
      "confinement=\(limits.confinement.rawValue)",
      "root=\(place.root ?? "")", "file=\(place.path)",
    ] + (live.map { ["live=\($0.text)"] } ?? [])
  }

  /// Parses the arguments after the subcommand; nil if they are invalid.
  init?(_ words: some Sequence<String>) {
    var iterator = words.makeIterator()
    guard let first = iterator.next(), let task = Task(rawValue: first) else { return nil }
    self.init(task: task, parent: 0)
    while let word = iterator.next() {
      guard let equals = word.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
      let value = String(word[word.utf8.index(after: equals)...])
      guard set(String(word[..<equals]), value) else { return nil }
    }
    guard window >= 0, (0...60_000).contains(mark), window & (window - 1) == 0, rate >= 0, rate <= 768_000,
      capacity >= 1,
      capacity & (capacity - 1) == 0, start >= 0
    else {
      return nil
    }
  }

  private mutating func set(_ key: String, _ value: String) -> Bool {
    switch key {
    case "plugins": plugins = value
    case "hint": equipment.hint = value
    case "root":
      place = value.utf8.isEmpty ? MediaPlace(anywhere: place.path) : MediaPlace(beneath: value, place.path)
    case "file": place = place.root.map { MediaPlace(beneath: $0, value) } ?? MediaPlace(anywhere: value)
    case "live":
      guard let known = Live(value) else { return false }
      live = known
    case "resampler":
      guard value == "0" || value == "1" else { return false }
      equipment.hasResampler = value == "1"
    case "section":
      let ends = value.split(separator: "-", omittingEmptySubsequences: false)
      guard ends.count == 2, let start = Int(ends[0]) else { return false }
      let end = Int(ends[1])
      guard end != nil || ends[1].utf8.isEmpty, let section = FileSection(start: start, end: end) else {
        return false
      }
      self.section = start == 0 && end == nil ? nil : section
    case "quality":
      guard let known = ResamplingQuality(rawValue: value) else { return false }
      quality = known
    default:
      guard let number = Int64(value) else { return false }
      switch key {
      case "parent": parent = Int32(truncatingIfNeeded: number)
      case "rate": rate = Int(number)
      case "window": window = Int(number)
      case "mark": mark = Int(number)
      case "capacity": capacity = Int(number)
      case "start": start = number
      case "memory": limits.memory = Int(number)
      case "cpu": limits.cpuSeconds = Int(number)
      case "confinement":
        guard let known = SandboxLimits.Confinement(rawValue: number) else { return false }
        limits.confinement = known
      default: return false
      }
    }
    return true
  }
}
