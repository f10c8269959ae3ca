// A name compared by its bytes, for use as a dictionary key. A value.

/// A name compared by bytes, as in file systems and MPD. String comparison would equate different Unicode spellings
/// of `ä`, which can be two files.
struct MPDName: Hashable, Sendable {
  private let bytes: [UInt8]

  init(_ name: String) { bytes = Array(name.utf8) }
}
