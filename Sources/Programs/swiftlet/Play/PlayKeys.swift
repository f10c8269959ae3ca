// The keys of `swiftlet play`: what each types. Pure; main thread.

import PlaybackModel
import Platform

/// Keys as commands.
enum PlayKeys {
  private static let fadeLengths = [0, 2, 5, 10, 15]

  /// The lines that a key types, while fades have this length.
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
