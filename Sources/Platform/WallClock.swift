// The time of day where the box stands. Any thread but the audio thread; it may jump.

import CLinux

/// The local time.
public enum WallClock {
  /// Minutes since local midnight, 0…1439.
  public static func minuteOfDay() -> Int {
    var now = time(nil)
    var parts = tm()
    guard localtime_r(&now, &parts) != nil else { return 0 }
    return Int(parts.tm_hour) * 60 + Int(parts.tm_min)
  }
}

/// What this process holds in memory.
public enum ResidentMemory {
  /// Resident set, in KiB; 0 where /proc is not there.
  public static var kibibytes: Int {
    guard let text = try? TextFile.read("/proc/self/statm", limit: 4096) else { return 0 }
    let words = text.split(separator: " ")
    guard words.count > 1, let pages = Int(words[1]) else { return 0 }
    return pages * sysconf(Int32(_SC_PAGESIZE)) / 1024
  }
}
