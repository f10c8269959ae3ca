// The values of settings, and their parsing and formatting. Pure values; any thread.

import Controls
import PlaybackModel
import Platform

/// A value of a setting. `SettingKind.read` creates values of the setting's kind.
package enum SettingValue: Hashable, Sendable {
  /// The setting's special word, such as `off`, `auto` or `last`.
  case special
  case integer(Int)
  case decimal(Double)
  /// The name of one of the choices.
  case choice(String)
  case isOn(Bool)
  case text(String)
  case list([String])
  /// Minutes since midnight, 0…1439.
  case timeOfDay(Int)
  case band(EqualizerBand)
}

/// One of several named values, with an explanation.
package struct Choice: Hashable, Sendable {
  /// The name in commands.
  package let name: String
  /// The explanation, in a few words; may be empty.
  package let help: String

  init(_ name: String, _ help: String = "") {
    self.name = name
    self.help = help
  }
}

/// The kind of values that a setting takes.
package enum SettingKind: Hashable, Sendable {
  /// A whole number, optionally followed by its unit.
  case integer(ClosedRange<Int>, unit: String)
  /// A decimal number, optionally followed by its unit.
  case decimal(ClosedRange<Double>, decimals: Int, unit: String)
  case choice([Choice])
  case onOff
  /// Text of 1 to `longest` bytes.
  case text(longest: Int)
  /// 4 to 12 digits.
  case pin
  /// The name of a control.
  case control
  /// An absolute path.
  case path
  /// One to `most` absolute paths.
  case paths(most: Int)
  /// `HH:MM`.
  case timeOfDay
  /// A name of the tz database.
  case timeZone
  /// A band of the equaliser.
  case band
  /// A numeric address with a port.
  case address
  /// An output: the name of an ALSA device without an inline definition, a Snapcast server, or `null`.
  case output
  /// The address of a proxy for streams, such as `http://user:word@proxy:3128`.
  case proxy
  /// An MQTT topic of at most `mostLevels` levels, without wildcards.
  case topic(mostLevels: Int)

  /// The longest path, in bytes. Linux allows 4096 (PATH_MAX).
  static let maxPathLength = 1000

  /// Parses a value from the words after the key.
  ///
  /// - Throws: An error whose sentence does not contain the key.
  func read(_ words: [String]) throws(ConsoleError) -> SettingValue {
    if case .paths(let most) = self {
      guard words.count <= most else {
        throw ConsoleError(.badValue, "takes " + String(most) + " paths at most")
      }
      for word in words { try Self.checkPath(word) }
      return .list(words)
    }
    guard let word = words.first else { throw ConsoleError(.wrongUsage, "wants " + wanted) }
    if case .band = self { return .band(try Self.band(words)) }
    guard words.count == 1 else {
      throw ConsoleError(
        .wrongUsage, "takes one value, and '" + words[1] + "' is one too many; put text with spaces in quotes"
      )
    }
    switch self {
    case .integer(let range, let unit):
      guard let number = Self.integer(word, unit: unit), range.contains(number) else { throw refusal(word) }
      return .integer(number)
    case .decimal(let range, let decimals, let unit):
      // Keep the rounded value that `save` writes.
      guard let number = Self.decimal(word, unit: unit), range.contains(number),
        let kept = Decimal.parse(Self.shortestText(number, decimals: decimals)[...])
      else { throw refusal(word) }
      return .decimal(kept)
    case .choice(let choices):
      let name = Spelling.small(word)
      for choice in choices where Spelling.small(choice.name) == name { return .choice(choice.name) }
      throw refusal(word)
    case .onOff:
      guard let isOn = Self.switchValue(word) else { throw refusal(word) }
      return .isOn(isOn)
    case .text(let longest):
      guard !word.utf8.isEmpty, word.utf8.count <= longest else { throw refusal(word) }
      return .text(word)
    case .pin:
      guard Self.isPIN(word) else { throw ConsoleError(.badValue, "wants " + wanted) }
      return .text(word)
    case .control:
      guard let name = ControlName(word) else { throw ConsoleError(.badValue, "wants " + wanted) }
      return .text(name.text)
    case .path:
      try Self.checkPath(word)
      return .text(word)
    case .paths: return .list([word])
    case .band: return .band(try Self.band([word]))
    case .address:
      guard let address = NetworkAddress(word), address.port > 0 else { throw refusal(word) }
      return .text(address.text)
    case .output:
      guard OutputName.isValid(word) else { throw refusal(word) }
      return .text(word)
    case .proxy:
      guard Self.isProxy(word) else { throw refusal(word) }
      return .text(word)
    case .topic(let most):
      guard Self.isTopic(word, mostLevels: most) else { throw refusal(word) }
      return .text(word)
    case .timeZone:
      guard TimeZoneRules.isName(word) else { throw refusal(word) }
      return .text(word)
    case .timeOfDay:
      guard let minutes = Self.timeOfDay(word) else { throw refusal(word) }
      return .timeOfDay(minutes)
    }
  }

  /// Formats a value as words that `read` parses to the same value.
  func words(_ value: SettingValue) -> [String] {
    switch value {
    case .special: []
    case .integer(let number): [String(number)]
    case .decimal(let number): [Self.shortestText(number, decimals: decimals)]
    case .choice(let name): [name]
    case .isOn(let isOn): [isOn ? "on" : "off"]
    case .text(let text): [text]
    case .list(let texts): texts
    case .timeOfDay(let minutes): [LocalTime.clock(minutes)]
    case .band(let band): Self.words(of: band)
    }
  }

  /// Whether a value is valid for this kind.
  func accepts(_ value: SettingValue) -> Bool {
    let words = words(value)
    guard !words.isEmpty, let read = try? read(words) else { return false }
    return read == value
  }

  /// A description of valid values, for errors and help: `a number from 0 to 15 s`.
  package var wanted: String {
    switch self {
    case .integer(let range, let unit):
      "a whole number from " + String(range.lowerBound) + " to " + String(range.upperBound)
        + (unit.utf8.isEmpty ? "" : " " + unit)
    case .decimal(let range, let decimals, let unit):
      "a number from " + Self.shortestText(range.lowerBound, decimals: decimals) + " to "
        + Self.shortestText(range.upperBound, decimals: decimals) + (unit.utf8.isEmpty ? "" : " " + unit)
    case .choice(let choices): "one of " + Self.joined(choices.map { $0.name })
    case .onOff: "on or off"
    case .text(let longest): "text of 1 to " + String(longest) + " bytes"
    case .pin: "4 to 12 digits"
    case .control: "a button's name, of small letters, digits and dashes"
    case .path: "a path that begins with /"
    case .paths(let most): "1 to " + String(most) + " paths that begin with /"
    case .timeOfDay: "a time of day such as 22:30"
    case .timeZone: "a continent and a city, such as Europe/Berlin"
    case .band: Self.wantedBand
    case .address: "a numeric address with a port, such as 127.0.0.1:6600 or [::]:6600"
    case .output: OutputName.wanted
    case .proxy:
      "the address of a proxy with a scheme that is http, https, socks4, socks4a, socks5 or socks5h, such as http://proxy:3128 or socks5h://name:word@proxy"
    case .topic(1): "a topic of one level, of 1 to 64 bytes without / + # $"
    case .topic(let most):
      "a topic of 1 to 64 bytes and " + String(most) + " levels at most, such as home/kitchen, without + # $"
    }
  }

  /// The values that completion offers; empty for kinds without choices.
  package var names: [String] {
    switch self {
    case .choice(let choices): choices.map { $0.name }
    case .onOff: ["on", "off"]
    case .band: Self.shapeNames
    default: []
    }
  }

  /// The unit of a number; empty if it has none.
  package var unit: String {
    switch self {
    case .integer(_, let unit), .decimal(_, _, let unit): unit
    default: ""
    }
  }

  private var decimals: Int {
    if case .decimal(_, let decimals, _) = self { decimals } else { 3 }
  }

  private func refusal(_ word: String) -> ConsoleError {
    ConsoleError(.badValue, "cannot be '" + word + "': it is " + wanted + Spelling.hint(word, among: names))
  }

  private static func checkPath(_ word: String) throws(ConsoleError) {
    guard word.utf8.first == 0x2F, word.utf8.count <= maxPathLength else {
      throw ConsoleError(
        .badValue,
        "cannot be '" + word + "': a path begins with / and has at most "
          + String(maxPathLength) + " bytes")
    }
  }
}
