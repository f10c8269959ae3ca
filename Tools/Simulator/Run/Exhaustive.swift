// Worlds for exhaustive tests: every short sequence of events at every relevant moment of a fade. Pure; any thread.

import PlaybackModel

/// Generates worlds in which a sequence of events hits a fade between two tracks.
package struct Exhaustive {
  /// Selection of the worlds to run.
  package struct Sample: Sendable {
    package var first = 0
    package var step = 1
    /// Action that each world contains exactly once, in addition to the usual events.
    package var action: Action?

    /// Selects all worlds.
    package init() {}
  }

  /// Moments at which the sequence begins: name, condition, and script lines that lead there.
  static let moments: [(name: String, wait: Wait, before: [Line])] = [
    ("before arming", .remaining(4600), []),
    ("armed", .remaining(2500), []),
    ("just before", .remaining(1010), []),
    ("first frame", .fadeBegins, []),
    ("middle", .fade(50), []),
    ("last frame", .fadeEnds(1), []),
    ("gate closing", .falling, [Line(.fade(40), .pause)]),
    ("gate closed", .silence, [Line(.fade(40), .pause)]),
    ("stop falling", .falling, [Line(.fade(40), .stop)]),
    ("stopped", .silence, [Line(.fade(40), .stop)]),
    ("resuming", .sound, [Line(.fade(40), .pause), Line(.silence, delay: 100_000, .play)]),
  ]

  /// Events that sequences are made of.
  static let events: [Action] = [
    .play, .pause, .toggle, .stop, .next, .previous, .seek(1000), .seekBy(500), .finishFade, .retry, .reset,
    .insertNext(2), .remove(1), .remove(0), .clear, .replace(2), .insertBefore(2), .crossfade(0), .interrupt,
    .release(true), .release(false), .standby, .wake,
    .cardLost(0), .cardBack, .stickOut, .stickIn, .sleepTimer, .powerFailing, .crashWorkers,
    .hangWorkers, .truncateFiles, .powerCut(500),
  ]
  /// Microseconds between two events.
  static let pauses = [0, 5000, 150_000]

  /// Number of worlds with up to `depth` events, optionally only those that contain an action.
  package static func count(depth: Int, with action: Action? = nil) -> Int {
    (1...max(1, depth)).reduce(0) { $0 + count(ofLength: $1, with: action) }
  }

  private static func count(ofLength length: Int, with action: Action?) -> Int {
    var count = moments.count * (action == nil ? events.count : length)
    for _ in 1..<max(1, length) { count *= events.count * pauses.count }
    return count
  }

  /// World number `index` in the order of length, optionally counting only those that contain an action.
  package static func world(_ index: Int, with action: Action? = nil) -> World {
    var length = 1
    var rest = index
    while rest >= count(ofLength: length, with: action) {
      rest -= count(ofLength: length, with: action)
      length += 1
    }
    func take(_ bound: Int) -> Int {
      defer { rest /= bound }
      return rest % bound
    }
    let moment = moments[take(moments.count)]
    var world = World()
    world.tracks = [
      TrackPlan(length: 20_000), TrackPlan(length: 16_000, opening: 60, isOnStick: true),
      TrackPlan(length: 14_000),
      TrackPlan(length: 12_000),
    ]
    world.calm = 18
    world.lines =
      [0, 1, 3].map { Line(.none, .add($0)) } + [Line(.none, .crossfade(1000)), Line(.none, .play)]
    world.lines += moment.before
    let placeOfAction = action.map { _ in take(length) }
    for place in 0..<length {
      let event = if let action, place == placeOfAction { action } else { events[take(events.count)] }
      let pause = place == 0 ? 0 : pauses[take(pauses.count)]
      world.lines.append(Line(place == 0 ? moment.wait : .none, delay: pause, event))
    }
    return world
  }

  /// Description of a world: its lines after the setup.
  package static func name(_ world: World) -> String {
    world.lines.dropFirst(5).map { $0.text }.joined(separator: ", ")
  }
}
