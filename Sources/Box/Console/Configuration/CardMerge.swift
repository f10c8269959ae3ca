// One pass of merging a card's configuration lines into the box's lines. Pure; any thread.

import Controls

/// The parsed lines of a card's file, ready to be merged.
struct CardMerge {
  private let card: [CardLine]
  /// Lines that the card had at the previous merge and no longer has.
  private let gone: Set<[UInt8]>
  /// The first board that the card names and that has a profile.
  private let board: (name: String, line: [UInt8])?
  private let boardProblems: [(line: CardLine, error: ConsoleError)]
  private let profile: @Sendable (String) -> [UInt8]?

  init(
    _ lines: [[UInt8]], former: [[UInt8]], _ boards: [String],
    _ profile: @escaping @Sendable (String) -> [UInt8]?
  ) {
    card = lines.enumerated().map {
      CardLine(number: $0.offset + 1, bytes: $0.element, kind: ConfigurationLine($0.element))
    }
    gone = Set(former).subtracting(lines)
    self.profile = profile
    var board: (name: String, line: [UInt8])?
    var problems: [(line: CardLine, error: ConsoleError)] = []
    for line in card {
      guard case .board(let name) = line.kind else { continue }
      if let first = board?.name {
        if first != name { problems.append((line, Configuration.secondBoard(first))) }
      } else if profile(name) != nil {
        board = (name, line.bytes)
      } else {
        problems.append((line, Self.unknownBoard(name, boards)))
      }
    }
    self.board = board
    boardProblems = problems
  }

  private static func unknownBoard(_ name: String, _ boards: [String]) -> ConsoleError {
    let hint = Spelling.hint(name, among: boards)
    return ConsoleError(
      .badValue,
      hint.utf8.isEmpty
        ? "there is no board of that name; the name is on your board's page of the documentation"
        : "there is no board '" + name + "'" + hint)
  }

  /// Merges the card's lines into the box's lines once.
  ///
  /// - Returns: The merged lines, and the card's invalid lines.
  func merged(into box: [[UInt8]]) -> (lines: [[UInt8]], problems: [CardConfiguration.Problem]) {
    var lines = withBoard(withoutGone(box))
    var read = configuration(lines)
    let said = readSettings(board: read.base.board)
    lines = withSettings(lines, said, read)
    read = configuration(lines)
    var wrong = boardProblems + said.wrong
    wrong += addControls(to: &lines, read)
    wrong.sort { $0.line.number < $1.line.number }
    addOthers(to: &lines, wrong.map { $0.line })
    return (lines, wrong.map { CardConfiguration.Problem($0.line, $0.error) })
  }

  /// Lists the card's lines with a value that this box cannot use.
  ///
  /// - Parameter refusal: Returns the reason, or nil if the value can be used.
  func refused(_ refusal: (Setting, SettingValue) -> String?) -> [CardConfiguration.Problem] {
    card.compactMap { line in
      guard case .setting(_, let command) = line.kind, let (setting, value) = command.assignment,
        let reason = refusal(setting, value)
      else { return nil }
      return CardConfiguration.Problem(line, ConsoleError(.badValue, setting.key + " " + reason))
    }
  }

  private func configuration(_ lines: [[UInt8]]) -> Configuration {
    Configuration(CardConfiguration.text(lines), profile: profile)
  }

  // MARK: The board

  private func withBoard(_ lines: [[UInt8]]) -> [[UInt8]] {
    guard let board, configuration(lines).base.board != board.name else { return lines }
    var isPlaced = false
    var merged: [[UInt8]] = []
    for line in lines {
      guard case .board = ConfigurationLine(line) else {
        merged.append(line)
        continue
      }
      if !isPlaced { merged.append(board.line) }
      isPlaced = true
    }
    return isPlaced ? merged : [board.line] + merged
  }

  // MARK: Lines removed from the card

  /// Removes commands and invalid lines that the card has dropped since the last merge. Settings and controls
  /// stay.
  private func withoutGone(_ lines: [[UInt8]]) -> [[UInt8]] {
    guard !gone.isEmpty else { return lines }
    let wrong = Self.wrongLines(configuration(lines))
    return lines.enumerated().filter { index, line in
      let bytes = CardText.trimmed(line)
      guard gone.contains(bytes) else { return true }
      if wrong.contains(index + 1) { return false }
      if case .command = ConfigurationLine(bytes) { return false }
      return true
    }.map { $0.element }
  }

  private static func wrongLines(_ read: Configuration) -> Set<Int> {
    Set(read.problems.filter { $0.board == nil }.map { $0.line })
  }

  // MARK: Settings

  /// A setting that the card changes, with the line that sets it; nil if a line about several settings does.
  private typealias Named = (setting: Setting, line: [UInt8]?)

  /// Evaluates the card's lines about settings without the box's.
  ///
  /// - Returns: The resulting settings, the settings that the card names, and the invalid lines except those
  ///   about controls and boards.
  private func readSettings(
    board: String?
  ) -> (settings: Settings, named: [Named], wrong: [(line: CardLine, error: ConsoleError)]) {
    var text: [UInt8] = []
    for line in card {
      switch line.kind {
      case .board, .control: text.append(0x0A)
      default: text += line.bytes + [0x0A]
      }
    }
    let read = Configuration(text, board: board, profile: profile)
    var wrong: [(line: CardLine, error: ConsoleError)] = []
    for problem in read.problems where problem.board == nil && problem.line >= 1 && problem.line <= card.count
    {
      wrong.append((card[problem.line - 1], problem.error))
    }
    let skipped = Set(wrong.map { $0.line.number })
    var named: [Named] = []
    for line in card where !skipped.contains(line.number) {
      switch line.kind {
      case .setting(let setting, .cycle):
        Self.name(setting, nil, isExplicit: true, settings: read, in: &named)
      case .setting(let setting, _):
        Self.name(setting, line.bytes, isExplicit: true, settings: read, in: &named)
      case .settings(.clearEqualizer):
        for band in Setting.equalizer { Self.name(band, nil, isExplicit: false, settings: read, in: &named) }
      case .settings:
        for setting in Setting.allCases {
          Self.name(setting, nil, isExplicit: false, settings: read, in: &named)
        }
      default: break
      }
    }
    return (read.settings, named, wrong)
  }

