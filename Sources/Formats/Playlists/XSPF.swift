// Parser for XSPF playlists (XML Shareable Playlist Format, version 1) by libexpat. Runs in the sandboxed worker only,
// one thread.

import CExpat
import CLinux
import Platform

/// Playlists of the form `<playlist>…<track><location>URI</location>…`.
enum XSPF {
  /// Whether a text is XSPF: optional XML declaration, comments and document type, then `<playlist`, with or without a
  /// namespace prefix.
  static func isOne(_ text: ArraySlice<UInt8>) -> Bool {
    var rest = text.drop { $0 <= 0x20 }
    while let end = markupEnd(rest) { rest = rest[end...].drop { $0 <= 0x20 } }
    guard rest.first == 0x3C else { return false }
    rest = rest.dropFirst()
    if rest.starts(with: "!DOCTYPE") { rest = rest.dropFirst(8).drop { $0 <= 0x20 } }
    let name = rest.prefix(maxName).prefix { $0 > 0x20 && $0 != 0x3E && $0 != 0x2F && $0 != 0x5B }
    let local = name.lastIndex(of: 0x3A).map { name[($0 + 1)...] } ?? name
    return local.elementsEqual("playlist".utf8)
  }

  /// Maximum length in bytes of the root element's name.
  private static let maxName = 64

  /// The index after a leading XML declaration or comment; nil if there is none.
  private static func markupEnd(_ text: ArraySlice<UInt8>) -> Int? {
    if text.starts(with: "<!--") { return text.index(of: "-->").map { $0 + 3 } }
    if text.starts(with: "<?") { return text.index(of: "?>").map { $0 + 2 } }
    return nil
  }

  /// The first location of each track, in order, with title and creator.
  ///
  /// A malformed text is parsed once more with its stray ampersands escaped. If it is still malformed, the tracks
  /// before the error are returned.
  ///
  /// - Parameters:
  ///   - text: The playlist in UTF-8, without a byte order mark.
  ///   - isCut: Whether the file continues after the text.
  ///   - library: The XML parser.
  /// - Throws: `malformed` if there is an error before the first track.
  static func entries(
    _ text: ArraySlice<UInt8>, isCut: Bool, by library: XMLLibrary
  ) throws(PlaylistFailure) -> [PlaylistEntry] {
    // XML allows no blanks before its declaration.
    let text = text.drop { $0 <= 0x20 }
    var document = XSPFDocument(library.functions)
    var failure = document.parse(text, isCut: isCut)
    if failure != nil, !document.isRefused, let escaped = CharacterReference.escaped(text) {
      document = XSPFDocument(library.functions)
      failure = document.parse(escaped[...], isCut: isCut)
    }
    if let failure, document.entries.isEmpty { throw failure }
    return document.entries
  }
}

/// One pass of libexpat over a playlist. Passed unretained as the context of C callbacks.
private final class XSPFDocument {
  /// Maximum number of open elements.
  private static let maxDepth = 64

  private enum Element {
    case playlist
    /// A child of the playlist that may have tracks: `trackList`, in any spelling.
    case group
    case track
    case location
    case title
    case creator
    case other

    var isText: Bool { self == .location || self == .title || self == .creator }
  }

  private let expat: cexpat_functions
  private var parser: XML_Parser?
  /// The open elements, outermost first.
  private var stack: [Element] = []
  /// The namespace prefix of the root element with its colon; empty for the default namespace. Elements with another
  /// prefix are extensions.
  private var prefix: [UInt8] = []
  /// The open track; its path is empty until a location has ended.
  private var track: PlaylistEntry?
  /// The text of the open location, title or creator.
  private var text: [UInt8] = []
  private var refusal: String?
  private var isComplete = false
  /// The tracks with a location, in order.
  private(set) var entries: [PlaylistEntry] = []

  /// Whether the text was refused for a reason other than its syntax.
  var isRefused: Bool { refusal != nil }

  init(_ expat: cexpat_functions) { self.expat = expat }

