// The header of one frame of an ID3v2 tag (id3.org). A value.

/// A frame: its name, size and form.
package struct ID3Frame: Equatable, Sendable {
  /// Four characters, or three in version 2.2, as a big-endian number.
  package let id: UInt32
  /// Size in bytes as stored, without the header.
  package let size: Int64
  let isUnsynchronised: Bool
  let isCompressed: Bool
  let isEncrypted: Bool
  /// Number of bytes that precede the content: group, encryption method and uncompressed size.
  let prefix: Int

  init(id: UInt32, size: Int64, major: UInt8, format: UInt8, isUnsynchronised: Bool) {
    self.id = id
    self.size = size
    let isGrouped: Bool
    let hasLength: Bool
    switch major {
    case 4:
      self.isUnsynchronised = isUnsynchronised || format & 0x02 != 0
      (isGrouped, isCompressed, isEncrypted) = (format & 0x40 != 0, format & 0x08 != 0, format & 0x04 != 0)
      hasLength = format & 0x01 != 0
    case 3:
      self.isUnsynchronised = false
      (isGrouped, isCompressed, isEncrypted) = (format & 0x20 != 0, format & 0x80 != 0, format & 0x40 != 0)
      hasLength = isCompressed
    default:
      (self.isUnsynchronised, isGrouped, isCompressed, isEncrypted, hasLength) = (
        false, false, false, false, false
      )
    }
    prefix = (isGrouped ? 1 : 0) + (hasLength ? 4 : 0)
  }

  /// Whether the content is stored unchanged.
  var isPlain: Bool { !isUnsynchronised && !isCompressed && !isEncrypted && prefix == 0 }
}