  /// Records a setting that the card names, replacing an earlier record.
  private static func name(
    _ setting: Setting, _ line: [UInt8]?, isExplicit: Bool, settings read: Configuration,
    in named: inout [Named]
  ) {
    named.removeAll { $0.setting == setting }
    named.append((setting, line ?? (isExplicit ? self.line(setting, read.settings) : nil)))
  }

  private static func line(_ setting: Setting, _ settings: Settings) -> [UInt8] {
    Array((settings.isDefault(setting) ? "unset " + setting.key : settings.line(setting)).utf8)
  }

  /// Applies the settings that the card names. A line of the box that already has the value is kept.
  private func withSettings(
    _ lines: [[UInt8]],
    _ said: (settings: Settings, named: [Named], wrong: [(line: CardLine, error: ConsoleError)]),
    _ read: Configuration
  ) -> [[UInt8]] {
    var lines: [(bytes: [UInt8], setting: Setting?)] = lines.map {
      if case .setting(let setting, _) = ConfigurationLine($0) { ($0, setting) } else { ($0, nil) }
    }
    for (setting, line) in said.named {
      let isRight = read.settings.value(setting) == said.settings.value(setting)
      if isRight, line == nil || lines.contains(where: { $0.setting == setting }) { continue }
      lines.removeAll { $0.setting == setting }
      lines.append((line ?? Self.line(setting, said.settings), setting))
    }
    return lines.map { $0.bytes }
  }

  // MARK: Controls

  /// Adds the card's controls if they differ from the box's.
  ///
  /// - Returns: The card's invalid lines about controls.
  private func addControls(
    to lines: inout [[UInt8]], _ read: Configuration
  ) -> [(line: CardLine, error: ConsoleError)] {
    let broken = Self.wrongLines(read)
    let present = Set(
      lines.enumerated().filter { !broken.contains($0.offset + 1) }.map { CardText.trimmed($0.element) })
    var table = read.controls
    var right: [(bytes: [UInt8], command: ControlCommand)] = []
    var wrong: [(line: CardLine, error: ConsoleError)] = []
    for line in card {
      guard case .control(let command) = line.kind else { continue }
      do throws(ConsoleError) {
        try table.apply(command)
        right.append((line.bytes, command))
      } catch {
        // A line that the box already has may fail when applied twice, such as `remove`.
        if !present.contains(line.bytes) { wrong.append((line, error)) }
      }
    }
    if table.lines.sorted() != read.controls.lines.sorted() { add(right, to: &lines) }
    return wrong
  }

  /// Appends lines, and removes the lines they replace unless that changes the resulting controls.
  private func add(_ right: [(bytes: [UInt8], command: ControlCommand)], to lines: inout [[UInt8]]) {
    let added = right.map { $0.bytes }
    let all = lines + added
    let fewer =
      lines.filter { line in
        guard case .control(let command) = ConfigurationLine(line) else { return true }
        let bytes = CardText.trimmed(line)
        return !right.contains { $0.bytes == bytes || $0.command.replaces(command) }
      } + added
    let (whole, pruned) = (configuration(all), configuration(fewer))
    let isSame =
      whole.controls.lines.sorted() == pruned.controls.lines.sorted()
      && pruned.problems.count <= whole.problems.count
    lines = isSame ? fewer : all
  }

  // MARK: Other lines

  /// Appends the card's commands and invalid lines, without duplicates and in the card's order.
  private func addOthers(to lines: inout [[UInt8]], _ wrong: [CardLine]) {
    let numbers = Set(wrong.map { $0.number })
    var others: [[UInt8]] = []
    var known: Set<[UInt8]> = []
    for line in card {
      let isCommand = if case .command = line.kind { true } else { false }
      guard isCommand || numbers.contains(line.number), known.insert(line.bytes).inserted else { continue }
      others.append(line.bytes)
    }
    guard lines.map({ CardText.trimmed($0) }).filter({ known.contains($0) }) != others else { return }
    lines.removeAll { known.contains(CardText.trimmed($0)) }
    lines += others
  }
}

extension ControlCommand {
  /// Whether this command supersedes an earlier declaration of the same control, binding or timing.
  fileprivate func replaces(_ other: ControlCommand) -> Bool {
    switch (self, other) {
    case (.button(let a), .button(let b)): a.name == b.name
    case (.knob(let a), .knob(let b)): a.name == b.name
    case (.light(let a), .light(let b)): a.name == b.name && a.colour == b.colour
    case (.panel(let a), .panel(let b)): a.path == b.path
    case (.reader(let a), .reader(let b)): a.name == b.name
    case (.timing(let a, let key, _), .timing(let b, let otherKey, _)): a == b && key == otherKey
    case (.bind(let a), .bind(let b)): a.isSameCase(as: b)
    default: false
    }
  }
}
