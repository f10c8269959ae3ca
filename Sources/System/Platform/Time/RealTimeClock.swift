// Real-time clocks of the board, as the kernel's sysfs shows them. Any thread that may wait for a slow bus for some milliseconds.

/// Clocks that run without power.
package enum RealTimeClock {
  private static let maxText = 64

  /// Whether one of them has set the system's clock at power-on, and has not lost its time since: one without a battery begins with a
  /// year long ago.
  ///
  /// - Parameters:
  ///   - year: The first year that can be right.
  ///   - folder: Where the kernel lists them.
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
