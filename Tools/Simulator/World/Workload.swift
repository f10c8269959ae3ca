// Random worlds for a bare player: mostly well-behaved tracks, user actions at critical moments, and faults. Pure
// functions of a seed; any thread.

import PlaybackModel

extension World {
  /// Generates the world of a seed.
  package init(seed: UInt64) {
    if seed % World.boxesOneIn == 0 {
      var workload = BoxWorkload(seed: seed)
      self = workload.draw()
    } else {
      var workload = Workload(seed: seed)
      self = workload.draw()
    }
  }

  /// One of this many seeds makes a world with a whole box; the others make bare players.
  package static let boxesOneIn: UInt64 = 3
}

/// Generates a world for a bare player; `BoxWorkload` builds on it.
struct Workload {
  var random: Randomness
  let seed: UInt64
  var world = World()
  /// Kinds of faults in this world. Each kind is drawn separately, because a bug is easier to find with only one kind
  /// present.
  var hasFaults = false
  var hasTrackFaults = false
  private var isCardLost = false
  private var isStickOut = false
  private var isInterrupted = false
  private var isAsleep = false
  /// Draws stop points, in every third world; nil in the others. Separate from `random`, so that the rest of an old
  /// seed's world is unchanged.
  private var stopPoints: Randomness?
  /// Draws decoder deaths, in every second world; nil in the others. Separate from `random` for the reason given at
  /// `stopPoints`.
  private var deaths: Randomness?
  /// Draws edits that remove or replace the heard track, in every second world; nil in the others. Separate from
  /// `random` for the reason given at `stopPoints`.
  private var edits: Randomness?

  init(seed: UInt64) {
    self.seed = seed
    random = Randomness(seed: seed)
    let mixed = Randomness.mixed(seed ^ 0x570B)
    if mixed % 3 == 0 { stopPoints = Randomness(seed: mixed) }
    let other = Randomness.mixed(seed ^ 0xDEAD)
    if other % 2 == 0 { deaths = Randomness(seed: other) }
    let mixedEdits = Randomness.mixed(seed ^ 0xED17)
    if mixedEdits % 2 == 0 { edits = Randomness(seed: mixedEdits) }
  }

  mutating func draw() -> World {
    if !random.oneIn(4) { world.weather = Weather(seed: Randomness.mixed(seed) >> 16) }
    hasFaults = random.oneIn(2)
    hasTrackFaults = random.oneIn(3)
    world.card = card()
    for _ in 0..<random.within(2...7) { world.tracks.append(track()) }
    for number in world.tracks.indices { add(.none, 0, .add(number)) }
    if !random.oneIn(4) { add(.none, 0, .crossfade(fadeLength())) }
    if random.oneIn(3) { add(.none, 0, .curve(random.one(of: FadeCurve.allCases))) }
    if random.oneIn(4) { add(.none, 0, .repeatMode(random.one(of: RepeatMode.allCases))) }
    if random.oneIn(4) { add(.none, 0, .threshold(random.one(of: [0, 20, 80, 101]))) }
    add(.none, 0, .play)
    let isLong = random.oneIn(20)
    for _ in 0..<random.within(isLong ? 200...400 : 15...70) { addSomething() }
    return world
  }

  mutating func card() -> CardPlan {
    let drift = random.oneIn(2) ? random.within(-100...100) : 0
    switch random.below(8) {
    case 0: return CardPlan(.shallow, drift: drift)
    case 1: return CardPlan(.stepping(random.within(8...60)), drift: drift)
    case 2: return CardPlan(.batch(random.within(8...40)), drift: drift)
    default: return CardPlan(Randomness.mixed(seed ^ 0xDEE9) % 2 == 0 ? .long : .deep, drift: drift)
    }
  }

  mutating func fadeLength() -> Int {
    random.oneIn(6) ? random.within(20...200) : random.within(500...4000)
  }

  mutating func track() -> TrackPlan {
    var plan = TrackPlan(length: random.within(12_000...60_000))
    switch random.below(16) {
    case 0: plan.length = random.within(1...600)
    case 1: plan.length = random.within(1000...8000)
    default: break
    }
    if random.oneIn(3) { plan.opening = random.within(1...900) }
    if random.oneIn(3) { plan.seeking = random.within(1...600) }
    if random.oneIn(3) { plan.speed = random.within(3...30) }
    if random.oneIn(8) { plan.tellsLength = false }
    if random.oneIn(6) { plan.album = 1 }
    if random.oneIn(5) { plan.isOnStick = true }
    if hasTrackFaults, random.oneIn(2) { plan.fault = fault(plan.length) }
    return plan
  }

