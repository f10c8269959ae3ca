// Matches input devices against the name or path in a declaration. Pure value; control thread.

/// An input device's path, its name or a part of its name.
struct InputFilter: Hashable {
  /// The declared text.
  let text: String

  init(_ text: String) { self.text = text }

  /// Whether the filter is a path.
  var isPath: Bool { text.utf8.first == 0x2F }

  /// Whether the filter selects a device. Symbolic links in the filter are resolved.
  ///
  /// - Parameters:
  ///   - name: The device's name.
  ///   - path: The device's path.
  ///   - devices: Resolves links.
  func matches(_ name: String, at path: String, in devices: any ControlDevices) -> Bool {
    if isPath { return text == path || devices.resolved(text) == path }
    let (name, part) = (Array(name.utf8), Array(text.utf8))
    guard part.count <= name.count else { return false }
    return (0...(name.count - part.count)).contains { name[$0...].starts(with: part) }
  }
}
