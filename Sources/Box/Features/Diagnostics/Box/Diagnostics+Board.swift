// `swiftlet doctor` checks of the board: power supply, sound card, codec plugins. Pure functions.

extension Diagnostics {
  static func power(_ facts: BoxFacts) -> Outcome? {
    guard let power = facts.power else { return nil }
    let remedy =
      "Use the board's own supply and a short, thick cable; amplifiers and discs want a supply of their own."
    if power.contains(.isLow) {
      return problem("power", "The supply gives too little voltage just now.", remedy)
    }
    if power.contains(.wasLow) {
      return advice("power", "The supply has given too little voltage since the board was started.", remedy)
    }
    if power.contains(.isThrottled) || power.contains(.wasThrottled) {
      return advice(
        "power", "The board was slowed down because it is too hot.", "Give it air, or a heat sink.")
    }
    return fine("power", "The voltage has been right since the board was started.")
  }

  static func card(_ facts: BoxFacts) -> Outcome {
    let names = facts.cards.joined(separator: ", ")
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
        "sound card", "The kernel knows no sound card.", "Plug one in; 'aplay -l' lists those that are there."
      )
    }
    let dacs = overlays.filter { !$0.hasPrefix("vc4-") && !$0.hasPrefix("disable-") && !$0.hasPrefix("gpio") }
    guard dacs.isEmpty else {
      return problem(
        "sound card",
        "The kernel knows no sound card, although config.txt names an overlay (\(dacs.joined(separator: ", "))).",
        "sudo reboot   if that was not done since; else compare the wiring, and the name with the DAC's maker's."
      )
    }
    return problem(
      "sound card", "The kernel knows no sound card, and config.txt names no overlay of a DAC.",
      "echo dtoverlay=hifiberry-dac | sudo tee -a /boot/firmware/config.txt && sudo reboot   (or your DAC's overlay)"
    )
  }

  /// Card name in `hw:CARD=x` or `hw:x,0`; nil if the device string names no particular card.
  private static func wantedCard(_ output: String) -> String? {
    guard let colon = output.utf8.firstIndex(of: 0x3A) else { return nil }
    var rest = output.utf8[output.utf8.index(after: colon)...]
    if rest.starts(with: "CARD=".utf8) { rest = rest.dropFirst(5) }
    let name = String(decoding: rest.prefix { $0 != 0x2C }, as: UTF8.self)
    return name.utf8.isEmpty || name.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } ? nil : name
  }

  static func codecs(_ facts: BoxFacts) -> Outcome {
    facts.codecs > 0
      ? fine("codecs", "\(facts.codecs) plugins")
      : problem(
        "codecs", "No codec plugin was found.", "Install the package again; 'swiftlet codecs' lists them.")
  }
}
