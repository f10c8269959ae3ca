// The host name and the machine id. Any thread; reads files.

import CLinux

/// The machine's identifiers.
package enum MachineName {
  /// The host name without its domain (gethostname(2)).
  package static var own: String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "box" }
    let bytes = name.prefix { $0 != 0 && $0 != 0x2E }.map { UInt8(bitPattern: $0) }
    return bytes.isEmpty ? "box" : String(decoding: bytes, as: UTF8.self).printable(limit: 64)
  }

  /// The machine id (machine-id(5)), which is confidential; empty if there is none.
  package static var number: String {
    for path in ["/etc/machine-id", "/var/lib/dbus/machine-id"] {
      if let text = try? TextFile.read(path, limit: 256), !text.utf8.isEmpty { return text }
    }
    return ""
  }
}
