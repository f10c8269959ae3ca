// `swiftlet doctor` checks of the running daemon: output, clock, controls, real-time priority, media, checkpoint. Pure
// functions.

extension Diagnostics {
  static func daemon(_ facts: BoxFacts) -> Outcome {
    switch facts.daemon {
    case .answers: return fine("daemon", "answers")
    case .denied(let group):
      return Outcome(
        step: "daemon", verdict: .unknown,
        sentence: "You may not use its socket, which belongs to '\(group)'.",
        remedy:
          "sudo swiftlet doctor   sees more; 'sudo usermod -aG \(group) \(facts.user.name)' and a new login last."
      )
    case .unresponsive(let socket):
      return problem(
        "daemon", "The daemon at \(socket) does not respond: it hangs.",
        facts.unit?.active == "active"
          ? "sudo systemctl restart swiftlet   ends and starts it; 'journalctl -u swiftlet -b' shows what came before."
          : "pkill -KILL -x swiftlet   ends it; then start it again with 'swiftlet run'.")
    case .silent:
      return problem(
        "daemon", "No daemon answers.",
        facts.unit == nil ? "swiftlet run &" : "journalctl -u swiftlet -b   shows why.")
    }
  }

  static func value(_ name: String, _ facts: BoxFacts) -> String? {
    guard case .answers(let fields, _) = facts.daemon else { return nil }
    return fields.first { $0.name == name }?.value
  }

  static func clock(_ facts: BoxFacts) -> Outcome? {
    guard case .answers = facts.daemon else { return nil }
    guard let problem = value("clock", facts) else { return fine("clock", "The time of day is known.") }
    return advice(
      "clock", "The time of day is \(problem).",
      "timedatectl   shows whether the network sets the clock; docs/decisions/0049-clock.md says what depends on it."
    )
  }

  static func output(_ facts: BoxFacts) -> Outcome? {
    guard let output = value("output", facts) else { return nil }
    guard output.hasPrefix("none") else { return fine("output", output) }
    return problem(
      "output", "The daemon cannot open its sound card: \(output).",
      "swiftlet ctl show output   shows which; 'fuser -v /dev/snd/*' shows who has it.")
  }

  static func controls(_ facts: BoxFacts) -> Outcome? {
    var missing = facts.lines.map { $0.name + " " + $0.reason }
    if case .answers(let fields, _) = facts.daemon {
      missing = fields.filter { $0.name == "control-missing" }.map { $0.value }
    }
    guard let first = missing.first else {
      return facts.configuration.controls > 0
        ? fine("controls", "\(facts.configuration.controls) are there") : nil
    }
    let more = missing.count > 1 ? " (and \(missing.count - 1) more)" : ""
    return problem(
      "controls", first + more,
      "gpioinfo   shows who has a line; 'swiftlet ctl controls' shows what is declared.")
  }

  /// Bindings and timings that cannot work.
  static func bindings(_ facts: BoxFacts) -> [Outcome] {
    facts.controlWarnings.map {
      advice("bindings", $0, "swiftlet ctl controls   shows what is declared and bound.")
    }
  }

  static func realtime(_ facts: BoxFacts) -> Outcome? {
    guard case .answers(_, let thread?) = facts.daemon else { return nil }
    guard !thread.isRealtime else { return fine("real time", "The audio thread has real-time priority.") }
    return advice(
      "real time", "The audio thread has no real-time priority: a busy board may glitch.",
      facts.unit?.active == "active"
        ? "systemctl show swiftlet -p LimitRTPRIO   wants 40 or more."
        : "echo '@audio - rtprio 50' | sudo tee -a /etc/security/limits.d/audio.conf   then log in again.")
  }

  static func memory(_ facts: BoxFacts) -> Outcome? {
    guard case .answers(_, let thread?) = facts.daemon else { return nil }
    guard thread.lockedMemory == 0 else {
      return fine("memory", "\(thread.lockedMemory / 1024) MB are locked.")
    }
    return advice(
      "memory", "No memory is locked: a busy board may glitch.",
      facts.unit?.active == "active"
        ? "systemctl show swiftlet -p LimitMEMLOCK   wants 256 MB or more."
        : "echo '@audio - memlock 262144' | sudo tee -a /etc/security/limits.d/audio.conf   then log in again."
    )
  }

  static func media(_ facts: BoxFacts) -> [Outcome] {
    let isAnyFilled = facts.roots.contains { $0.hasMusic }
    return facts.roots.map { root in
      guard root.isThere else {
        let verdict: Verdict = isAnyFilled ? .advice : .problem
        return Outcome(
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

  static func checkpoint(_ facts: BoxFacts) -> Outcome? {
    guard let text = value("checkpoint", facts) else { return nil }
    guard value("checkpoint-retry-seconds", facts) == nil else {
      return problem(
        "memory of the place", "Queue and position cannot be saved: \(text).",
        "swiftlet ctl show checkpoint   shows the file; its folder must be writable, and not be full.")
    }
    return fine("memory of the place", text)
  }

  static func lastError(_ facts: BoxFacts) -> Outcome? {
    guard let text = value("last-error", facts) else { return nil }
    return advice(
      "last error", text,
      "swiftlet ctl log   shows what came before; 'swiftlet ctl report > report.txt' keeps all of it.")
  }
}
