// Derives a simulated world from a flight recording: tracks, card, user actions and faults. Missing information is
// guessed and listed in `notes`. Pure; any thread.

import PlaybackModel

/// Builds a world that should reproduce a flight.
struct FlightWorld {
  /// Resulting world.
  private(set) var world = World()
  /// Differences from the recorded run.
  private(set) var notes: [String] = []
  /// Time at which the world begins, on the flight's clock, in nanoseconds.
  private(set) var begin: Int64 = 0
  /// Ring underruns to reproduce: when, for which track, and when the ring was refilled.
  private(set) var starvations: [Starvation] = []

  struct Starvation {
    var time: Int64
    var track: Int
    var refilled: Int64
  }

  /// Maximum length of a replay in nanoseconds.
  private static let maxLength: Int64 = 4 * 3_600_000_000_000

  private let entries: [FlightEntry]
  /// Short names of the tracks; the index is the track number.
  private var names: [String] = []
  private var actions: [(time: Int64, action: Action)] = []

  init(_ flight: RecordedFlight) {
    entries = flight.entries
    notes = flight.notes
    if let output = entries.first(where: { $0.kind == "output" && $0["there"] == "1" }) {
      world.card = CardPlan(output["deep"] == "0" ? .shallow : .deep)
    }
    findTracks()
    findSettings()
    findRequests()
    findFaults()
    writeLines()
  }

  /// Changes the delay of the worker that caused an underrun.
  mutating func delay(_ starvation: Starvation, by milliseconds: Int) {
    guard case .stalls(let place, let length) = world.tracks[starvation.track].fault else { return }
    world.tracks[starvation.track].fault = .stalls(place, max(1, length + milliseconds))
  }

  private func frames(_ seconds: Double) -> Int { Int((seconds * Double(world.rate)).rounded()) }

  // MARK: Tracks

  private mutating func findTracks() {
    for entry in entries {
      if entry.kind == "deck", let name = entry["track"], !names.contains(name) { names.append(name) }
      if entry.kind == "event", let name = entry["track"], !names.contains(name) { names.append(name) }
    }
    world.tracks = names.map { plan($0) }
    for (number, name) in names.enumerated() where world.tracks[number].length == 0 {
      notes.append("the length of \(name) is not known; a minute is taken")
      world.tracks[number].length = frames(60)
    }
  }

  private func plan(_ name: String) -> TrackPlan {
    var plan = TrackPlan(length: 0)
    var deaths = 0
    for entry in entries where entry.kind == "deck" && entry["track"] == name {
      let took = Int((entry.seconds("took") ?? 0) * 1000)
      let position = entry.seconds("position").map { max(0, frames($0)) }
      switch entry["what"] {
      case "opened":
        if let length = entry.seconds("length") {
          plan.length = frames(length)
        } else {
          plan.tellsLength = false
        }
      case "ready": plan.opening = max(1, took)
      case "seeked": plan.seeking = max(1, took)
      case "ended": if plan.length == 0, let position { plan.length = position }
      case "refused": plan.fault = .refuses
      // After the first death, a replacement decoder continues.
      case "died":
        deaths += 1
        guard deaths > 1 else { continue }
        plan.fault = entry["error"] == "hung" ? .sticks(position ?? 0) : .crashes(position ?? 0)
      case "failed":
        switch entry["error"] {
        case "crashed": plan.fault = .crashes(position ?? 0)
        case "hung": plan.fault = position.map { $0 > 0 ? .stalls($0, 600_000) : .hangs } ?? .hangs
        case "storage-removed": plan.isOnStick = true
        default: plan.fault = position.map { $0 > 0 ? .fails($0) : .unreadable } ?? .unreadable
        }
      default: break
      }
    }
    if plan.fault != .none, plan.length == 0 { plan.length = frames(60) }
    return plan
  }

  // MARK: User actions

  private mutating func findSettings() {
    var fade: Int?
    var curve: String?
    var threshold: Int?
    for entry in entries {
      switch entry.kind {
      case "settings":
        let length = Int(((entry.seconds("fade") ?? 0) * 1000).rounded())
        let manual = Int(((entry.seconds("manual") ?? 0) * 1000).rounded())
        if length != manual, fade == nil {
          notes.append("the fade of a person's skip was \(manual) ms; \(length) is taken")
        }
        if length != fade ?? 0 { add(entry, .crossfade(length)) }
        fade = length
        if let name = entry["curve"], name != curve ?? FadeCurve.equalPower.name,
          let value = FadeCurve(name: name)
        {
          add(entry, .curve(value))
        }
        curve = entry["curve"]
        let percent = entry["quick-finish"].flatMap { Int($0) } ?? 50
        if percent != threshold ?? 50 { add(entry, .threshold(percent)) }
        threshold = percent
      case "volume": if let percent = entry["percent"].flatMap({ Int($0) }) { add(entry, .volume(percent)) }
      default: break
      }
    }
  }

  private mutating func add(_ entry: FlightEntry, _ action: Action) { actions.append((entry.time, action)) }

