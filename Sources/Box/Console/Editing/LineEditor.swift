// Line editor for a terminal or a dumb serial line: input bytes become echo bytes and finished lines. Pure;
// control thread.
// Draws with CR, BS and blanks only; `.ansi` erases with CSI K, which takes fewer bytes.

/// A line editor with history and completion. It accepts any bytes and uses bounded memory.
///
/// The caller reads bytes and, until they are used up, calls `feed`, sends the echo, handles the event, sends
/// its answer and then `prompt()`. Lines to show while the user is typing are passed through `printAbove`.
package struct LineEditor: Sendable {
  /// The kind of terminal or program at the other end.
  package enum Mode: UInt8, Hashable, Sendable {
    /// A program: no echo, no prompt, no editing keys; lines end in LF.
    case plain
    /// A terminal that supports CR, LF and BS.
    case dumb
    /// A terminal that supports ECMA-48 escape sequences.
    case ansi
  }

  /// The result of a finished line or of ^D.
  package enum Event: Hashable, Sendable {
    /// A line without its line end; the interpreter may still reject it.
    case line([UInt8])
    /// A line that was too long and was discarded.
    case refused(ConsoleError)
    /// ^D on an empty line.
    case endOfInput
  }

  /// The kind of terminal or program at the other end.
  package let mode: Mode
  /// Whether typed characters are shown as stars and kept out of the history.
  package var masksInput = false

  var line: [UInt8] = []
  var cursor = 0
  var killed: [UInt8] = []
  var history = LineHistory()
  var screen: Screen

  private var input = KeyDecoder()
  private var isOverlong = false
  /// The unsent rest of a long answer; each key sends its next page.
  var unpaged: ArraySlice<UInt8> = []
  /// The text whose completions were listed last, and the index of the next page's first candidate.
  private var listed: (text: [UInt8], offset: Int) = ([], 0)

  /// Creates an editor. Nothing is drawn before `prompt()`.
  ///
  /// - Parameters:
  ///   - mode: The kind of terminal or program at the other end.
  ///   - prompt: The prompt's text.
  ///   - width: The terminal's width in columns; at least 20 are used.
  package init(mode: Mode, prompt: String = "> ", width: Int = 80) {
    self.mode = mode
    screen = Screen(prompt: Array(prompt.utf8), width: max(20, width), erases: mode == .ansi)
  }

  /// The most bytes of a line, without its line end.
  var maxLineBytes: Int { mode == .plain ? CommandLineText.maxLineLength : CommandLineText.maxTypedBytes }

  /// Consumes input up to the first event and removes it from `bytes`.
  ///
  /// - Parameters:
  ///   - bytes: The input.
  ///   - complete: Returns completions for the line up to the cursor.
  /// - Returns: The echo, to be sent before the event's answer, and the event, if any.
  package mutating func feed(
    _ bytes: inout ArraySlice<UInt8>, complete: ([UInt8]) -> Completion
  ) -> (echo: [UInt8], event: Event?) {
    var echo: [UInt8] = []
    while let byte = bytes.popFirst() {
      if mode == .plain {
        if let event = takePlain(byte) { return (echo, event) }
        continue
      }
      guard let key = input.take(byte) else { continue }
      if isPaging {
        echo += turnPage(key)
        continue
      }
      if let event = press(key, &echo, complete) { return (echo, event) }
    }
    return (echo, nil)
  }

  /// Draws the prompt and the unfinished line, after an answer or at the start of a session. Empty for
  /// `.plain`.
  package mutating func prompt() -> [UInt8] {
    guard mode != .plain, !isPaging else { return [] }
    return screen.draw(shownLine, cursor: shownCursor)
  }

  /// Redraws the line, for example after line noise.
  package mutating func redraw() -> [UInt8] {
    guard mode != .plain else { return [] }
    return screen.erase() + screen.draw(shownLine, cursor: shownCursor)
  }

  /// Prints whole lines (including line ends) above the line being typed.
  package mutating func printAbove(_ text: [UInt8]) -> [UInt8] {
    if isPaging { return Self.erased + text + more }
    guard mode != .plain, screen.isShown else { return text }
    return screen.erase() + text + screen.draw(shownLine, cursor: shownCursor)
  }

  /// Discards the unfinished line and answer after a disconnect. The history is kept.
  package mutating func discard() {
    setLine([])
    unpaged = []
    input = KeyDecoder()
    isOverlong = false
    screen.isShown = false
  }

  // Input

  private mutating func takePlain(_ byte: UInt8) -> Event? {
    guard byte == 0x0A else {
      // Accepts one byte beyond the limit: the CR before the LF.
      if line.count <= maxLineBytes { line.append(byte) } else { isOverlong = true }
      return nil
    }
    return endLine()
  }

  private mutating func endLine() -> Event {
    let ended = line
    let wasOverlong = isOverlong
    setLine([])
    isOverlong = false
    history.leave()
    if wasOverlong {
      return .refused(
        ConsoleError(
          .malformed,
          "the line has more than " + String(maxLineBytes) + " bytes and was discarded"))
    }
    return .line(ended)
  }

  private mutating func press(
    _ key: Key, _ echo: inout [UInt8], _ complete: ([UInt8]) -> Completion
  ) -> Event? {
    switch key {
    case .enter:
      if !masksInput { history.add(line) }
      echo += screen.leave()
      return endLine()
    case .interrupt:
      echo += screen.leave()
      setLine([])
      isOverlong = false
      history.leave()
      echo += prompt()
    case .endOrDelete where line.isEmpty && !isOverlong:
      echo += screen.leave()
      return .endOfInput
    case .tab: tab(&echo, complete)
    case .clearScreen:
      echo += mode == .ansi ? Array("\u{1B}[H\u{1B}[2J".utf8) : [0x0D, 0x0A]
      screen.isShown = false
      echo += prompt()
    case .character(let bytes): insert(bytes, &echo)
    default: if edit(key) { echo += redraw() } else { echo.append(0x07) }
    }
    return nil
  }

  private mutating func insert(_ bytes: [UInt8], _ echo: inout [UInt8]) {
    guard line.count + bytes.count <= maxLineBytes else {
      isOverlong = true
      return
    }
    guard !isOverlong else { return }
    let isAtEnd = cursor == line.count
    line.insert(contentsOf: bytes, at: cursor)
    cursor += bytes.count
    if isAtEnd, let drawn = screen.append(masksInput ? [0x2A] : bytes) {
      echo += drawn
    } else {
      echo += redraw()
    }
  }

  private mutating func tab(_ echo: inout [UInt8], _ complete: ([UInt8]) -> Completion) {
    guard !masksInput else { return }
    let typed = Array(line[..<cursor])
    let completion = complete(typed)
    let start = completion.start
    guard !completion.candidates.isEmpty, start >= 0, start <= cursor,
      line.count - (cursor - start) + completion.insertion.count <= maxLineBytes
    else {
      echo.append(0x07)
      return
    }
    if completion.candidates.count > 1, completion.insertion.count <= cursor - start {
      // Tab again on the same text lists the next page.
      if listed.text != typed || listed.offset >= completion.candidates.count { listed = (typed, 0) }
      echo += printAbove(screen.columns(completion.candidates, from: &listed.offset))
      return
    }
    line.replaceSubrange(start..<cursor, with: completion.insertion)
    cursor = start + completion.insertion.count
    echo += redraw()
  }

  // State

  mutating func setLine(_ new: [UInt8]) {
    line = new
    cursor = new.count
  }

  private var shownLine: [UInt8] {
    masksInput ? [UInt8](repeating: 0x2A, count: Screen.columns(line[...])) : line
  }

  private var shownCursor: Int { masksInput ? Screen.columns(line[..<cursor]) : cursor }
}
