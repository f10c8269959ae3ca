// Commands that a client has given and that are carried out one after another: one, or a list of them. Values.

/// Collects the lines of a command list.
struct MPDCommandList {
  enum Step {
    /// The line belongs to a list that is not complete.
    case collecting
    case tooLong
    case begin([[UInt8]], isListed: Bool, wantsOK: Bool)
  }

  private var lines: [[UInt8]]?
  private var wantsOK = false
  private var size = 0

  /// Takes a line. `command_list_begin` and its like are no commands: a list within a list is refused where it is carried out.
  mutating func take(_ line: [UInt8]) -> Step {
    guard var lines else {
      let isPlain = line.elementsEqual("command_list_begin".utf8)
      guard isPlain || line.elementsEqual("command_list_ok_begin".utf8) else {
        return .begin([line], isListed: false, wantsOK: false)
      }
      self.lines = []
      wantsOK = !isPlain
      size = 0
      return .collecting
    }
    guard !line.elementsEqual("command_list_end".utf8) else {
      self.lines = nil
      return .begin(lines, isListed: true, wantsOK: wantsOK)
    }
    size += line.count + 16
    guard size <= MPDClient.maxList else { return .tooLong }
    self.lines = nil
    lines.append(line)
    self.lines = lines
    return .collecting
  }
}

/// What of a list is still to be done.
struct MPDWork {
  private var lines: ArraySlice<[UInt8]> = []
  /// The place of the command that is carried out, in its list.
  private(set) var index = -1
  let isListed: Bool
  /// Whether each command of the list is answered by itself.
  let wantsOK: Bool
  /// The command that is carried out; empty for one that is not known.
  var command = ""
  /// What had changed how often when the command began.
  var changesBefore = MPDChangeCounts()
  /// Whether an answer is waited for.
  var isWaiting = false
  /// Whether the next command is being begun.
  var isRunning = false
  /// Whether all is well so far, so that an `OK` follows.
  var isSuccess: Bool

  /// Nothing to do.
  init() {
    isListed = false
    wantsOK = false
    isSuccess = false
  }

  init(_ lines: [[UInt8]], isListed: Bool, wantsOK: Bool) {
    self.lines = lines[...]
    self.isListed = isListed
    self.wantsOK = wantsOK
    isSuccess = true
  }

  var isOver: Bool { lines.isEmpty }

  mutating func next() -> [UInt8]? {
    index += 1
    return lines.popFirst()
  }

  /// What follows a command that failed is left out.
  mutating func fail() {
    lines = []
    isSuccess = false
  }
}