  private mutating func findRequests() {
    var isFirst = true
    var isOwn = false
    for (place, entry) in entries.enumerated() {
      if entry.kind == "retry" { isOwn = true }
      guard entry.kind == "event" else { continue }
      defer { isOwn = false }
      switch entry["event"] {
      case "load", "skip":
        guard let name = entry["track"] else {
          add(entry, .removeUpcoming)
          add(entry, .next)
          continue
        }
        begin(name, place, isFirst: isFirst)
        isFirst = false
      case "retry": if !isOwn { add(entry, .retry) }
      default: if let action = action(entry) { add(entry, action) }
      }
    }
  }

  private func action(_ entry: FlightEntry) -> Action? {
    switch entry["event"] {
    case "play": .play
    case "pause": .pause
    case "toggle": .toggle
    case "stop": .stop
    case "reset": .reset
    case "finishFade": .finishFade
    case "seek": .seek(Int(((entry.seconds("target") ?? 0) * 1000).rounded()))
    case "interruptionBegan": .interrupt
    case "interruptionEnded": .release((entry.seconds("target") ?? 0) > 0)
    case "standby": .standby
    case "wake": .wake
    case "sleepTimerFired": .sleepTimer
    case "powerFailing": .powerFailing
    case "storageRemoved": .stickOut
    default: nil
    }
  }

  /// Adds the actions of a user choosing a track: the queue then holds that track and the ones that followed it.
  private mutating func begin(_ name: String, _ place: Int, isFirst: Bool) {
    let entry = entries[place]
    if !isFirst { add(entry, .removeUpcoming) }
    for track in chain(from: name, after: place) {
      if let number = names.firstIndex(of: track) { add(entry, .add(number)) }
    }
    let isLoad = entry["event"] == "load"
    guard isLoad, isFirst else { return add(entry, .next) }
    // A `play` right before found nothing to play and caused this load.
    let wasPlay = actions.lastIndex { $0.action == .play && entry.time - $0.time < 1_000_000 }
    if let wasPlay { actions.remove(at: wasPlay) }
    add(entry, .play)
    if wasPlay == nil, entry["to"] == "preparing" { add(entry, .pause) }
  }

  /// The tracks heard one after the other, until the user chose another one.
  private func chain(from first: String, after place: Int) -> [String] {
    var chain = [first]
    var prepared: String?
    for entry in entries[(place + 1)...] {
      if entry.isEvent(.load, .skip) { break }
      if entry.kind == "deck", entry["what"] == "opening" { prepared = entry["track"] }
      guard entry.isEvent(.didAdvance, .crossfadeBegan, .didReachEnd, .queueMovedOn),
        entry["verdict"] != "rejected",
        let track = entry["track"]
      else { continue }
      chain.append(track)
    }
    if let prepared, prepared != chain.last { chain.append(prepared) }
    return chain
  }

  // MARK: Faults

  private mutating func findFaults() {
    for (place, entry) in entries.enumerated() {
      switch entry.kind {
      case "underrun":
        let unasked = entry.seconds("unasked") ?? 0
        if unasked > entry.seconds("queued") ?? 0 {
          let length = Int((unasked * 1000).rounded())
          actions.append((entry.time - Int64(length) * 1_000_000, .audioStall(length)))
        } else {
          actions.append((entry.time - 1_000_000, .cardSuspended))
        }
      // In the middle of the possible period, because the exact time of the loss is unknown.
      case "lost":
        actions.append((entry.time - Int64((entry.seconds("unasked") ?? 0) * 0.5e9), .cardLost(0)))
      case "restored": actions.append((entry.time - 1_000_000, .cardBack))
      case "shallow": actions.append((entry.time - 1_000_000, .cardDeaf))
      case "mixer" where entry["what"] == "starved": starve(place)
      default: break
      }
    }
  }

  private mutating func starve(_ place: Int) {
    let entry = entries[place]
    let event = entries[place...].first { $0.isEvent(.didStarve) }
    let refilled = entries[place...].first {
      $0.kind == "mixer" && $0["what"] == "refilled" && $0["deck"] == entry["deck"]
    }
    let opened = entries[..<place].last { $0.kind == "deck" && $0["deck"] == entry["deck"] }
    guard let event, let position = event.seconds("position"), let refilled,
      let number = opened?["track"].flatMap({ names.firstIndex(of: $0) })
    else { return notes.append("a starvation at \(Diagnosis.clock(entry.time)) is not played again") }
    if case .stalls = world.tracks[number].fault {
      return notes.append("of several starvations of one track only the first is played again")
    }
    // How long before the silence the worker stopped is determined by trial runs.
    let silence = Int((refilled.time - entry.time) / 1_000_000)
    world.tracks[number].fault = .stalls(frames(position), silence + 2000)
    starvations.append(Starvation(time: entry.time, track: number, refilled: refilled.time))
  }

  // MARK: Script

  private mutating func writeLines() {
    let ordered = actions.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
    begin = (ordered.first?.element.time ?? entries.first?.time ?? 0) - 100_000_000
    var last = begin
    for (_, item) in ordered {
      let time = max(item.time, last)
      guard time - begin < Self.maxLength else {
        notes.append("only the first hours are played again")
        break
      }
      world.lines.append(Line(delay: Int((time - last) / 1000), item.action))
      last = time
    }
    let rest = ((entries.last?.time ?? last) - last) / 1_000_000_000
    world.calm = Int(min(600, max(5, rest + 5)))
  }
}
