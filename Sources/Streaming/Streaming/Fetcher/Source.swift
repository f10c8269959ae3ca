// The properties of a source, and the interpretation of its responses. Pure; fetcher process.

import Platform

/// The response of a source, converted from the plugin's structure.
struct SourceAnswer: Equatable {
  var status: Int
  var acceptsRanges = false
  /// Offset of the first byte of the body; nil if not stated.
  var first: Int64?
  var length: Int64?
  var titleInterval: Int64 = 0
  var isStation = false
  var contentType = ""
  var validator = ""
  var station = ""
}

extension SourceAnswer {
  /// Whether the content type is that of a playlist.
  var isList: Bool { Self.listTypes.contains { isOfType($0) } }

  /// Whether the content type is `type`, ignoring parameters and case.
  func isOfType(_ type: String) -> Bool {
    contentType.utf8.prefix { $0 != 0x3B && $0 != 0x20 }.lazy.map { $0.asciiLowercased }
      .elementsEqual(type.utf8)
  }

  /// Content types of M3U, PLS, XSPF and ASX, including common misspellings.
  private static let listTypes = [
    "audio/x-mpegurl", "audio/mpegurl", "application/x-mpegurl", "application/mpegurl",
    "application/vnd.apple.mpegurl", "audio/x-scpls", "audio/scpls", "application/pls", "application/pls+xml",
    "application/xspf+xml", "video/x-ms-asf", "video/x-ms-asx", "audio/x-ms-wax",
  ]
}

/// A source that has responded.
struct Source: Equatable {
  let length: Int64?
  let isSeekable: Bool
  /// Whether it is a live station: no end, and no byte can be requested again.
  let isLive: Bool
  /// Whether its content type is that of a playlist.
  let isList: Bool
  let validator: String

  /// The properties for the spool's reader.
  var kind: SpoolKind { (isLive ? SpoolKind.live : []).union(isList ? .list : []) }

  /// Creates the source from its first response.
  init(_ answer: SourceAnswer) {
    isLive = answer.isStation && answer.length == nil
    length = isLive ? nil : answer.length
    isSeekable = answer.acceptsRanges && length != nil
    validator = answer.validator
    isList = answer.isList
  }

  /// The number of bytes of a response's body to skip.
  ///
  /// - Parameters:
  ///   - answer: The response.
  ///   - offset: The requested offset.
  /// - Throws: `FetchFailure` if the resource has changed since the first response.
  func skipped(_ answer: SourceAnswer, from offset: Int64) throws(FetchFailure) -> Int64 {
    if isLive { return 0 }
    let changed = FetchFailure(
      sentence: "It was changed on its server while it was played.", remedy: .retrying)
    if answer.status == 206 {
      guard answer.first == offset, answer.length == nil || answer.length == length else { throw changed }
      return 0
    }
    // A full response: the server ignores ranges, or the resource has changed.
    guard answer.length == length, answer.validator == validator, !isSeekable || offset == 0 else {
      throw changed
    }
    return offset
  }

  /// Why the response to a station's reconnect is not the station, but a page, such as a captive portal; nil
  /// if it may be.
  static func wrongContent(_ answer: SourceAnswer) -> FetchFailure? {
    let isPage =
      answer.isOfType("application/xhtml+xml") || answer.isOfType("application/json")
      || answer.contentType.utf8.prefix(5).lazy.map { $0.asciiLowercased }.elementsEqual("text/".utf8)
    guard isPage else { return nil }
    return FetchFailure(
      sentence: "The server sends \(answer.contentType) in place of the station.", remedy: .reconnecting)
  }

  /// The failure for a response's status; nil if it is a success.
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
