// Random worlds with a whole box: buttons, console sessions, senders, storage faults. Pure functions of a seed; any
// thread.

import PlaybackModel

/// Generates a world with a box. Player actions come from `Workload`, as for a bare player.
struct BoxWorkload {
  private var player: Workload
  private var plan = BoxPlan()
  private var hasBoxFaults = false
  private var hasAlarms = false
  private var hasSerialLine = true
  private var hasKeypad = true
  private var announces = false
  private var hasBooks = false
  /// Live sources, and whether each one currently sends.
  private var senders: [(name: String, isSounding: Bool)] = []
  private var health = FlashHealth.well
  /// Buttons, their inputs and the command each press gives.
  private static let buttons: [(name: String, place: String, command: String)] = [
    ("play", "gpio gpiochip0 3", "toggle"), ("next", "gpio gpiochip0 4", "next"),
    ("back", "gpio gpiochip0 5", "previous"), ("louder", "key code-115", "volume up"),
    ("quiet", "key code-113", "pause"), ("far", "panel", "next"),
  ]

  init(seed: UInt64) {
    player = Workload(seed: seed)
    plan.seed = Randomness.mixed(seed ^ 0xB0C5) >> 16
  }

  mutating func draw() -> World {
    if !player.random.oneIn(4) { player.world.weather = Weather(seed: Randomness.mixed(player.seed) >> 16) }
    player.hasFaults = player.random.oneIn(3)
    player.hasTrackFaults = player.random.oneIn(4)
    hasBoxFaults = player.random.oneIn(2)
    announces = Randomness.mixed(player.seed ^ 0xBE11) % 3 == 0
    player.world.card = player.card()
    for _ in 0..<player.random.within(2...7) { player.world.tracks.append(player.track()) }
    if player.random.oneIn(4) { player.world.tracks[0].length = player.random.within(260_000...500_000) }
    drawPlan()
    if Randomness.mixed(player.seed ^ 0xB00C) % 4 == 0 { drawBook() }
    if Randomness.mixed(player.seed ^ 0x6E57) % 4 == 0 { drawSources() }
    player.world.box = plan
    begin()
    let isLong = player.random.oneIn(12)
    for _ in 0..<player.random.within(isLong ? 150...300 : 15...60) { addSomething() }
    return player.world
  }

  /// Makes one or two tracks long enough for bookmarks.
  private mutating func drawBook() {
    plan.configuration.removeAll { $0.hasPrefix("set bookmarks.") }
    plan.configuration.append("set bookmarks.minimum-length 1")
    hasBooks = true
    for place in 0..<player.random.within(1...2) {
      player.world.tracks[place].length = player.random.within(260_000...500_000)
    }
  }

  private mutating func drawPlan() {
    plan.debounces = player.random.oneIn(2)
    plan.polls = player.random.within(200...2500)
    if player.random.oneIn(6) { plan.cardAbsent = player.random.within(500...9000) }
    for button in Self.buttons {
      plan.configuration.append("button \(button.name) \(button.place)")
      plan.configuration.append("bind \(button.name) press \(button.command)")
    }
    if player.random.oneIn(3) { plan.configuration.append("bind play long stop") }
    plan.configuration += ["panel /dev/ttyACM0", "knob volume gpio gpiochip0 8 9"]
    // Not down to silence: the oracle could not observe what is played.
    plan.configuration += ["bind volume right volume up", "bind volume left volume 20"]
    plan.configuration.append("set console.tty /dev/ttyS0")
    drawSettings()
  }

  private mutating func drawSettings() {
    var lines: [String] = []
    if !player.random.oneIn(3) {
      lines.append("set fade.length \(Double(player.fadeLength()) / 1000)")
      if player.random.oneIn(2) {
        lines.append("set fade.manual-length \(Double(player.fadeLength()) / 1000)")
      }
    }
    if player.random.oneIn(3) {
      lines.append("set fade.curve \(player.random.one(of: FadeCurve.allCases).name)")
    }
    if player.random.oneIn(4) { lines.append("set volume.maximum \(player.random.within(30...90))") }
    if player.random.oneIn(4) {
      plan.minute = player.random.within(0...1439)
      let from = (plan.minute + player.random.within(0...3)) % 1440
      let to = (from + player.random.within(2...600)) % 1440
      lines += [
        "set night.from \(LocalTime.clock(from))", "set night.to \(LocalTime.clock(to))",
        "set night.maximum \(player.random.within(15...60))",
      ]
    }
    if player.random.oneIn(3) { lines.append("set checkpoint.interval \(player.random.within(1...10))") }
    if player.random.oneIn(3) { lines.append("set bookmarks.minimum-length 1") }
    if player.random.oneIn(3) {
      lines += ["set cues.enabled on"]
      for cue in CueSignal.names {
        lines.append("set cues.\(cue) /cues/\(cue)")
      }
    }
    if player.random.oneIn(4) { lines.append("set media.removable-action ignore") }
    if player.random.oneIn(3) {
      lines += (1...player.random.within(1...3)).map { band($0) }
    }
    hasAlarms = player.random.oneIn(3)
    plan.configuration += lines
  }

