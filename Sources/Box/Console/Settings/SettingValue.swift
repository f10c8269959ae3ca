// What a setting holds, and how it is read from words and written back. Pure values; any thread.

import Controls
import PlaybackModel
import Platform
import PlaybackModel

/// A value of a setting. Only `SettingKind` makes them from words, so that they are of the right kind.
package enum SettingValue: Hashable, Sendable {
  /// The setting's word for "no value of its own": `off`, `auto`, `last`.
  case special
  case integer(Int)
  case decimal(Double)
  /// One of a choice's names.
  case choice(String)
  case isOn(Bool)
  case text(String)
  case list([String])
  /// Minutes since midnight, 0…1439.
  case timeOfDay(Int)
  case band(EqualizerBand)
}

/// One of several named values, with what it means.
package struct Choice: Hashable, Sendable {
  /// The name in commands.
  package let name: String
  /// What it means, in a few words; may be empty.
  package let help: String

  init(_ name: String, _ help: String = "") {
    self.name = name
    self.help = help
  }
}

/// What values a setting takes.
package enum SettingKind: Hashable, Sendable {
  /// A whole number; the unit may follow it.
  case integer(ClosedRange<Int>, unit: String)
  /// A number with decimals; the unit may follow it.
  case decimal(ClosedRange<Double>, decimals: Int, unit: String)
  case choice([Choice])
  case onOff
  /// Text of 1 to so many bytes.
  case text(longest: Int)
  /// 4 to 12 digits.
  case pin
  /// A control's name.
  case control
  /// An absolute path.
  case path
  /// One to so many absolute paths.
  case paths(most: Int)
  /// `HH:MM`.
  case timeOfDay
  /// A name of the tz database.
  case timeZone
  /// A band of the equaliser.
  case band
  /// A numeric address with a port.
  case address
  /// An output: an ALSA device that defines nothing, a Snapcast server or `null`.
  case output
  /// A topic of MQTT with so many levels at most, without wildcards.
  case topic(mostLevels: Int)

  /// The longest path, in bytes (Linux's PATH_MAX is 4096; a line holds less).
  static let maxPathLength = 1000

  /// Reads a value from the words that follow the key. Throws a sentence without the key's name.
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
      // What is kept is what is written.
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

  /// The words that `read` makes the same value from.
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

  /// Whether a value is one of these.
  func accepts(_ value: SettingValue) -> Bool {
    let words = words(value)
    guard !words.isEmpty, let read = try? read(words) else { return false }
    return read == value
  }

  /// What is wanted, for errors and help: `a number from 0 to 15 s`.
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
    case .timeZone: "a name of the tz database, such as Europe/Berlin"
    case .band: Self.wantedBand
    case .address: "a numeric address with a port, such as 127.0.0.1:6600 or [::]:6600"
    case .output: OutputName.wanted
    case .topic(1): "a topic of one level, of 1 to 64 bytes without / + # $"
    case .topic(let most):
      "a topic of 1 to 64 bytes and " + String(most) + " levels at most, such as home/kitchen, without + # $"
    }
  }

  /// The choices' names, where there is a choice.
  package var names: [String] {
    switch self {
    case .choice(let choices): choices.map { $0.name }
    case .onOff: ["on", "off"]
    case .band: Self.shapeNames
    default: []
    }
  }

  /// The unit of a number; empty where there is none.
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
