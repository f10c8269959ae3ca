// Names for the key and axis codes of Linux input devices. Pure; any thread.
// The codes are those of linux/input-event-codes.h; a code without a name here is written as `code-N`.

/// Names for evdev codes: the kernel's, in lower case with dashes, without KEY_ or REL_.
enum InputCodeNames {
  /// The keys of remote controls, keypads and gpio-keys.
  static let keys: [(name: String, code: UInt16)] = [
    ("esc", 1), ("1", 2), ("2", 3), ("3", 4), ("4", 5), ("5", 6), ("6", 7), ("7", 8), ("8", 9), ("9", 10),
    ("0", 11), ("minus", 12), ("equal", 13), ("backspace", 14), ("tab", 15), ("enter", 28), ("space", 57),
    ("leftctrl", 29), ("leftshift", 42), ("leftalt", 56), ("a", 30), ("b", 48), ("c", 46), ("d", 32),
    ("e", 18), ("f", 33), ("g", 34), ("h", 35), ("i", 23), ("j", 36), ("k", 37), ("l", 38), ("m", 50),
    ("n", 49), ("o", 24), ("p", 25), ("q", 16), ("r", 19), ("s", 31), ("t", 20), ("u", 22), ("v", 47),
    ("w", 17), ("x", 45), ("y", 21), ("z", 44), ("f1", 59), ("f2", 60), ("f3", 61), ("f4", 62), ("f5", 63),
    ("f6", 64), ("f7", 65), ("f8", 66), ("f9", 67), ("f10", 68), ("f11", 87), ("f12", 88), ("kp0", 82),
    ("kp1", 79), ("kp2", 80), ("kp3", 81), ("kp4", 75), ("kp5", 76), ("kp6", 77), ("kp7", 71), ("kp8", 72),
    ("kp9", 73), ("kpminus", 74), ("kpplus", 78), ("kpdot", 83), ("kpenter", 96), ("kpslash", 98),
    ("kpasterisk", 55), ("up", 103), ("down", 108), ("left", 105), ("right", 106), ("home", 102),
    ("end", 107), ("pageup", 104), ("pagedown", 109), ("insert", 110), ("delete", 111), ("mute", 113),
    ("volumedown", 114), ("volumeup", 115), ("power", 116), ("pause", 119), ("stop", 128), ("menu", 139),
    ("back", 158), ("forward", 159), ("sleep", 142), ("wakeup", 143), ("prog1", 148), ("prog2", 149),
    ("prog3", 202), ("prog4", 203), ("ejectcd", 161), ("nextsong", 163), ("playpause", 164),
    ("previoussong", 165), ("stopcd", 166), ("record", 167), ("rewind", 168), ("fastforward", 208),
    ("play", 207), ("pausecd", 201), ("playcd", 200), ("homepage", 172), ("shuffle", 410),
    ("media-repeat", 439), ("ok", 352), ("select", 353), ("info", 358), ("red", 398), ("green", 399),
    ("yellow", 400), ("blue", 401), ("channelup", 402), ("channeldown", 403), ("next", 407),
    ("previous", 412), ("numeric-0", 512), ("numeric-1", 513), ("numeric-2", 514), ("numeric-3", 515),
    ("numeric-4", 516), ("numeric-5", 517), ("numeric-6", 518), ("numeric-7", 519), ("numeric-8", 520),
    ("numeric-9", 521), ("btn-0", 256), ("btn-1", 257), ("btn-2", 258), ("btn-3", 259), ("btn-4", 260),
    ("btn-5", 261), ("btn-6", 262), ("btn-7", 263), ("btn-8", 264), ("btn-9", 265),
  ]

  /// The axes of rotary encoders and wheels.
  static let axes: [(name: String, code: UInt16)] = [
    ("x", 0), ("y", 1), ("z", 2), ("hwheel", 6), ("dial", 7), ("wheel", 8), ("misc", 9),
  ]

  /// The highest codes (KEY_MAX and REL_MAX of the kernel).
  static let lastKey = 0x2FF
  static let lastAxis = 0x0F

  static func keyName(_ code: UInt16) -> String { name(code, in: keys) }
  static func axisName(_ code: UInt16) -> String { name(code, in: axes) }

  static func key(_ word: String) -> UInt16? { code(word, "key-", in: keys, last: lastKey) }
  static func axis(_ word: String) -> UInt16? { code(word, "rel-", in: axes, last: lastAxis) }

  private static func name(_ code: UInt16, in names: [(name: String, code: UInt16)]) -> String {
    names.first { $0.code == code }?.name ?? "code-" + String(code)
  }

  /// Parses a name, with or without the kernel's prefix, or `code-N`. Plain digits are names of keys.
  private static func code(
    _ word: String, _ prefix: String, in names: [(name: String, code: UInt16)], last: Int
  ) -> UInt16? {
    var bytes = Array(Spelling.small(word).utf8)
    for index in bytes.indices where bytes[index] == 0x5F { bytes[index] = 0x2D }
    if bytes.starts(with: prefix.utf8) { bytes.removeFirst(prefix.utf8.count) }
    let small = String(decoding: bytes, as: UTF8.self)
    if bytes.starts(with: "code-".utf8) {
      let digits = String(decoding: bytes.dropFirst(5), as: UTF8.self)
      guard let number = SettingKind.integer(digits, unit: ""), number >= 0, number <= last else {
        return nil
      }
      return UInt16(number)
    }
    return names.first { $0.name == small }?.code
  }
}
