// Editing keys of the line editor: moving, deleting, killing and recalling lines. Pure; control thread.

extension LineEditor {
  /// Applies an editing key.
  ///
  /// - Returns: False if it had no effect, so that the caller rings the bell.
  mutating func edit(_ key: Key) -> Bool {
    switch key {
    case .left: return move(to: before(cursor))
    case .right: return move(to: after(cursor))
    case .wordLeft: return move(to: wordStart)
    case .wordRight: return move(to: wordEnd)
    case .home: return move(to: 0)
    case .end: return move(to: line.count)
    case .backspace: return remove(before(cursor)..<cursor, keeping: false)
    case .delete, .endOrDelete: return remove(cursor..<after(cursor), keeping: false)
    case .killToEnd: return remove(cursor..<line.count, keeping: true)
    case .killToStart: return remove(0..<cursor, keeping: true)
    case .killWordBack: return remove(wordStart..<cursor, keeping: true)
    case .killWord: return remove(cursor..<wordEnd, keeping: true)
    case .yank:
      guard !killed.isEmpty, line.count + killed.count <= maxLineBytes else { return false }
      line.insert(contentsOf: killed, at: cursor)
      cursor += killed.count
      return true
    case .transpose: return transpose()
    case .up, .down:
      guard !masksInput, let recalled = key == .up ? history.older(line) : history.newer(line) else {
        return false
      }
      setLine(recalled)
      return true
    case .character, .enter, .tab, .interrupt, .clearScreen: return false
    }
  }

  private mutating func move(to target: Int) -> Bool {
    let hasMoved = cursor != target
    cursor = target
    return hasMoved
  }

  private mutating func remove(_ range: Range<Int>, keeping: Bool) -> Bool {
    guard !range.isEmpty else { return false }
    if keeping { killed = masksInput ? [] : Array(line[range]) }
    line.removeSubrange(range)
    cursor = range.lowerBound
    return true
  }

  /// Swaps the two characters around the cursor; at the end of the line, the last two.
  private mutating func transpose() -> Bool {
    let middle = cursor == line.count ? before(cursor) : cursor
    let start = before(middle)
    let end = after(middle)
    guard start < middle, middle < end else { return false }
    let swapped = Array(line[middle..<end] + line[start..<middle])
    line.replaceSubrange(start..<end, with: swapped)
    cursor = end
    return true
  }

  // Character and word boundaries

  private func before(_ index: Int) -> Int {
    var index = index
    guard index > 0 else { return 0 }
    repeat { index -= 1 } while index > 0 && line[index] & 0xC0 == 0x80
    return index
  }

  private func after(_ index: Int) -> Int {
    var index = index
    guard index < line.count else { return line.count }
    repeat { index += 1 } while index < line.count && line[index] & 0xC0 == 0x80
    return index
  }

  private var wordStart: Int {
    var index = cursor
    while index > 0, line[index - 1] == 0x20 { index -= 1 }
    while index > 0, line[index - 1] != 0x20 { index -= 1 }
    return index
  }

  private var wordEnd: Int {
    var index = cursor
    while index < line.count, line[index] == 0x20 { index += 1 }
    while index < line.count, line[index] != 0x20 { index += 1 }
    return index
  }
}