  private mutating func fault(_ length: Int) -> TrackPlan.Fault {
    let place = random.below(max(1, length))
    if deaths?.oneIn(4) == true { return deaths?.oneIn(2) == true ? .sticks(place) : .truncated(place) }
    switch random.below(10) {
    case 0: return .refuses
    case 1: return .unreadable
    case 2: return .hangs
    case 3: return .fails(place)
    case 4: return .crashes(place)
    case 5, 6: return .stalls(place, random.within(100...9500))
    case 7: return .garbage(place)
    case 8: return .lies(random.within(-length...length))
    default: return .seekFails
    }
  }

  mutating func add(_ wait: Wait, _ delay: Int, _ action: Action) {
    world.lines.append(Line(wait, delay: delay, action))
  }

  private mutating func addSomething() {
    let (wait, delay) = moment()
    if hasFaults, random.oneIn(5) { return addFault(wait, delay) }
    add(wait, delay, action())
    addStopPoint()
    addDeath()
    addEdit()
    // Often at almost the same moment as another action.
    while random.oneIn(3) { add(.none, random.within(0...30_000), action()) }
  }

  /// States that are rarely reached by chance, so worlds wait for them explicitly.
  private static let rareStates: [PlayerState.Kind] = [
    .preparing, .ready, .buffering, .seeking, .crossfadePaused, .fadingOut, .failed,
  ]

  mutating func moment() -> (Wait, Int) {
    let breath = random.within(0...60_000)
    switch random.below(16) {
    case 0: return (.armed, random.within(0...400_000))
    case 1: return (.fadeBegins, breath)
    case 2, 3: return (.fade(random.within(0...99)), random.oneIn(2) ? 0 : breath)
    case 4: return (.fadeEnds(random.within(0...100)), random.oneIn(2) ? 0 : breath)
    case 5: return (.falling, breath)
    case 6: return (.silence, random.within(0...300_000))
    case 7: return (.remaining(random.within(0...12_000)), breath)
    case 8: return (.remaining(random.within(0...600)), breath)
    case 9: return (.sound, breath)
    case 10: return (.none, random.within(0...5_000_000))
    case 11: return (.none, random.within(0...1_000_000))
    case 12: return (.state(random.one(of: Self.rareStates)), random.oneIn(2) ? 0 : breath)
    case 13: return (.none, random.within(0...30_000))
    default: return (.none, random.within(0...300_000))
    }
  }

  /// Sometimes sets or removes a stop point.
  mutating func addStopPoint() {
    guard stopPoints?.oneIn(10) == true,
      let point = stopPoints?.one(of: [nil, StopPoint.queue, .track, .track])
    else { return }
    add(.none, stopPoints?.within(0...30_000) ?? 0, .stopPoint(point))
  }

  /// Sometimes makes decoders die or files end early, during or near a fade; sometimes again soon after.
  mutating func addDeath() {
    guard var draw = deaths else { return }
    defer { deaths = draw }
    guard draw.oneIn(6) else { return }
    let kinds: [Action] = [.crashWorkers, .crashWorkers, .hangWorkers, .hangWorkers, .truncateFiles]
    let breath = draw.within(0...60_000)
    let wait: Wait =
      switch draw.below(10) {
      case 0: .armed
      case 1: .fadeBegins
      case 2, 3, 4: .fade(draw.within(0...99))
      case 5: .fadeEnds(draw.within(0...100))
      case 6: .falling
      case 7: .remaining(draw.within(0...9000))
      case 8: .sound
      default: .none
      }
    add(wait, breath, draw.one(of: kinds))
    if draw.oneIn(3) { add(.none, draw.within(0...3_000_000), draw.one(of: kinds)) }
  }

  /// Sometimes removes or replaces the heard track, also while it ramps down.
  mutating func addEdit() {
    guard edits?.oneIn(6) == true, let track = edits?.below(world.tracks.count),
      let edit = edits?.one(of: [
        Action.clear, .remove(0), .remove(0), .replace(track), .replace(track), .insertBefore(track),
      ])
    else { return }
    let delay = edits?.within(0...400_000) ?? 0
    add(edits?.oneIn(4) == true ? .falling : .none, delay, edit)
    // A queue that stays empty leaves nothing to check, so half the time a track is added and played.
    if edit == .clear, edits?.oneIn(2) == true {
      add(.none, edits?.within(0...30_000) ?? 0, .add(track))
      add(.none, edits?.within(0...600_000) ?? 0, .play)
    }
  }

