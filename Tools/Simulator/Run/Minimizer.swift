// Makes a failing world small: as few lines as still break the same rule, and nothing special about the rest. One
// thread.

/// Delta debugging (Zeller and Hildebrandt, 2002) over the lines of a world, then over everything else of it.
public struct Minimizer {
  private let rule: Violation.Rule
  private let ignored: Set<Violation.Rule>
  /// Runs that may still be made.
  private var budget: Int
  /// The smallest world so far.
  private var world: World

  /// Makes the smallest world that it finds within `budget` runs; it breaks `rule`, as `world` does.
  public static func minimize(
    _ world: World, rule: Violation.Rule, ignoring ignored: Set<Violation.Rule> = [], budget: Int = 1500
  ) -> World {
    var minimizer = Minimizer(world, rule: rule, ignored: ignored, budget: budget)
    minimizer.work()
    return minimizer.world
  }

  private init(_ world: World, rule: Violation.Rule, ignored: Set<Violation.Rule>, budget: Int) {
    self.world = world
    self.rule = rule
    self.ignored = ignored
    self.budget = budget
  }

  /// Whether another world breaks the rule still; then it is the one to go on with.
  private mutating func accepts(_ candidate: World) -> Bool {
    guard budget > 0, candidate != world else { return false }
    budget -= 1
    guard Simulation(candidate, ignoring: ignored).run().violation?.rule == rule else { return false }
    world = candidate
    return true
  }

  private mutating func work() {
    cutAtEnd()
    removeLines()
    simplify()
    removeLines()
    simplifyTracks()
    simplifyLines()
    removeLines()
  }

  /// What comes after the violation does not matter.
  private mutating func cutAtEnd() {
    let lines = Simulation(world, ignoring: ignored).run().lines
    var candidate = world
    candidate.lines = Array(world.lines.prefix(lines))
    _ = accepts(candidate)
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

  private mutating func simplifyTracks() {
    // Tracks at the end that no line names.
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
