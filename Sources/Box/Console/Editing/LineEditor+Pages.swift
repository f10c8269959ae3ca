// Pages long answers on a terminal, one page for each key press. Pure; control thread.

extension LineEditor {
  /// Rows of an answer on one page. With the "more" row they fit a terminal of 24 rows.
  static let maxPageRows = 22

  /// Returns the first page of a long answer, or all of a short one. Until the last page is sent, keys turn
  /// pages and `prompt` returns nothing.
  package mutating func page(_ answer: [UInt8]) -> [UInt8] {
    guard mode != .plain, Self.rows(answer[...]) > Self.maxPageRows else { return answer }
    unpaged = answer[...]
    return nextPage()
  }

  /// Whether a part of an answer is still unsent.
  var isPaging: Bool { !unpaged.isEmpty }

  /// Discards the rest of an answer.
  ///
  /// - Returns: Bytes to send: the prompt, or nothing if no answer was waiting.
  package mutating func endPages() -> [UInt8] {
    guard isPaging else { return [] }
    unpaged = []
    return Self.erased + prompt()
  }

  /// Handles a key during paging: `q`, ^C and ^D end the answer, any other key shows the next page.
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

  /// The row that asks for a key.
  var more: [UInt8] {
    Array(("… " + String(Self.rows(unpaged)) + " more lines: any key; q ends").utf8)
  }

  private static func rows(_ bytes: ArraySlice<UInt8>) -> Int { bytes.count { $0 == 0x0A } }

  /// Erases the "more" row on any terminal, by overwriting it with blanks.
  static var erased: [UInt8] { [0x0D] + [UInt8](repeating: 0x20, count: 40) + [0x0D] }
}
