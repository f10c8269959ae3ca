// What the machine is called, by people and by itself. Any thread; reads files.

import CLinux

/// The machine's names.
package enum MachineName {
  /// Its name in the network, without its domain (gethostname(2)).
  package static var own: String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "box" }
    let bytes = name.prefix { $0 != 0 && $0 != 0x2E }.map { UInt8(bitPattern: $0) }
    return bytes.isEmpty ? "box" : String(decoding: bytes, as: UTF8.self).printable(limit: 64)
  }

  /// The number that it was given when it was set up (machine-id(5)), which is confidential; empty where it has none.
  package static var number: String {
    for path in ["/etc/machine-id", "/var/lib/dbus/machine-id"] {
      if let text = try? TextFile.read(path, limit: 256), !text.utf8.isEmpty { return text }
    }
    return ""
  }
}
