// A name as a key: two names are equal where their bytes are, as in file systems and in MPD. A value.

/// A name by its bytes. Unicode has more than one spelling of `ä`, and a folder may hold a file of each.
struct MPDName: Hashable, Sendable {
  private let bytes: [UInt8]

  init(_ name: String) { bytes = Array(name.utf8) }
}
