// Command lists of an MPD client: collecting their lines and executing their commands in order. Values.

/// Collects the lines of a command list.
struct MPDCommandList {
  enum Step {
    /// The line belongs to an incomplete list.
    case collecting
    case tooLong
    case begin([[UInt8]], isListed: Bool, wantsOK: Bool)
  }

  private var lines: [[UInt8]]?
  private var wantsOK = false
  private var size = 0

  /// Adds a line. The list commands are handled here; a list within a list is refused when it is executed.
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

/// The progress of a command or command list.
struct MPDWork {
  private var lines: ArraySlice<[UInt8]> = []
  /// The index of the present command in its list.
  private(set) var index = -1
  let isListed: Bool
  /// Whether each command of the list is answered with `list_OK`.
  let wantsOK: Bool
  /// The present command's name; empty if it is unknown.
  var command = ""
  /// The change counts at the beginning of the present command.
  var changesBefore = MPDChangeCounts()
  /// Whether the present command awaits an answer.
  var isWaiting = false
  /// Whether a command is being started, so that a synchronous completion must not continue the list.
  var isRunning = false
  /// Whether no command has failed, so that OK must be sent.
  var isSuccess: Bool

  /// No work.
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

  /// Drops the remaining commands after a failed one.
  mutating func fail() {
    lines = []
    isSuccess = false
  }
}
