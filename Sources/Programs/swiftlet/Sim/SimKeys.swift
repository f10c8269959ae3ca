// Keyboard decoding for `swiftlet sim`: separates buttons and knob from console text. Pure functions; main thread.

/// A decoded key.
enum SimKey: Hashable {
  /// F key pressed or released, numbered from 0.
  case button(Int, isDown: Bool)
  /// F key on a terminal that does not report releases.
  case tap(Int)
  /// Shift and F key: holds the button down.
  case latch(Int)
  /// Detents of the knob; clockwise is positive.
  case turn(Int)
  /// Input for the console.
  case text([UInt8])
}

/// Decoder for terminal input; escape sequences may be split between calls.
///
/// F keys, or Alt and a digit, are buttons. Terminals that report key releases (kitty keyboard protocol) hold a button
/// as long as its key; on other terminals a key is a tap, and with Shift the button stays down until it is tapped.
struct SimKeys {
  /// Enables key release reports and queries whether the terminal supports them (kitty keyboard protocol).
  static let greeting = "\u{1B}[>2u\u{1B}[?u"
  static let farewell = "\u{1B}[<u"

  private static let maxSequence = 24
  private var pending: [UInt8] = []
  private var tellsReleases = false

  mutating func feed(_ bytes: [UInt8]) -> [SimKey] {
    var keys: [SimKey] = []
    for byte in bytes { take(byte, &keys) }
    // A single Escape byte is the Escape key, since terminals send sequences in one piece, except on slow lines.
    if pending == [0x1B], bytes.count == 1 { flush(&keys) }
    return keys
  }

  private mutating func take(_ byte: UInt8, _ keys: inout [SimKey]) {
    if pending.isEmpty, byte != 0x1B {
      text([byte], &keys)
      return
    }
    pending.append(byte)
    switch pending.count {
    case 1: return
    case 2 where byte == 0x5B || byte == 0x4F: return
    case 2 where byte >= 0x31 && byte <= 0x38:
      pending = []
      keys.append(.tap(Int(byte) - 0x31))
    case 2: flush(&keys)
    default:
      // The Linux console sends F1 as ESC [ [ A.
      if pending.count == 3, byte == 0x5B { return }
      if byte >= 0x40, byte <= 0x7E {
        let sequence = pending
        pending = []
        finish(sequence, &keys)
      } else if pending.count >= Self.maxSequence {
        flush(&keys)
      }
    }
  }

  private mutating func flush(_ keys: inout [SimKey]) {
    text(pending, &keys)
    pending = []
  }

  private func text(_ bytes: [UInt8], _ keys: inout [SimKey]) {
    if case .text(let before)? = keys.last {
      keys[keys.count - 1] = .text(before + bytes)
    } else {
      keys.append(.text(bytes))
    }
  }

  /// Decodes a complete CSI or SS3 sequence, with parameters separated by `;` and `:` (kitty, xterm and VT220 keys).
  private mutating func finish(_ sequence: [UInt8], _ keys: inout [SimKey]) {
    let last = sequence[sequence.count - 1]
    let parameters = sequence[2..<(sequence.count - 1)]
    if parameters.first == 0x3F {
      // Replies of the terminal to queries.
      if last == 0x75 { tellsReleases = true }
      return
    }
    let fields = parameters.split(separator: 0x3B, omittingEmptySubsequences: false).map {
      $0.split(separator: 0x3A, omittingEmptySubsequences: false).map { Self.number($0) }
    }
    let isShifted = fields.count > 1 && (fields[1][0] - 1) & 1 == 1
    let event = fields.count > 1 && fields[1].count > 1 ? fields[1][1] : 1
    if let key = Self.functionKey(last, fields.first?.first ?? 0, isLinux: parameters.first == 0x5B) {
      switch (tellsReleases, event) {
      case (true, 2): break
      case (true, 3): keys.append(.button(key.number, isDown: false))
      case (true, _): keys.append(.button(key.number, isDown: true))
      case (false, _): keys.append(isShifted || key.isShifted ? .latch(key.number) : .tap(key.number))
      }
      return
    }
    guard event != 3 else { return }
    if last == 0x7E, let code = fields.first?.first, code == 5 || code == 6 {
      keys.append(.turn(code == 5 ? 1 : -1))
      return
    }
    let plain = fields.count > 1 && fields[1].count > 1 && fields[1][0] == 1
    text(plain ? Array(sequence[..<2]) + [last] : sequence, &keys)
  }

  private static func functionKey(
    _ last: UInt8, _ code: Int, isLinux: Bool
  ) -> (number: Int, isShifted: Bool)? {
    if isLinux { return last >= 0x41 && last <= 0x45 ? (Int(last) - 0x41, false) : nil }
    // F1 to F4 as SS3 or CSI with final bytes P to S.
    if last >= 0x50, last <= 0x53 { return (Int(last) - 0x50, false) }
    guard last == 0x7E else { return nil }
    switch code {
    case 11...15: return (code - 11, false)
    case 17...19: return (code - 12, false)
    // Shift-F1 to Shift-F8 on terminals that send F13 to F20.
    case 25, 26: return (code - 25, true)
    case 28, 29: return (code - 26, true)
    case 31...34: return (code - 27, true)
    default: return nil
    }
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int {
    var number = 0
    for digit in digits where digit >= 0x30 && digit <= 0x39 && number < 100_000 {
      number = number * 10 + Int(digit - 0x30)
    }
    return digits.isEmpty ? 1 : number
  }
}
