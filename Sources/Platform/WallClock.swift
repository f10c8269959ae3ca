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
