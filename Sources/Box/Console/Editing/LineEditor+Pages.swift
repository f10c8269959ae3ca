// Long answers on a terminal: a page, then a key. Pure; control thread.

extension LineEditor {
  /// Rows of an answer on one page; with the line that asks for a key they fill a terminal of 24 rows.
  static let maxPageRows = 22

  /// The first page of a long answer, or a short answer whole. Until the last page is sent, keys turn pages, and
  /// `prompt` is empty.
  package mutating func page(_ answer: [UInt8]) -> [UInt8] {
    guard mode != .plain, Self.rows(answer[...]) > Self.maxPageRows else { return answer }
    unpaged = answer[...]
    return nextPage()
  }

  /// Whether an answer waits for a key.
  var isPaging: Bool { !unpaged.isEmpty }

  /// Drops the rest of an answer.
  ///
  /// - Returns: Bytes to send: the prompt; none where no answer waits.
  package mutating func endPages() -> [UInt8] {
    guard isPaging else { return [] }
    unpaged = []
    return Self.erased + prompt()
  }

  /// A key while an answer waits: `q`, ^C and ^D end it, any other key shows the next page.
  mutating func turnPage(_ key: Key) -> [UInt8] {
    switch key {
    case .character([0x71]), .character([0x51]), .interrupt, .endOrDelete: endPages()
    default: Self.erased + nextPage()
    }
  }

  private mutating func nextPage() -> [UInt8] {
    var rows = 0
    let end = unpaged.firstIndex { byte in
      if byte == 0x0A { rows += 1 }
      return rows == Self.maxPageRows
    }
    let page = end.map { unpaged[...$0] } ?? unpaged
    unpaged = unpaged[page.endIndex...]
    return Array(page) + (isPaging ? more : prompt())
  }

  /// The line that asks for a key.
  var more: [UInt8] {
    Array(("… " + String(Self.rows(unpaged)) + " more lines: any key; q ends").utf8)
  }

  private static func rows(_ bytes: ArraySlice<UInt8>) -> Int { bytes.count { $0 == 0x0A } }

  /// Erases `more` on any terminal.
  static var erased: [UInt8] { [0x0D] + [UInt8](repeating: 0x20, count: 40) + [0x0D] }
}
