// The board's real-time clocks, as listed in sysfs. Blocks for milliseconds on a slow bus; not for the audio
// thread.

/// Battery-backed clocks.
package enum RealTimeClock {
  private static let maxText = 64

  /// Whether a real-time clock has set the system clock at power-on and has a plausible time. A clock without
  /// a working battery starts with a year in the past.
  ///
  /// - Parameters:
  ///   - year: The earliest plausible year.
  ///   - folder: The folder in which the kernel lists real-time clocks.
  package static func hasSetTheTime(notBefore year: Int, in folder: String = "/sys/class/rtc") -> Bool {
    guard let clocks = try? Directory.entries(of: folder) else { return false }
    return clocks.contains { clock in
      func text(_ name: String) -> String? {
        (try? TextFile.bytes(folder + "/" + clock.name + "/" + name, limit: maxText)).map {
          String(decoding: $0.prefix { $0 > 0x20 }, as: UTF8.self)
        }
      }
      guard text("hctosys") == "1", let date = text("date") else { return false }
      return Int(String(decoding: date.utf8.prefix { $0 != 0x2D }, as: UTF8.self)).map { $0 >= year } ?? false
    }
  }
}
