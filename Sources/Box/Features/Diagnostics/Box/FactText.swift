// Parsers for text from /proc, /sys, /etc and systemctl, used by `swiftlet doctor`. Pure functions.

import Platform

/// Parses text of the kernel and of systemd into `BoxFacts`.
package enum FactText {
  /// Card names in the text of /proc/asound/cards, which has lines like ` 0 [sndrpihifiberry]: RPi-simple - …`.
  package static func cards(_ text: String) -> [String] {
    text.split(separator: "\n").compactMap { line in
      guard let open = line.firstIndex(of: "["), let close = line.firstIndex(of: "]"), open < close else {
        return nil
      }
      let name = line[line.index(after: open)..<close].utf8.filter { $0 != 0x20 }
      return name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
    }
  }

  /// Values of the `dtoverlay=` lines of a config.txt, without trailing comments.
  package static func overlays(_ text: String) -> [String] {
    text.split(separator: "\n").compactMap { line in
      let key = "dtoverlay="
      guard line.hasPrefix(key) else { return nil }
      let value = line.utf8.dropFirst(key.utf8.count).prefix { $0 > 0x20 }
      return value.isEmpty ? nil : String(decoding: value, as: UTF8.self)
    }
  }

  /// Parses `get_throttled`: a hexadecimal number, optionally after the `throttled=` prefix of vcgencmd.
  ///
  /// - Returns: The flags; nil if the text is no number.
  package static func power(_ text: String) -> BoxFacts.PowerFlags? {
    var digits = text.utf8[...]
    while digits.last.map({ $0 <= 0x20 }) == true { digits.removeLast() }
    if let x = digits.lastIndex(of: 0x78) { digits = digits[digits.index(after: x)...] }
    return Int(String(decoding: digits, as: UTF8.self), radix: 16).map { BoxFacts.PowerFlags(rawValue: $0) }
  }

  /// Parses the output of `systemctl show -p LoadState -p ActiveState -p UnitFileState -p NRestarts`.
  package static func unit(_ text: String) -> BoxFacts.UnitFacts {
    func value(_ name: String) -> String {
      for line in text.split(separator: "\n") where line.hasPrefix(name + "=") {
        return String(decoding: line.utf8.dropFirst(name.utf8.count + 1), as: UTF8.self)
      }
      return ""
    }
    return BoxFacts.UnitFacts(
      load: value("LoadState"), active: value("ActiveState"), file: value("UnitFileState"),
      restarts: Int(value("NRestarts")) ?? 0)
  }

  /// Names of a user's groups.
  ///
  /// - Parameters:
  ///   - user: User name.
  ///   - primary: Number of the user's primary group, which /etc/group does not list by member.
  ///   - text: Text of /etc/group.
  package static func groups(of user: String, primary: Int, in text: String) -> [String] {
    text.split(separator: "\n").compactMap { line in
      let fields = line.split(separator: ":", omittingEmptySubsequences: false)
      guard fields.count >= 4 else { return nil }
      let isMember = fields[3].split(separator: ",").contains { $0 == user }
      return isMember || Int(fields[2]) == primary ? String(fields[0]) : nil
    }
  }

  /// Numbers of a user and the user's primary group in the text of /etc/passwd; nil if there is no such user.
  package static func account(_ user: String, in text: String) -> (user: Int, group: Int)? {
    for line in text.split(separator: "\n") {
      let fields = line.split(separator: ":", omittingEmptySubsequences: false)
      guard fields.count >= 4, fields[0] == user, let id = Int(fields[2]), let group = Int(fields[3]) else {
        continue
      }
      return (id, group)
    }
    return nil
  }

  /// Name of the user with this number in the text of /etc/passwd; nil if there is none.
  package static func name(ofUser number: Int, in text: String) -> String? {
    for line in text.split(separator: "\n") {
      let fields = line.split(separator: ":", omittingEmptySubsequences: false)
      if fields.count >= 3, Int(fields[2]) == number { return String(fields[0]) }
    }
    return nil
  }

  /// Name of the group with this number in the text of /etc/group; nil if there is none.
  package static func name(ofGroup number: Int, in text: String) -> String? { name(ofUser: number, in: text) }

  /// Whether a thread runs as SCHED_FIFO or SCHED_RR, by field 41 (policy) of /proc/PID/task/TID/stat, proc(5).
  package static func isRealtime(_ stat: String) -> Bool {
    // The second field is the thread's name in parentheses, which may contain spaces and parentheses.
    guard let end = stat.utf8.lastIndex(of: 0x29) else { return false }
    let fields = stat.utf8[stat.utf8.index(after: end)...].split(separator: 0x20)
    guard fields.count > 38 else { return false }
    let policy = String(decoding: fields[38], as: UTF8.self)
    return policy == "1" || policy == "2"
  }

  /// KiB of `VmLck:` (locked memory) in the text of /proc/PID/status, proc(5).
  package static func lockedMemory(_ status: String) -> Int {
    for line in status.split(separator: "\n") where line.hasPrefix("VmLck:") {
      return Int(String(decoding: line.utf8.filter { $0 >= 0x30 && $0 <= 0x39 }, as: UTF8.self)) ?? 0
    }
    return 0
  }

  /// Fields in a reply to `status`.
  package static func status(_ lines: [String]) -> [BoxFacts.StatusField] {
    lines.compactMap { line in
      guard line.hasPrefix("  "), let colon = line.utf8.firstIndex(of: 0x3A) else { return nil }
      let name = line.utf8[..<colon].drop { $0 == 0x20 }
      let value = line.utf8[line.utf8.index(after: colon)...].drop { $0 == 0x20 }
      return BoxFacts.StatusField(
        String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
    }
  }
}