  /// One equalizer band, in the range that `EqualizerEar` can invert.
  private mutating func band(_ number: Int) -> String {
    let shape = player.random.one(of: ["peak", "low-shelf", "high-shelf"])
    let gain = player.random.within(-12...9)
    return
      "set eq.\(number) \(shape) \(player.random.within(60...1500))Hz \(gain < 0 ? "" : "+")\(gain)dB Q\(player.random.one(of: ["0.5", "1", "3"]))"
  }

  /// An alarm that rings in minutes, or in hours.
  private mutating func alarm() -> String {
    let wait = player.random.oneIn(3) ? player.random.within(1...4) : player.random.within(200...1000)
    let number = player.random.below(player.world.tracks.count)
    let path = SimulatedDecoders.path(number, player.world.tracks[number])
    return "alarm \(LocalTime.clock((plan.minute + wait) % 1440)) daily play \(path)"
  }

  /// Adds one or two live sources and removes the equalizer: the oracle cannot follow a live source behind one.
  private mutating func drawSources() {
    plan.configuration.removeAll { $0.hasPrefix("set eq.") }
    for name in player.random.oneIn(2) ? ["phone"] : ["phone", "turntable"] {
      senders.append((name, false))
      plan.configuration.append("source \(name) fifo /senders/\(name)")
      if player.random.oneIn(3) {
        plan.configuration.append("source \(name) takes-over \(player.random.one(of: ["idle", "never"]))")
      }
      if player.random.oneIn(3) {
        plan.configuration.append("source \(name) latency \(player.random.within(200...600))")
      }
    }
  }

  /// Adds an action of a sender, or a command that selects or lists sources.
  private mutating func send(_ wait: Wait, _ delay: Int) {
    let place = player.random.below(senders.count)
    switch player.random.below(8) {
    case 0: return player.add(wait, delay, .type("listen " + senders[place].name))
    case 1: player.add(wait, delay, .type("sources"))
    case 2 where player.random.oneIn(3):
      senders[place].isSounding = false
      return player.add(wait, delay, .sender(senders[place].name, .ends))
    default: break
    }
    senders[place].isSounding.toggle()
    player.add(wait, delay, .sender(senders[place].name, senders[place].isSounding ? .sounds : .pauses))
  }

  private mutating func begin() {
    for number in player.world.tracks.indices { player.add(.none, 30_000, .add(number)) }
    player.add(.none, 500_000, player.random.oneIn(4) ? .type("play all.m3u") : .play)
  }

  private mutating func addSomething() {
    let (wait, delay) = player.moment()
    if announces, player.random.oneIn(5) { return announce(wait, delay) }
    if !senders.isEmpty, player.random.oneIn(5) { return send(wait, delay) }
    if hasBooks, player.random.oneIn(5) { return leaveBook(wait, delay) }
    switch player.random.below(10) {
    case 0, 1: press(wait, delay)
    case 2: addTyping(wait, delay)
    case 3 where hasBoxFaults: addFault(wait, delay)
    case 4 where player.hasFaults: player.addFault(wait, delay)
    default:
      player.add(wait, delay, player.action())
      player.addEdit()
      while player.random.oneIn(3) {
        player.add(.none, player.random.within(0...30_000), player.action())
      }
    }
  }

