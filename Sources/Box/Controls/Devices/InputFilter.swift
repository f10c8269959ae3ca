// Which input device a declaration means. Pure value; control thread.

/// An input device's name or a part of it, or its path.
struct InputFilter: Hashable {
  /// As it was declared.
  let text: String

  init(_ text: String) { self.text = text }

  /// Whether it names a device by its path.
  var isPath: Bool { text.utf8.first == 0x2F }

  /// Whether the device at a path, of this name, is meant. Links are followed.
  func matches(_ name: String, at path: String, in devices: any ControlDevices) -> Bool {
    if isPath { return text == path || devices.resolved(text) == path }
    let (name, part) = (Array(name.utf8), Array(text.utf8))
    guard part.count <= name.count else { return false }
    return (0...(name.count - part.count)).contains { name[$0...].starts(with: part) }
  }
}