  mutating func action() -> Action {
    let longest = world.tracks.map { $0.length * 1000 / world.rate }.max() ?? 0
    switch random.below(40) {
    case 0...5: return .play
    case 6...8: return .pause
    case 9...13: return .toggle
    case 14, 15: return .stop
    case 16...18: return .next
    case 19: return .previous
    case 20: return .seek(random.below(longest + 1000))
    case 21:
      return random.oneIn(3) ? .seekShare(random.within(0...100)) : .seek(random.below(longest + 1000))
    case 22, 23: return .seekBy(random.within(-5000...8000))
    case 24, 25: return .finishFade
    case 26: return .volume(random.within(10...100))
    case 27: return .curve(random.one(of: FadeCurve.allCases))
    case 28: return .crossfade(random.oneIn(4) ? 0 : fadeLength())
    case 29: return .threshold(random.one(of: [0, 20, 50, 101]))
    case 30, 31, 32: return edit()
    case 33:
      return random.oneIn(2) ? .repeatMode(random.one(of: RepeatMode.allCases)) : .shuffle(random.oneIn(2))
    case 34, 35: return hold()
    case 36: return .sleepTimer
    case 37: return .powerFailing
    case 38: return .retry
    case 39: return .reset
    default: return .play
    }
  }

  private mutating func edit() -> Action {
    let track = random.below(world.tracks.count)
    switch random.below(10) {
    case 0...2: return .add(track)
    case 3...5: return .insertNext(track)
    case 6, 7: return .remove(random.within(0...3))
    case 8: return .move(random.within(0...3), random.within(0...3))
    default: return random.oneIn(3) ? .clear : .removeUpcoming
    }
  }

  private mutating func hold() -> Action {
    if isInterrupted {
      isInterrupted = false
      return .release(!random.oneIn(4))
    }
    if isAsleep {
      isAsleep = false
      return .wake
    }
    if random.oneIn(2) {
      isInterrupted = true
      return .interrupt
    }
    isAsleep = true
    return .standby
  }

  /// Stops the storage until the player buffers, and lets users act in that state.
  private mutating func starve(_ wait: Wait, _ delay: Int) {
    add(wait, delay, .play)
    add(random.oneIn(2) ? .sound : .remaining(random.within(0...6000)), 0, .storage(0))
    for _ in 0..<random.within(1...4) {
      let breath = random.within(0...400_000)
      if random.oneIn(8) {
        isStickOut.toggle()
        add(.state(.buffering), breath, isStickOut ? .stickOut : .stickIn)
      } else {
        add(.state(.buffering), breath, random.oneIn(4) ? hold() : action())
      }
    }
    add(.none, random.within(0...6_000_000), .storage(100))
  }

  mutating func addFault(_ wait: Wait, _ delay: Int) {
    switch random.below(12) {
    case 0...2:
      if isCardLost {
        isCardLost = false
        add(wait, delay, .cardBack)
      } else {
        isCardLost = true
        add(wait, delay, .cardLost(random.oneIn(2) ? 0 : random.within(1...6)))
        if random.oneIn(2) {
          isCardLost = false
          add(.none, random.within(0...900_000), .cardBack)
        }
      }
    case 3: add(wait, delay, .cardSuspended)
    case 4: add(wait, delay, .audioStall(random.within(20...900)))
    case 5: add(wait, delay, .controlStall(random.within(20...900)))
    case 6 where random.oneIn(2): starve(wait, delay)
    case 6:
      add(wait, delay, .storage(random.oneIn(3) ? 0 : random.within(1...20)))
      add(.none, random.within(0...6_000_000), .storage(100))
    case 7, 8: add(wait, delay, .powerCut(random.within(1...3000)))
    case 9:
      isStickOut.toggle()
      add(wait, delay, isStickOut ? .stickOut : .stickIn)
    case 10: add(wait, delay, random.oneIn(4) ? .cardDeaf : .cardSuspended)
    default: add(wait, delay, .crashWorkers)
    }
  }
}
