// Argument parsers shared by the commands. Pure; any thread.

import Platform
import PlaybackModel

enum Arguments {
  static let path = Argument(
    "PATH", "a file, folder or playlist, in quotes if it contains spaces", [.paths]
  ) { $0.utf8.isEmpty ? nil : $0 }

  static let position = Argument<QueuePosition>(
    "POSITION", "a place in the queue, from 1 on"
  ) { SettingKind.integer($0, unit: "").flatMap { QueuePosition(number: $0) } }

  /// A position in the queue, or `id:` and an entry's id as `queue list` prints it.
  static let place = Argument<QueuePlace>(
    "POSITION", "a place in the queue, from 1 on, or an entry such as id:17"
  ) { word in
    guard word.utf8.starts(with: "id:".utf8) else {
      return SettingKind.integer(word, unit: "").flatMap { QueuePosition(number: $0) }.map { .position($0) }
    }
    let digits = word.utf8.dropFirst(3)
    guard digits.first.map({ $0 >= 0x30 && $0 <= 0x39 }) == true else { return nil }
    return UInt64(String(decoding: digits, as: UTF8.self)).map { .id($0) }
  }

  /// A position in the queue; nil for `next`.
  static let insertPosition = Argument<QueuePosition?>(
    "POSITION|next", "a place in the queue, from 1 on, or next",
    [.words([Choice("next", "right after the current track")])]
  ) { word in
    if Spelling.small(word) == "next" { return .some(nil) }
    return SettingKind.integer(word, unit: "").flatMap { QueuePosition(number: $0) }.map { .some($0) }
  }

  static let seekTarget = Argument<SeekTarget>(
    "POSITION", "a position such as 90, 1:30 or 25%, a distance such as +10 or -0:30, or live",
    [.words([Choice("live", "a station's present")])]
  ) { seekTarget($0) }

  /// A start position in a track that is not playing yet.
  static let trackPosition = Argument<Seconds>("TIME", "a position such as 90 or 1:30") { word in
    guard case .to(let time)? = seekTarget(word) else { return nil }
    return time
  }

  static let onOff = Argument<Bool>(
    "on|off", "on or off", [.words([Choice("on"), Choice("off")])]
  ) { SettingKind.switchValue($0) }

  /// Event subjects. None given means all except the position.
  static let subjects = subjects(words: [], none: .changes)
  /// Event subjects, `on` or `off`. None given means all except the position.
  static let watched = subjects(
    words: [
      (Choice("on", "everything, and the position ten times a second"), EventSubjects.all),
      (Choice("off", "nothing"), []),
    ],
    none: .changes)

  private static func subjects(
    words: [(choice: Choice, subjects: EventSubjects)], none: EventSubjects
  ) -> Argument<EventSubjects> {
    let choices = words.map { $0.choice } + EventSubject.allCases.map { Choice($0.name) }
    var name = ""
    for (choice, _) in words { name += choice.name + "|" }
    let shape = ArgumentShape(
      name: name + "SUBJECT", wanted: SettingKind.joined(choices.map { $0.name }), sources: [.words(choices)],
      isOptional: true, isRepeated: true)
    return Argument([shape]) { (cursor: inout WordCursor) throws(ConsoleError) -> EventSubjects in
      guard !cursor.isAtEnd else { return none }
      var found: EventSubjects = []
      while !cursor.isAtEnd {
        let word = try cursor.take(shape)
        let small = Spelling.small(word.text)
        if let entry = words.first(where: { $0.choice.name == small }) {
          found = entry.subjects
        } else if let subject = EventSubject.allCases.first(where: { $0.name == small }) {
          found.formUnion(EventSubjects([subject]))
        } else {
          throw ConsoleError(
            .badValue,
            "'" + word.text + "' is not " + shape.wanted
              + Spelling.hint(word.text, among: choices.map { $0.name }), column: word.column)
        }
      }
      return found
    }
  }

  /// A PIN. Errors do not repeat it.
  static let pin: Argument<String> = {
    let shape = ArgumentShape(name: "PIN", wanted: "4 to 12 digits", sources: [])
    return Argument([shape]) { (cursor: inout WordCursor) throws(ConsoleError) -> String in
      let word = try cursor.take(shape)
      guard SettingKind.isPIN(word.text) else {
        throw ConsoleError(.badValue, "a PIN has 4 to 12 digits", column: word.column)
      }
      return word.text
    }
  }()

  static func count(most: Int) -> Argument<Int> {
    Argument("COUNT", "a number from 1 to " + String(most)) { word in
      SettingKind.integer(word, unit: "").flatMap { $0 >= 1 && $0 <= most ? $0 : nil }
    }
  }

  /// An argument that is one of several words, each with a value.
  static func oneOf<Value: Sendable>(_ choices: [(Choice, Value)]) -> Argument<Value> {
    var name = ""
    for (choice, _) in choices { name += (name.utf8.isEmpty ? "" : "|") + choice.name }
    let names = choices.map { $0.0.name }
    return Argument(
      name, SettingKind.joined(names), [.words(choices.map { $0.0 })]
    ) { word in
      let small = Spelling.small(word)
      for (choice, value) in choices where choice.name == small { return value }
      return nil
    }
  }

