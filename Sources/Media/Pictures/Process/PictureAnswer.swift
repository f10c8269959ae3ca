// Answers of a picture process, encoded as NUL-terminated fields followed by the picture. Any thread.

import Platform

/// An answer to a `PictureQuestion`. It comes from a process that has parsed untrusted files; only the size of the
/// picture is checked.
package enum PictureAnswer: HelperAnswer, Hashable {
  case picture(Picture)
  /// There is no picture.
  case none
  /// The file or folder does not exist.
  case missing
  /// An error, as the end of a sentence.
  case refused(String)

  /// Maximum size of an answer in bytes.
  static let maxBytes = Picture.maxBytes + 1024

  package var bytes: [UInt8] {
    var fields = FieldWriter()
    switch self {
    case .picture(let picture):
      fields.put("picture")
      fields.put(picture.place.rawValue)
      fields.put(String(picture.bytes.count))
      return fields.bytes + picture.bytes
    case .none: fields.put("none")
    case .missing: fields.put("missing")
    case .refused(let reason):
      fields.put("refused")
      fields.put(reason)
    }
    return fields.bytes
  }

  /// Decodes an answer; nil if it is invalid or truncated.
  package init?(_ bytes: [UInt8]) {
    var place = 0
    func field() -> String? {
      guard let end = bytes[place...].prefix(1024).firstIndex(of: 0) else { return nil }
      defer { place = end + 1 }
      let text = String(decoding: bytes[place..<end], as: UTF8.self)
      // Fields must be valid UTF-8.
      return text.utf8.elementsEqual(bytes[place..<end]) ? text : nil
    }
    switch field() {
    case "picture":
      guard let origin = field().flatMap({ Picture.Place(rawValue: $0) }),
        let count = field().flatMap({ Int($0) }),
        count > 0, count <= Picture.maxBytes, bytes.count - place == count
      else { return nil }
      self = .picture(Picture(origin, Array(bytes[place...])))
    case "none": self = .none
    case "missing": self = .missing
    case "refused":
      guard let reason = field() else { return nil }
      self = .refused(reason)
    default: return nil
    }
  }
}
