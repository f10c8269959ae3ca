// `swiftlet doctor` checks of the service: configuration, board profile, systemd unit, updates, groups. Pure functions.

extension Diagnostics {
  static func configuration(_ facts: BoxFacts) -> Outcome {
    let file = facts.configuration
    guard file.isThere || !file.isNamed else {
      return problem("configuration", "there is no file \(file.path).", "Correct the path after --config.")
    }
    guard file.isThere else {
      return fine("configuration", "none, the defaults hold; \(file.path) would be read")
    }
    guard file.isReadable else {
      return Outcome(
        step: "configuration", verdict: .unknown, sentence: "\(file.path) cannot be read.",
        remedy: facts.isRoot ? "" : "sudo swiftlet doctor   sees more.")
    }
    guard let first = file.problems.first else { return fine("configuration", file.path) }
    let more = file.problems.count > 1 ? " (and \(file.problems.count - 1) more)" : ""
    return problem(
      "configuration", "\(file.path), \(first)\(more). The line is skipped.",
      "sudo nano \(file.path)   then: sudo systemctl restart swiftlet")
  }

  static func board(_ facts: BoxFacts) -> Outcome? {
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

  /// Name of the board profile for a device-tree model string; nil: no profile matches.
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

  static func unit(_ facts: BoxFacts) -> Outcome? {
    guard let unit = facts.unit else { return nil }
    guard unit.load == "loaded" else {
      return problem("service", "There is no service 'swiftlet'.", "sudo apt install ./swiftlet_*.deb")
    }
    switch unit.active {
    case "active":
      guard unit.restarts < 3 else {
        return problem(
          "service", "The service was started again \(unit.restarts) times.",
          "journalctl -u swiftlet -b   shows why; 'sudo swiftlet ctl report > report.txt' is for a report of the fault."
        )
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

  static func updates(_ facts: BoxFacts) -> Outcome? {
    guard facts.unit?.load == "loaded", let updates = facts.updates else { return nil }
    guard updates.isAutomatic else {
      return fine(
        "updates",
        updates.hasSource
          ? "by hand: sudo apt update && sudo apt upgrade"
          : "by hand; apt has no package source of Swiftlet's")
    }
    guard updates.hasSource else {
      return advice(
        "updates", "Updates are automatic, but \(UpdateResult.packageSource) is missing.",
        "Add the package source: /usr/share/doc/swiftlet/packaging/README.md, 'Package source'.")
    }
    guard updates.timer.load == "loaded", updates.timer.active == "active" else {
      return advice(
        "updates", "Updates are automatic, but their timer does not run.",
        "sudo systemctl enable --now swiftlet-update.timer")
    }
    guard let result = updates.result else { return fine("updates", "automatic") }
    guard result.hasSuffix(UpdateResult.success) else {
      return advice("updates", result + ".", "journalctl -u swiftlet-update   shows more.")
    }
    return fine("updates", "automatic; " + result)
  }

  static func groups(_ facts: BoxFacts) -> Outcome? {
    guard facts.unit?.load == "loaded" else { return nil }
    guard let service = facts.service else {
      return problem(
        "rights", "There is no user 'swiftlet'.", "sudo systemd-sysusers && sudo systemctl restart swiftlet")
    }
    let missing = ["audio", "gpio", "input", "dialout"].filter { !service.groups.contains($0) }
    guard missing.isEmpty else {
      return problem(
        "rights", "The service's user is not in \(missing.joined(separator: ", ")).",
        "sudo usermod -aG \(missing.joined(separator: ",")) \(service.name) && sudo systemctl restart swiftlet"
      )
    }
    return fine("rights", "The service may use sound, lines, keys and ttys.")
  }
}
