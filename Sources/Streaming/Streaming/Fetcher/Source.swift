// What is known of a source, and what each of its answers means for the bytes in the spool. Pure; fetcher process.

import Platform

/// A source's answer in Swift's words.
struct SourceAnswer: Equatable {
  var status: Int
  var acceptsRanges = false
  /// The offset of the first byte that follows; nil where the source does not say.
  var first: Int64?
  var length: Int64?
  var titleInterval: Int64 = 0
  var isStation = false
  var contentType = ""
  var validator = ""
  var station = ""
}

extension SourceAnswer {
  /// Whether it calls itself a list of addresses.
  var isList: Bool { Self.listTypes.contains { isOfType($0) } }

  /// Whether its media type is that one, whatever follows it.
  func isOfType(_ type: String) -> Bool {
    contentType.utf8.prefix { $0 != 0x3B && $0 != 0x20 }.lazy.map { $0.asciiLowercased }
      .elementsEqual(type.utf8)
  }

  /// The media types of M3U, PLS, XSPF and ASX, also as servers misspell them.
  private static let listTypes = [
    "audio/x-mpegurl", "audio/mpegurl", "application/x-mpegurl", "application/mpegurl",
    "application/vnd.apple.mpegurl", "audio/x-scpls", "audio/scpls", "application/pls", "application/pls+xml",
    "application/xspf+xml", "video/x-ms-asf", "video/x-ms-asx", "audio/x-ms-wax",
  ]
}

/// A source that has answered.
struct Source: Equatable {
  let length: Int64?
  let isSeekable: Bool
  /// Whether it has no end and no byte comes twice: a radio station.
  let isLive: Bool
  /// Whether it says that it is a list of addresses.
  let isList: Bool
  let validator: String

  /// What the reader is to know of that.
  var kind: SpoolKind { (isLive ? SpoolKind.live : []).union(isList ? .list : []) }

  /// What the first answer makes known.
  init(_ answer: SourceAnswer) {
    isLive = answer.isStation && answer.length == nil
    length = isLive ? nil : answer.length
    isSeekable = answer.acceptsRanges && length != nil
    validator = answer.validator
    isList = answer.isList
  }

  /// How many of the bytes that follow an answer are passed over, when those from `offset` on were asked for.
  func skipped(_ answer: SourceAnswer, from offset: Int64) throws(FetchFailure) -> Int64 {
    if isLive { return 0 }
    let changed = FetchFailure(
      sentence: "It was changed on its server while it was played.", remedy: .retrying)
    if answer.status == 206 {
      guard answer.first == offset, answer.length == nil || answer.length == length else { throw changed }
      return 0
    }
    // All from the beginning: the server gives no parts, or other bytes than before.
    guard answer.length == length, answer.validator == validator, !isSeekable || offset == 0 else {
      throw changed
    }
    return offset
  }

  /// Why an answer cannot be the station's that was heard before: it is a page, as the log-in of a hotel's network; nil where it can.
  static func wrongContent(_ answer: SourceAnswer) -> FetchFailure? {
    let isPage =
      answer.isOfType("application/xhtml+xml") || answer.isOfType("application/json")
      || answer.contentType.utf8.prefix(5).lazy.map { $0.asciiLowercased }.elementsEqual("text/".utf8)
    guard isPage else { return nil }
    return FetchFailure(
      sentence: "The server sends \(answer.contentType) in place of the station.", remedy: .reconnecting)
  }

  /// Why an answer brings no sound; nil where it does.
  static func refusal(_ answer: SourceAnswer) -> FetchFailure? {
    switch answer.status {
    case 200, 206: nil
    case 401, 407: FetchFailure(sentence: "The server wants a password (status \(answer.status)).")
    case 403: FetchFailure(sentence: "The server refuses it (status 403).")
    case 404, 410: FetchFailure(sentence: "The server has nothing of that name (status \(answer.status)).")
    case 408, 425, 429, 500...599:
      FetchFailure(
        sentence: "The server is busy or out of order (status \(answer.status)).", remedy: .reconnecting)
    default: FetchFailure(sentence: "The server answers with status \(answer.status).")
    }
  }
}
