// The one row of a terminal that the line being typed is shown in. Pure; control thread.
// Each character counts as one column; wide ones are drawn askew until the next redraw, nothing worse.

struct Screen: Sendable {
  let promptText: [UInt8]
  let width: Int
  /// Whether the terminal knows CSI K.
  let erases: Bool
  /// Whether the row shows the prompt now.
  var isShown = false

  /// The byte of the line that is shown first.
  private var first = 0
  /// Columns of the line that are drawn, and the cursor's among them.
  private var drawn = 0
  private var column = 0

  init(prompt: [UInt8], width: Int, erases: Bool) {
    promptText = Array(prompt.prefix(width / 2))
    self.width = width
    self.erases = erases
  }

  /// The columns for the line; the last one of the row stays free, because terminals wrap there.
  private var room: Int { width - promptText.count - 1 }

  static func columns(_ text: ArraySlice<UInt8>) -> Int {
    var count = 0
    for byte in text where byte & 0xC0 != 0x80 { count += 1 }
    return count
  }

  /// Draws the row, from its first column on.
  mutating func draw(_ line: [UInt8], cursor: Int) -> [UInt8] {
    scroll(line, cursor)
    let end = Self.index(line, first, forward: room)
    let visible = line[first..<end]
    drawn = Self.columns(visible)
    column = Self.columns(line[first..<cursor])
    isShown = true
    return promptText + visible + [UInt8](repeating: 0x08, count: drawn - column)
  }

  /// Empties the row and goes to its first column.
  mutating func erase() -> [UInt8] {
    guard isShown else { return [] }
    isShown = false
    if erases { return [0x0D, 0x1B, 0x5B, 0x4B] }
    return [0x0D] + [UInt8](repeating: 0x20, count: promptText.count + drawn) + [0x0D]
  }

  /// Draws characters that were typed at the end; nil if the row must be drawn anew.
  mutating func append(_ bytes: [UInt8]) -> [UInt8]? {
    guard isShown, column == drawn, drawn + 1 < room else { return nil }
    drawn += 1
    column += 1
    return bytes
  }

  /// Leaves the row as it is and goes to the next one.
  mutating func leave() -> [UInt8] {
    isShown = false
    return [0x0D, 0x0A]
  }

  /// Rows of candidates on one page.
  private static let maxRows = 20

  /// A page of candidates side by side, in rows with their ends.
  ///
  /// - Parameter offset: The first of them on this page; set to the first one of the next page, or to 0 behind the last page.
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

  /// Moves the window so that the cursor is in it.
  private mutating func scroll(_ line: [UInt8], _ cursor: Int) {
    if Self.columns(line[...]) < room {
      first = 0
      return
    }
    // The line may be another one than before: the window must begin with a character of this one.
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
