// Messages from a fetcher to the engine, and their wire format. The engine treats them as untrusted input,
// because they contain data from servers. Any thread.

import Platform

/// A message from a fetcher to the engine.
package enum FetcherMessage: Hashable, Sendable {
  /// The source has responded.
  case opened(StreamDescription)
  /// The station's title from a byte offset on.
  case title(offset: UInt64, String)
  /// The connection was lost, for a reason, and will be made again.
  case interrupted(String)
  /// Bytes arrive again.
  case resumed
  /// A station was joined again at an offset, with `missing` milliseconds of audio lost.
  case rejoined(offset: UInt64, missing: UInt64)
  /// The stream has failed.
  case failed(FetchFailure)

  /// Size of a text field and of an error text, in bytes.
  private static let text = 256
  private static let sentence = 512

  var bytes: [UInt8] {
    var packet = PacketWriter()
    switch self {
    case .opened(let stream):
      packet.put(1 as UInt32)
      packet.put(stream.length ?? SpoolLayout.unknown)
      packet.put(stream.isSeekable)
      packet.put(stream.station, size: Self.text)
      packet.put(stream.contentType, size: Self.text)
      packet.put(stream.reach?.rawValue ?? UInt32.max)
    case .title(let offset, let title):
      packet.put(2 as UInt32)
      packet.put(offset)
      packet.put(title, size: Self.text)
    case .interrupted(let sentence):
      packet.put(3 as UInt32)
      packet.put(sentence, size: Self.sentence)
    case .resumed: packet.put(4 as UInt32)
    case .failed(let failure):
      packet.put(5 as UInt32)
      packet.put(failure.remedy.rawValue)
      packet.put(failure.kind.rawValue)
      packet.put(failure.sentence, size: Self.sentence)
    case .rejoined(let offset, let missing):
      packet.put(6 as UInt32)
      packet.put(offset)
      packet.put(missing)
    }
    return packet.bytes
  }

  /// Parses a message; nil unless `bytes` are exactly one valid message.
  init?(_ bytes: ArraySlice<UInt8>) {
    var packet = PacketReader(bytes)
    guard let kind = packet.uint32(), let message = Self.body(kind, &packet), packet.isAtEnd else {
      return nil
    }
    self = message
  }

  private static func body(_ kind: UInt32, _ packet: inout PacketReader) -> FetcherMessage? {
    switch kind {
    case 1:
      guard let length = packet.int64(), let isSeekable = packet.bool(),
        let station = packet.text(size: text), let contentType = packet.text(size: text),
        let reach = packet.uint32(),
        length >= SpoolLayout.unknown, length <= SpoolLayout.maxLength
      else { return nil }
      return .opened(
        StreamDescription(
          length: length == SpoolLayout.unknown ? nil : length, isSeekable: isSeekable, station: station,
          contentType: contentType, reach: AddressReach(rawValue: reach)))
    case 2:
      guard let offset = packet.uint64(), let title = packet.text(size: text) else { return nil }
      return .title(offset: offset, title)
    case 3: return packet.text(size: sentence).map { .interrupted($0) }
    case 4: return .resumed
    case 5:
      guard let remedy = packet.uint32().flatMap({ FetchFailure.Remedy(rawValue: $0) }),
        let kind = packet.uint32().flatMap({ FetchFailure.Kind(rawValue: $0) }),
        let sentence = packet.text(size: sentence), !sentence.utf8.isEmpty
      else { return nil }
      return .failed(FetchFailure(sentence: sentence, remedy: remedy, kind: kind))
    case 6:
      guard let offset = packet.uint64(), let missing = packet.uint64() else { return nil }
      return .rejoined(offset: offset, missing: missing)
    default: return nil
    }
  }
}

/// The source's description of a stream. Texts are sanitised.
package struct StreamDescription: Hashable, Sendable {
  /// Length in bytes; nil if unknown or without an end.
  package let length: Int64?
  /// Whether any byte can be requested.
  package let isSeekable: Bool
  /// Name of the station; may be empty.
  package let station: String
  /// MIME type; empty if unknown.
  package let contentType: String
  /// The reach of the server's address; nil if unknown.
  package let reach: AddressReach?
}