  private static func settingShape(_ source: ArgumentShape.Source) -> ArgumentShape {
    ArgumentShape(name: "KEY", wanted: "a setting, such as fade.length", sources: [source])
  }

  static let setting = setting([settingShape(.settings)])
  static let cycledSetting = setting([settingShape(.cycles)])

  private static func setting(_ shapes: [ArgumentShape]) -> Argument<Setting> {
    Argument<Setting>(shapes) { (cursor: inout WordCursor) throws(ConsoleError) -> Setting in
      let word = try cursor.take(shapes[0])
      return try Setting.named(word.text, column: word.column)
    }
  }

  /// A setting; nil for `all`.
  static let settingOrAll: Argument<Setting?> = {
    let shape = ArgumentShape(
      name: "KEY|all", wanted: "a setting, such as fade.length, or all",
      sources: [.settings, .words([Choice("all", "every setting")])])
    return Argument<Setting?>([shape]) { (cursor: inout WordCursor) throws(ConsoleError) -> Setting? in
      let word = try cursor.take(shape)
      if Spelling.small(word.text) == "all" { return nil }
      return try Setting.named(word.text, column: word.column)
    }
  }()

  /// A setting and a value of its kind.
  static let settingAndValue: Argument<(Setting, SettingValue)> = {
    let shape = settingShape(.settings)
    let value = ArgumentShape(name: "VALUE", wanted: "the setting's new value", sources: [.settingValue])
    return Argument([shape, value]) {
      (cursor: inout WordCursor) throws(ConsoleError) -> (Setting, SettingValue) in
      let word = try cursor.take(shape)
      let setting = try Setting.named(word.text, column: word.column)
      let column = cursor.next?.column
      let value = cursor.takeRest().map { $0.text }
      do throws(ConsoleError) {
        return (setting, try setting.declaration.read(value))
      } catch {
        if value.first?.utf8.first == 0x3D { throw setting.needsBlank(value, column: column) }
        // A missing part of an equaliser band has no column to refer to.
        let isMissing = error.kind == .wrongUsage && setting.declaration.kind == .band
        throw ConsoleError(error.kind, error.sentence, column: isMissing ? nil : column)
      }
    }
  }()

  /// A setting, a group (the part before the dot), or nothing.
  static let selection: Argument<SettingSelection> = {
    let shape = ArgumentShape(
      name: "KEY|GROUP", wanted: "a setting, or a group of settings such as fade",
      sources: [.settingGroups, .settings], isOptional: true)
    return Argument([shape]) { (cursor: inout WordCursor) throws(ConsoleError) -> SettingSelection in
      guard !cursor.isAtEnd else { return .all }
      let word = try cursor.take(shape)
      let small = Spelling.small(word.text)
      for group in SettingTable.groups where group == small { return .group(group) }
      return .one(try Setting.named(word.text, column: word.column))
    }
  }()

  /// A help topic: a command's first words, a setting, a fixed topic, or nothing.
  static let topic: Argument<HelpTopic> = {
    let shape = ArgumentShape(
      name: "TOPIC", wanted: "a command, a setting or a group of them, settings, events or lights",
      sources: [.topics], isOptional: true,
      isRepeated: true)
    return Argument([shape]) { (cursor: inout WordCursor) throws(ConsoleError) -> HelpTopic in
      let words = cursor.takeRest()
      return try HelpTopic.named(words)
    }
  }()

  /// Parses a position (`90`, `1:30`, `1:02:03`), a distance (the same with + or - before it), a percentage
  /// (`25%`) or `live`.
  static func seekTarget(_ word: String) -> SeekTarget? {
    let bytes = Array(word.utf8)
    guard let first = bytes.first, bytes.count <= 24 else { return nil }
    if Spelling.small(word) == "live" { return .live }
    if bytes.last == 0x25 {
      guard let percent = Decimal.parse(word.dropLast()[...]), percent >= 0, percent <= 100 else {
        return nil
      }
      return .fraction(percent / 100)
    }
    let isDistance = first == 0x2B || first == 0x2D
    guard let time = time(isDistance ? Array(bytes.dropFirst()) : bytes) else { return nil }
    if !isDistance { return .to(Seconds(time)) }
    return .by(Seconds(first == 0x2D ? -time : time))
  }

  /// Parses seconds, M:SS or H:MM:SS, up to 1000 hours.
  private static func time(_ bytes: [UInt8]) -> Double? {
    let parts = bytes.split(separator: 0x3A, omittingEmptySubsequences: false)
    guard parts.count >= 1, parts.count <= 3 else { return nil }
    var total = 0.0
    for (i, part) in parts.enumerated() {
      let isLast = i == parts.count - 1
      guard let first = part.first, first >= 0x30, first <= 0x39,
        let value = Decimal.parse(String(decoding: part, as: UTF8.self)[...]),
        isLast || !part.contains(0x2E), i == 0 || value < 60
      else { return nil }
      total = total * 60 + value
    }
    return total <= 3_600_000 ? total : nil
  }
}