  /// Seeks to where a bookmark would be saved, then leaves the track; sometimes clears all bookmarks instead.
  private mutating func leaveBook(_ wait: Wait, _ delay: Int) {
    if player.random.oneIn(8) { return player.add(wait, delay, .type("bookmarks clear")) }
    player.add(wait, delay, .seekShare(player.random.within(10...70)))
    let ways = [Action.next, .next, .previous, .stop, .type("play all.m3u")]
    player.add(.none, player.random.within(300_000...9_000_000), player.random.one(of: ways))
    if hasBoxFaults, player.random.oneIn(2) {
      player.add(.none, player.random.within(0...9_000_000), .powerCut(player.random.within(1...3000)))
    }
  }

  /// Adds one or several announcements in quick succession, at the moments that player actions use, too.
  private mutating func announce(_ wait: Wait, _ delay: Int) {
    player.add(wait, delay, .type(announcement()))
    while player.random.oneIn(3) {
      player.add(.none, player.random.within(0...200_000), .type(announcement()))
    }
  }

  private mutating func announcement() -> String {
    switch player.random.below(16) {
    case 0: "announce stop"
    case 1: "announce garbled"
    case 2 where player.random.oneIn(3): "announce stuck"
    default: CueSignal.line(player.random.below(CueSignal.announcements.count))
    }
  }

  private mutating func press(_ wait: Wait, _ delay: Int) {
    if player.random.oneIn(5) {
      return player.add(
        wait, delay, .turn("volume", player.random.within(1...4) * (player.random.oneIn(2) ? 1 : -1)))
    }
    let name = player.random.one(of: Self.buttons).name
    player.add(wait, delay, .button(name, isDown: true))
    let hold = player.random.oneIn(6) ? 900_000 : player.random.within(80_000...400_000)
    player.add(.none, hold, .button(name, isDown: false))
  }

  private mutating func addTyping(_ wait: Wait, _ delay: Int) {
    if hasAlarms, player.random.oneIn(3) {
      let line = player.random.below(8)
      return player.add(
        wait, delay,
        .type(
          line < 4
            ? alarm()
            : line < 6
              ? "alarm" : line < 7 ? "alarm remove all" : player.random.oneIn(2) ? "snooze" : "alarm stop"))
    }
    switch player.random.below(12) {
    case 0: player.add(wait, delay, .typeHalf(player.random.one(of: ["vol", "seek ", "queue li", "s"])))
    case 1:
      player.add(wait, delay, .hangUp)
    case 2: player.add(wait, delay, .flood(player.random.within(1...200)))
    case 3: player.add(wait, delay, .noise(player.random.within(1...3000)))
    case 4:
      let number = player.random.below(player.world.tracks.count)
      let path = SimulatedDecoders.path(number, player.world.tracks[number])
      player.add(wait, delay, .type("play " + path))
    default: player.add(wait, delay, .type(player.random.one(of: Self.lines)))
    }
  }

  /// Console lines without an effect that the oracle has to model.
  private static let lines = [
    "status", "stats", "history", "log 30", "show", "diff", "queue", "queue list 2", "media", "media /music",
    "alarm", "snooze",
    "bookmarks", "controls", "help", "help seek", "volume", "sleep", "save", "watch on", "watch off",
    "nonsense",
    "seek", "queue remove 99", "play nothing", "play /etc/passwd", "set fade.length", "",
    "volume up", "volume 25", "volume 100", "queue add all.m3u", "sleep 1", "sleep off", "seek 50%",
    "show fade", "queue jump 99", "exit", "format json",
  ]

  private mutating func addFault(_ wait: Wait, _ delay: Int) {
    switch player.random.below(14) {
    case 0...2: player.add(wait, delay, .powerCut(player.random.within(1...3000)))
    case 3: player.add(wait, delay, .kill(player.random.within(1...3000)))
    case 4: player.add(wait, delay, .terminate)
    case 5...7:
      health = health == .well ? player.random.one(of: FlashHealth.allCases) : .well
      player.add(wait, delay, .flash(health))
    case 8:
      hasSerialLine.toggle()
      player.add(wait, delay, .serial(isThere: hasSerialLine))
    case 9:
      hasKeypad.toggle()
      player.add(wait, delay, .keypad(isThere: hasKeypad))
    case 10: player.add(wait, delay, .clock(player.random.within(0...1439)))
    case 11:
      player.add(wait, delay, .cardLost(0))
      player.add(.none, player.random.within(0...4_000_000), .cardSwapped)
      player.add(.none, player.random.within(0...2_000_000), .cardBack)
    case 12: player.add(wait, delay, .controlStall(player.random.within(20...900)))
    default: player.add(wait, delay, .crashWorkers)
    }
  }
}
