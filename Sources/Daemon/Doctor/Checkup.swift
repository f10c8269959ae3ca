// What `swiftlet doctor` says: each step from an empty card to music by button is checked, in the order in which they
// are taken, and the first that is not done says how. Pure.

/// The steps, and what came of each.
package struct Checkup: Hashable, Sendable {
  /// What came of a step.
  package enum Verdict: Hashable, Sendable {
    case fine
    /// It plays all the same, but could do better.
    case advice
    /// It does not play, or will not for long.
    case problem
    /// It cannot be told.
    case unknown
  }

  /// A step.
  package struct Finding: Hashable, Sendable {
    /// What was looked at, in a word or two.
    package let step: String
    package let verdict: Verdict
    /// What was found.
    package let sentence: String
    /// What to do about it; empty where nothing is to be done.
    package let remedy: String
  }

  /// All of them, in order.
  package let findings: [Finding]

  /// Whether nothing keeps the box from playing.
  package var isFine: Bool { !findings.contains { $0.verdict == .problem } }

  /// What to do next: about the first problem, or else the first advice. Nil: nothing.
  package var next: Finding? {
    findings.first { $0.verdict == .problem } ?? findings.first { $0.verdict == .advice }
  }

  /// Checks the facts.
  package init(_ facts: BoxFacts) {
    findings = [
      Self.power(facts), Self.card(facts), Self.codecs(facts), Self.configuration(facts), Self.board(facts),
      Self.unit(facts), Self.groups(facts), Self.daemon(facts), Self.output(facts), Self.controls(facts),
      Self.realtime(facts), Self.memory(facts),
    ].compactMap { $0 } + Self.media(facts) + [Self.checkpoint(facts), Self.lastError(facts)].compactMap { $0 }
  }

  private static func fine(_ step: String, _ sentence: String) -> Finding {
    Finding(step: step, verdict: .fine, sentence: sentence, remedy: "")
  }

  private static func problem(_ step: String, _ sentence: String, _ remedy: String) -> Finding {
    Finding(step: step, verdict: .problem, sentence: sentence, remedy: remedy)
  }

  private static func advice(_ step: String, _ sentence: String, _ remedy: String) -> Finding {
    Finding(step: step, verdict: .advice, sentence: sentence, remedy: remedy)
  }

  // MARK: The board

  private static func power(_ facts: BoxFacts) -> Finding? {
    guard let power = facts.power else { return nil }
    let remedy =
      "Use the board's own supply and a short, thick cable; amplifiers and discs want a supply of their own."
    if power.contains(.isLow) { return problem("power", "The supply gives too little voltage just now.", remedy) }
    if power.contains(.wasLow) {
      return advice("power", "The supply has given too little voltage since the board was started.", remedy)
    }
    if power.contains(.isThrottled) || power.contains(.wasThrottled) {
      return advice("power", "The board was slowed down because it is too hot.", "Give it air, or a heat sink.")
    }
    return fine("power", "The voltage has been right since the board was started.")
  }

  private static func card(_ facts: BoxFacts) -> Finding {
    let names = joined(facts.cards)
    guard facts.cards.isEmpty else {
      guard let wanted = wantedCard(facts.configuration.output), !facts.cards.contains(wanted) else {
        return fine("sound card", names)
      }
      return problem(
        "sound card", "The configuration wants the card '\(wanted)', and there is: \(names).",
        "swiftlet ctl set output.device hw:CARD=\(facts.cards[0])   then: swiftlet ctl save")
    }
    guard let overlays = facts.overlays else {
      return problem(
        "sound card", "The kernel knows no sound card.", "Plug one in; 'aplay -l' lists those that are there.")
    }
    let dacs = overlays.filter { !$0.hasPrefix("vc4-") && !$0.hasPrefix("disable-") && !$0.hasPrefix("gpio") }
    guard dacs.isEmpty else {
      return problem(
        "sound card", "The kernel knows no sound card, although config.txt names an overlay (\(joined(dacs))).",
        "sudo reboot   if that was not done since; else compare the wiring, and the name with the DAC's maker's.")
    }
    return problem(
      "sound card", "The kernel knows no sound card, and config.txt names no overlay of a DAC.",
      "echo dtoverlay=hifiberry-dac | sudo tee -a /boot/firmware/config.txt && sudo reboot   (or your DAC's overlay)")
  }

  /// The card's name in `hw:CARD=x`, `hw:x,0` and their like; nil where it stands for whatever there is.
  private static func wantedCard(_ output: String) -> String? {
    guard let colon = output.utf8.firstIndex(of: 0x3A) else { return nil }
    var rest = output.utf8[output.utf8.index(after: colon)...]
    if rest.starts(with: "CARD=".utf8) { rest = rest.dropFirst(5) }
    let name = String(decoding: rest.prefix { $0 != 0x2C }, as: UTF8.self)
    return name.utf8.isEmpty || name.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } ? nil : name
  }

  private static func codecs(_ facts: BoxFacts) -> Finding {
    facts.codecs > 0
      ? fine("codecs", "\(facts.codecs) plugins")
      : problem("codecs", "No codec plugin was found.", "Install the package again; 'swiftlet codecs' lists them.")
  }

  // MARK: The service

  private static func configuration(_ facts: BoxFacts) -> Finding {
    let file = facts.configuration
    guard file.isThere else { return fine("configuration", "none, the defaults hold; \(file.path) would be read") }
    guard file.isReadable else {
      return Finding(
        step: "configuration", verdict: .unknown, sentence: "\(file.path) cannot be read.",
        remedy: facts.isRoot ? "" : "sudo swiftlet doctor   sees more.")
    }
    guard let first = file.problems.first else { return fine("configuration", file.path) }
    let more = file.problems.count > 1 ? " (and \(file.problems.count - 1) more)" : ""
    return problem(
      "configuration", "\(file.path), \(first)\(more). The line is skipped.",
      "sudo nano \(file.path)   then: sudo systemctl restart swiftlet")
  }

  private static func board(_ facts: BoxFacts) -> Finding? {
    let file = facts.configuration
    guard file.isReadable else { return nil }
    if let board = file.board { return fine("board", board) }
    guard file.controls == 0 else { return fine("board", "none; \(file.controls) controls are declared") }
    guard let board = Self.profile(of: facts.model) else {
      return advice(
        "board", "No buttons are declared.",
        "swiftlet boards   lists the boards; 'board NAME' in \(file.path) takes one.")
    }
    return advice(
      "board", "This is a \(facts.model), and no buttons are declared.",
      "echo 'board \(board)' | sudo tee -a \(file.path) && sudo systemctl restart swiftlet")
  }

  /// The profile that fits what a board calls itself.
  package static func profile(of model: String) -> String? {
    for (words, board) in [
      ("Raspberry Pi Zero 2", "raspberry-pi-zero-2w"), ("Raspberry Pi 3", "raspberry-pi-3"),
      ("Raspberry Pi 4", "raspberry-pi-4"), ("Raspberry Pi 5", "raspberry-pi-5"),
      ("Orange Pi Zero3", "orange-pi-zero-3"), ("Orange Pi Zero 3", "orange-pi-zero-3"),
    ] where model.hasPrefix(words) || model.hasPrefix("OrangePi " + words.dropFirst(10)) {
      return board
    }
    return nil
  }

  private static func unit(_ facts: BoxFacts) -> Finding? {
    guard let unit = facts.unit else { return nil }
    guard unit.load == "loaded" else {
      return problem("service", "There is no service 'swiftlet'.", "sudo apt install ./swiftlet_*.deb")
    }
    switch unit.active {
    case "active":
      guard unit.restarts < 3 else {
        return problem(
          "service", "The service was started again \(unit.restarts) times.",
          "journalctl -u swiftlet -b   shows why; 'sudo swiftlet ctl report > report.txt' is for whoever looks into it.")
      }
      guard unit.file == "enabled" else {
        return advice("service", "It runs, but does not start at power-on.", "sudo systemctl enable swiftlet")
      }
      return fine("service", "enabled and running")
    case "failed", "activating":
      return problem("service", "The service does not start.", "journalctl -u swiftlet -b   shows why.")
    default:
      return problem("service", "The service does not run.", "sudo systemctl enable --now swiftlet")
    }
  }

  private static func groups(_ facts: BoxFacts) -> Finding? {
    guard facts.unit?.load == "loaded" else { return nil }
    guard let service = facts.service else {
      return problem("rights", "There is no user 'swiftlet'.", "sudo systemd-sysusers && sudo systemctl restart swiftlet")
    }
    let missing = ["audio", "gpio", "input", "dialout"].filter { !service.groups.contains($0) }
    guard missing.isEmpty else {
      return problem(
        "rights", "The service's user is not in \(joined(missing)).",
        "sudo usermod -aG \(joined(missing, by: ",")) \(service.name) && sudo systemctl restart swiftlet")
    }
    return fine("rights", "The service may use sound, lines, keys and ttys.")
  }

  // MARK: The daemon

  private static func daemon(_ facts: BoxFacts) -> Finding {
    switch facts.daemon {
    case .answers: return fine("daemon", "answers")
    case .denied(let group):
      return Finding(
        step: "daemon", verdict: .unknown, sentence: "You may not use its socket, which belongs to '\(group)'.",
        remedy: "sudo swiftlet doctor   sees more; 'sudo usermod -aG \(group) \(facts.user.name)' and a new login last.")
    case .silent:
      return problem(
        "daemon", "No daemon answers.",
        facts.unit == nil ? "swiftlet run &" : "journalctl -u swiftlet -b   shows why.")
    }
  }

  private static func value(_ name: String, _ facts: BoxFacts) -> String? {
    guard case .answers(let fields, _) = facts.daemon else { return nil }
    return fields.first { $0.name == name }?.value
  }

  private static func output(_ facts: BoxFacts) -> Finding? {
    guard let output = value("output", facts) else { return nil }
    guard output.hasPrefix("none") else { return fine("output", output) }
    return problem(
      "output", "The daemon cannot open its sound card: \(output).",
      "swiftlet ctl show output   shows which; 'fuser -v /dev/snd/*' shows who has it.")
  }

  private static func controls(_ facts: BoxFacts) -> Finding? {
    var missing = facts.lines.map { $0.name + " " + $0.reason }
    if case .answers(let fields, _) = facts.daemon {
      missing = fields.filter { $0.name == "control-missing" }.map { $0.value }
    }
    guard let first = missing.first else {
      return facts.configuration.controls > 0 ? fine("controls", "\(facts.configuration.controls) are there") : nil
    }
    let more = missing.count > 1 ? " (and \(missing.count - 1) more)" : ""
    return problem(
      "controls", first + more, "gpioinfo   shows who has a line; 'swiftlet ctl controls' shows what is declared.")
  }

  private static func realtime(_ facts: BoxFacts) -> Finding? {
    guard case .answers(_, let thread?) = facts.daemon else { return nil }
    guard !thread.isRealtime else { return fine("real time", "The audio thread has real-time priority.") }
    return advice(
      "real time", "The audio thread has no real-time priority: a busy board may glitch.",
      facts.unit?.active == "active"
        ? "systemctl show swiftlet -p LimitRTPRIO   wants 40 or more."
        : "echo '@audio - rtprio 50' | sudo tee -a /etc/security/limits.d/audio.conf   then log in again.")
  }

  private static func memory(_ facts: BoxFacts) -> Finding? {
    guard case .answers(_, let thread?) = facts.daemon else { return nil }
    guard thread.lockedMemory == 0 else { return fine("memory", "\(thread.lockedMemory / 1024) MB are locked.") }
    return advice(
      "memory", "No memory is locked: a busy board may glitch.",
      facts.unit?.active == "active"
        ? "systemctl show swiftlet -p LimitMEMLOCK   wants 256 MB or more."
        : "echo '@audio - memlock 262144' | sudo tee -a /etc/security/limits.d/audio.conf   then log in again.")
  }

  // MARK: Music and memory

  private static func media(_ facts: BoxFacts) -> [Finding] {
    let isAnyFilled = facts.roots.contains { $0.hasMusic }
    return facts.roots.map { root in
      guard root.isThere else {
        let verdict: Verdict = isAnyFilled ? .advice : .problem
        return Finding(
          step: "music", verdict: verdict, sentence: "\(root.path) is not there.",
          remedy: "sudo mkdir -p \(root.path)   and copy music there, or mount its storage.")
      }
      guard root.isReadable else {
        return problem(
          "music", "The service may not read \(root.path).", "sudo chmod -R a+rX \(root.path)")
      }
      guard !root.hasMusic, !isAnyFilled else { return fine("music", root.path) }
      return problem(
        "music", "There is no music in \(root.path) yet.",
        "scp -r Music/* \(facts.user.name)@box:\(root.path)/   from your computer, or plug in a stick.")
    }
  }

  private static func checkpoint(_ facts: BoxFacts) -> Finding? {
    guard let text = value("checkpoint", facts) else { return nil }
    guard value("checkpoint-retry-seconds", facts) == nil else {
      return problem(
        "memory of the place", "Queue and position cannot be saved: \(text).",
        "swiftlet ctl show checkpoint   shows the file; its folder must be writable, and not be full.")
    }
    return fine("memory of the place", text)
  }

  private static func lastError(_ facts: BoxFacts) -> Finding? {
    guard let text = value("last-error", facts) else { return nil }
    return advice(
      "last error", text, "swiftlet ctl log   shows what came before; 'swiftlet ctl report > report.txt' tells all.")
  }

  private static func joined(_ words: [String], by separator: String = ", ") -> String {
    var text = ""
    for word in words { text += (text.utf8.isEmpty ? "" : separator) + word }
    return text
  }
}
