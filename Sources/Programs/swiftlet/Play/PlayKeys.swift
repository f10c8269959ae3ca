// Key bindings of `swiftlet play`. Pure functions; main thread.

import PlaybackModel
import Platform

/// Maps keys to console commands.
enum PlayKeys {
  private static let fadeLengths = [0, 2, 5, 10, 15]

  /// Command lines for a key.
  ///
  /// - Parameter fadeLength: Current length of fades, for the key that cycles through lengths.
  static func lines(_ key: Key, fadeLength: Seconds) -> [String] {
    switch key {
    case .left: return ["seek -10"]
    case .right: return ["seek +10"]
    case .up: return ["volume +5"]
    case .down: return ["volume -5"]
    case .character(let byte):
      switch byte {
      case UInt8(ascii: " "): return ["toggle"]
      case UInt8(ascii: "n"): return ["next"]
      case UInt8(ascii: "p"): return ["previous"]
      case UInt8(ascii: "f"): return ["finish-fade"]
      case UInt8(ascii: "m"): return ["mute"]
      case UInt8(ascii: "x"):
        let length = String(fadeLengths.first { Double($0) > fadeLength.value } ?? 0)
        return ["set fade.length " + length, "set fade.manual-length " + length]
      case UInt8(ascii: "c"): return ["cycle fade.curve"]
      case UInt8(ascii: "q"), 0x04: return ["exit"]
      default: return []
      }
    }
  }
}
