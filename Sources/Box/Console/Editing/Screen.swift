// Draws the terminal row with the prompt and the line being typed, and scrolls it horizontally. Pure; control
// thread.
// Every character counts as one column, so wide characters are misaligned until the next redraw.

struct Screen: Sendable {
  let promptText: [UInt8]
  let width: Int
  /// Whether the terminal supports CSI K.
  let erases: Bool
  /// Whether the prompt is on the screen.
  var isShown = false

  /// Index of the first visible byte of the line.
  private var first = 0
  /// Columns of the line that are drawn, and the cursor's column among them.
  private var drawn = 0
  private var column = 0

  init(prompt: [UInt8], width: Int, erases: Bool) {
    promptText = Array(prompt.prefix(width / 2))
    self.width = width
    self.erases = erases
  }

  /// Columns available for the line. The row's last column stays free, because terminals wrap there.
  private var room: Int { width - promptText.count - 1 }

  static func columns(_ text: ArraySlice<UInt8>) -> Int {
    var count = 0
    for byte in text where byte & 0xC0 != 0x80 { count += 1 }
    return count
  }

  /// Draws the row. The terminal's cursor must be in the first column.
  mutating func draw(_ line: [UInt8], cursor: Int) -> [UInt8] {
    scroll(line, cursor)
    let end = Self.index(line, first, forward: room)
    let visible = line[first..<end]
    drawn = Self.columns(visible)
    column = Self.columns(line[first..<cursor])
    isShown = true
    return promptText + visible + [UInt8](repeating: 0x08, count: drawn - column)
  }

  /// Clears the row and moves to its first column.
  mutating func erase() -> [UInt8] {
    guard isShown else { return [] }
    isShown = false
    if erases { return [0x0D, 0x1B, 0x5B, 0x4B] }
    return [0x0D] + [UInt8](repeating: 0x20, count: promptText.count + drawn) + [0x0D]
  }

  /// Draws a character typed at the end of the line; nil if the row must be redrawn.
  mutating func append(_ bytes: [UInt8]) -> [UInt8]? {
    guard isShown, column == drawn, drawn + 1 < room else { return nil }
    drawn += 1
    column += 1
    return bytes
  }

  /// Moves to the next row and leaves this one on the screen.
  mutating func leave() -> [UInt8] {
    isShown = false
    return [0x0D, 0x0A]
  }

  /// Rows of candidates on one page.
  private static let maxRows = 20

  /// Formats one page of completion candidates in columns.
  ///
  /// - Parameters:
  ///   - names: All candidates.
  ///   - offset: Index of the page's first candidate; set to that of the next page, or to 0 after the last
  ///     page.
  /// - Returns: Rows that end in CRLF.
  func columns(_ names: [String], from offset: inout Int) -> [UInt8] {
    let clean = names.map { TextWriter.clean($0).prefix(width - 2) }
    let widest = clean.reduce(1) { max($0, Self.columns($1)) } + 2
    let perRow = max(1, width / widest)
    let page = clean.dropFirst(offset).prefix(perRow * Self.maxRows)
    let left = clean.count - offset - page.count
    var bytes: [UInt8] = []
    for (i, name) in page.enumerated() {
      bytes += name
      if i % perRow == perRow - 1 || i == page.count - 1 {
        bytes += [0x0D, 0x0A]
      } else {
        bytes += [UInt8](repeating: 0x20, count: widest - Self.columns(name))
      }
    }
    if left > 0 { bytes += Array(("… " + String(left) + " more: Tab\r\n").utf8) }
    offset = left > 0 ? offset + page.count : 0
    return bytes
  }

  /// Moves the visible window so that it contains the cursor.
  private mutating func scroll(_ line: [UInt8], _ cursor: Int) {
    if Self.columns(line[...]) < room {
      first = 0
      return
    }
    // The line may have been replaced, so `first` must be on a character boundary of the new one.
    let isInside =
      first <= cursor && (first == line.count || line[first] & 0xC0 != 0x80)
      && Self.columns(line[first..<cursor]) < room
    if !isInside { first = Self.index(line, cursor, backward: room / 2) }
  }

  private static func index(_ line: [UInt8], _ start: Int, forward count: Int) -> Int {
    var index = start
    var left = count
    while index < line.count {
      if line[index] & 0xC0 != 0x80 {
        if left == 0 { break }
        left -= 1
      }
      index += 1
    }
    return index
  }

  private static func index(_ line: [UInt8], _ start: Int, backward count: Int) -> Int {
    var index = start
    var left = count
    while index > 0, left > 0 {
      index -= 1
      if line[index] & 0xC0 != 0x80 { left -= 1 }
    }
    return index
  }
}