  /// Parses a text into `entries`. Called once.
  ///
  /// - Parameters:
  ///   - text: XML in UTF-8, whatever its declaration says.
  ///   - isCut: Whether the text may end anywhere.
  /// - Returns: The error at which parsing ended; nil if it reached the end or the maximum number of entries.
  func parse(_ text: ArraySlice<UInt8>, isCut: Bool) -> PlaylistFailure? {
    guard let parser = expat.XML_ParserCreate("UTF-8") else {
      return PlaylistFailure(.malformed, "The XSPF playlist cannot be parsed: out of memory.")
    }
    defer { expat.XML_ParserFree(parser) }
    self.parser = parser
    _ = expat.XML_SetHashSalt(parser, cexpat_salt())
    expat.XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    expat.XML_SetElementHandler(
      parser,
      { context, name, _ in
        if let context, let name { XSPFDocument.from(context).begin(name) }
      },
      { context, _ in
        if let context { XSPFDocument.from(context).end() }
      })
    expat.XML_SetCharacterDataHandler(parser) { context, text, count in
      if let context, let text {
        XSPFDocument.from(context).append(UnsafeRawBufferPointer(start: text, count: Int(count)))
      }
    }
    // Without a handler for external entities, libexpat skips references to them.
    expat.XML_SetEntityDeclHandler(parser) { context, _, _, value, _, _, _, _, _ in
      if let context, value != nil {
        XSPFDocument.from(context).refuse("it declares entities, which are not supported")
      }
    }
    let status = text.withUnsafeBytes {
      expat.XML_Parse(
        parser, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count), isCut ? 0 : 1)
    }
    // A track that the end of the text interrupts.
    if !isComplete { endTrack() }
    guard status == XML_STATUS_ERROR, !isComplete else { return nil }
    let reason =
      refusal ?? expat.XML_ErrorString(expat.XML_GetErrorCode(parser)).map { String(cString: $0) }
      ?? "unknown"
    return PlaylistFailure(
      .malformed,
      "The XSPF playlist is malformed at line \(expat.XML_GetCurrentLineNumber(parser)): \(reason).")
  }

  private static func from(_ context: UnsafeMutableRawPointer) -> XSPFDocument {
    Unmanaged<XSPFDocument>.fromOpaque(context).takeUnretainedValue()
  }

  // MARK: Callbacks

  /// Ends parsing with an error. libexpat may still call handlers for the present token.
  private func refuse(_ reason: String) {
    guard refusal == nil else { return }
    refusal = reason
    stop()
  }

  private func stop() {
    if let parser { _ = expat.XML_StopParser(parser, 0) }
  }

  private func begin(_ name: UnsafePointer<CChar>) {
    guard refusal == nil, !isComplete else { return }
    guard stack.count < Self.maxDepth else {
      return refuse("its elements are nested more than \(Self.maxDepth) deep")
    }
    let element = element(UnsafeRawBufferPointer(start: name, count: strlen(name)))
    stack.append(element)
    if element == .track { track = PlaylistEntry(path: "") }
    if element.isText { text.removeAll(keepingCapacity: true) }
  }

  /// The meaning of an element within the innermost open one.
  private func element(_ name: UnsafeRawBufferPointer) -> Element {
    guard let parent = stack.last else {
      if let colon = name.firstIndex(of: 0x3A) { prefix = Array(name[...colon]) }
      return .playlist
    }
    guard name.starts(with: prefix) else { return .other }
    let local = name.dropFirst(prefix.count)
    func isNamed(_ word: StaticString) -> Bool {
      local.elementsEqual(UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    }
    switch parent {
    case .playlist: return isNamed("track") ? .track : isNamed("extension") ? .other : .group
    case .group: return isNamed("track") ? .track : .other
    case .track:
      return isNamed("location")
        ? .location : isNamed("title") ? .title : isNamed("creator") ? .creator : .other
    case .location, .title, .creator, .other: return .other
    }
  }

  /// Appends text to the open location, title or creator.
  private func append(_ piece: UnsafeRawBufferPointer) {
    guard stack.last?.isText == true else { return }
    let room = PlaylistParser.maximumEntry + 1 - text.count
    if text.isEmpty {
      text += piece.drop { $0 <= 0x20 }.prefix(room)
    } else {
      text += piece.prefix(room)
    }
  }

  private func end() {
    guard refusal == nil, !isComplete, let element = stack.popLast() else { return }
    switch element {
    case .location:
      if track?.path.utf8.isEmpty == true, let path = location() { track?.path = path }
    case .title: if track?.title == nil { track?.title = words() }
    case .creator: if track?.artist == nil { track?.artist = words() }
    case .track: endTrack()
    case .playlist, .group, .other: break
    }
  }

  private func endTrack() {
    guard let entry = track else { return }
    track = nil
    guard !entry.path.utf8.isEmpty else { return }
    entries.append(entry)
    if entries.count == PlaylistParser.countedEntries {
      isComplete = true
      stop()
    }
  }

  // MARK: Text

  /// The text as a path or URI; nil if it is empty or too long.
  private func location() -> String? {
    guard let location = PlaylistParser.entry(trimmed()) else { return nil }
    // A location without a scheme is a relative path.
    if location.utf8.contains(0x3A) { return location }
    return String(validating: Array(location.utf8).percentDecoded, as: UTF8.self) ?? location
  }

  /// The text as one line; nil if it is empty.
  private func words() -> String? {
    let words = String(decoding: trimmed(), as: UTF8.self).printable(limit: PlaylistEntry.maxText)
    return words.utf8.isEmpty ? nil : words
  }

  private func trimmed() -> ArraySlice<UInt8> {
    var text = text[...]
    while let last = text.last, last <= 0x20 { text.removeLast() }
    return text
  }
}
