// Minimizer of failing worlds: removes and simplifies everything that is not needed to break the same rule. One
// thread.

/// Delta debugging (Zeller and Hildebrandt, 2002) over the lines of a world, then over its other parts.
package struct Minimizer {
  /// Whether a world still fails in the same way.
  private let breaks: (World) -> Bool
  /// Runs left.
  private var budget: Int
  /// Smallest failing world so far.
  private var world: World

  /// Returns the smallest world found that still breaks a rule.
  /// - Parameters:
  ///   - world: Failing world.
  ///   - rule: Rule that it breaks.
  ///   - ignored: Rules that are not checked.
  ///   - budget: Maximum number of runs.
  package static func minimize(
    _ world: World, rule: Violation.Rule, ignoring ignored: Set<Violation.Rule> = [], budget: Int = 1500
  ) -> World {
    var whole = world
    // Lines after the violation are irrelevant, except for the next one: faults are repaired after the last line.
    whole.lines = Array(world.lines.prefix(Simulation(world, ignoring: ignored).run().lines + 1))
    return minimize(whole, budget: budget) { Simulation($0, ignoring: ignored).run().violation?.rule == rule }
  }

  /// Returns the smallest world found for which `breaks` is true, as it must be for `world`.
  /// - Parameters:
  ///   - world: World to minimize.
  ///   - budget: Maximum number of calls of `breaks`.
  ///   - breaks: Whether a candidate still fails.
  package static func minimize(_ world: World, budget: Int, breaks: @escaping (World) -> Bool) -> World {
    var minimizer = Minimizer(breaks: breaks, budget: budget, world: world)
    minimizer.work()
    return minimizer.world
  }

  /// Whether a candidate still fails; if so, it replaces the present world.
  private mutating func accepts(_ candidate: World) -> Bool {
    guard budget > 0, candidate != world else { return false }
    budget -= 1
    guard breaks(candidate) else { return false }
    world = candidate
    return true
  }

  private mutating func work() {
    removeLines()
    simplify()
    simplifyBox()
    removeLines()
    simplifyTracks()
    simplifyLines()
    removeLines()
  }

  private mutating func removeLines() {
    var size = max(1, world.lines.count / 2)
    while size >= 1, budget > 0 {
      var start = 0
      var removedAny = false
      while start < world.lines.count {
        var candidate = world
        candidate.lines.removeSubrange(start..<min(start + size, world.lines.count))
        if accepts(candidate) { removedAny = true } else { start += size }
      }
      if !removedAny || size > world.lines.count { size = size == 1 ? 0 : size / 2 }
    }
  }

  private mutating func simplify() {
    for change in [
      { (world: inout World) in world.weather = Weather(seed: nil) },
      { $0.card = CardPlan() },
      { $0.card.drift = 0 },
    ] {
      var candidate = world
      change(&candidate)
      _ = accepts(candidate)
    }
  }

  private mutating func simplifyBox() {
    guard world.box != nil else { return }
    for change in [
      { (world: inout World) in world.box = nil },
      { $0.box?.seed = 1 },
      { $0.box?.cardAbsent = 0 },
      { $0.box?.minute = 12 * 60 },
      { $0.box?.debounces = false },
      { $0.box?.polls = 900 },
    ] {
      var candidate = world
      change(&candidate)
      _ = accepts(candidate)
    }
    var place = 0
    while let count = world.box?.configuration.count, place < count {
      var candidate = world
      candidate.box?.configuration.remove(at: place)
      if !accepts(candidate) { place += 1 }
    }
  }

  private mutating func simplifyTracks() {
    // Tracks at the end that no script line uses.
    while world.tracks.count > 1 {
      var candidate = world
      candidate.tracks.removeLast()
      guard accepts(candidate) else { break }
    }
    for index in world.tracks.indices {
      for change in [
        { (track: inout TrackPlan) in track = TrackPlan(length: track.length) },
        { $0.fault = .none },
        { $0.opening = 20 },
        { $0.seeking = 20 },
        { $0.speed = 50 },
        { $0.tellsLength = true },
        { $0.album = 0 },
        { $0.isOnStick = false },
        { $0.length = 20_000 },
        { $0.length = ($0.length + 999) / 1000 * 1000 },
      ] {
        var candidate = world
        change(&candidate.tracks[index])
        _ = accepts(candidate)
      }
    }
  }

  private mutating func simplifyLines() {
    for index in world.lines.indices {
      for change in [
        { (line: inout Line) in (line.wait, line.delay) = (.none, 0) },
        { $0.delay = 0 },
        { $0.wait = .none },
        { $0.delay = $0.delay / 100_000 * 100_000 },
        { $0.delay = $0.delay / 1000 * 1000 },
      ] {
        var candidate = world
        change(&candidate.lines[index])
        _ = accepts(candidate)
      }
    }
  }
}
