// Every short sequence of events at every moment of a fade that something depends on. Pure values; any thread.

import PlaybackModel

/// A space of small worlds that is tried from end to end.
public struct Exhaustive: Sendable {
  /// A moment of a fade.
  public enum Moment: String, CaseIterable, Sendable {
    case beforeArming = "before-arming"
    case armed
    case firstFrame = "first-frame"
    case middle
    case lastFrame = "last-frame"
    case gateClosing = "gate-closing"
    case closed
  }

  /// What may happen. `toggle` is left out, being `play` or `pause`.
  public static let events: [Action] = [
    .play, .pause, .stop, .next, .previous, .seekBy(700), .finishFade, .remove(1), .interrupt, .release(true),
    .cardLost(0), .cardBack, .powerCut(50),
  ]
  /// Microseconds between one event and the next: in one breath, within a ramp, behind it.
  private static let gaps = [0, 40_000, 300_000]

  /// The longest sequences.
  public let depth: Int
  /// Of sequences of more than three events one in so many is tried.
  public let sample: Int

  /// All sequences of up to so many events.
  public init(depth: Int, sample: Int = 25) {
    precondition(depth > 0 && depth < 7 && sample > 0, "there are too many sequences of more events")
    self.depth = depth
    self.sample = sample
  }

  /// How many there are of one length, at all moments.
  private static func count(_ length: Int) -> Int {
    var count = Moment.allCases.count
    for _ in 0..<length { count *= events.count }
    return count
  }

  /// How many worlds are tried.
  public var count: Int {
    (1...depth).reduce(0) { $0 + Self.count($1) / ($1 > 3 ? sample : 1) }
  }

  /// The moment and the events of a world.
  public func sequence(_ index: Int) -> (moment: Moment, events: [Action], gaps: [Int]) {
    var (rest, length) = (index, 1)
    while rest >= Self.count(length) / (length > 3 ? sample : 1) {
      rest -= Self.count(length) / (length > 3 ? sample : 1)
      length += 1
    }
    if length > 3 { rest = rest * sample + Int(Randomness.mixed(UInt64(rest)) % UInt64(sample)) }
    var bits = Randomness.mixed(UInt64(index))
    let moment = Moment.allCases[rest % Moment.allCases.count]
    rest /= Moment.allCases.count
    var (events, gaps): ([Action], [Int]) = ([], [])
    for _ in 0..<length {
      events.append(Self.events[rest % Self.events.count])
      rest /= Self.events.count
      gaps.append(Self.gaps[Int(bits % UInt64(Self.gaps.count))])
      bits /= UInt64(Self.gaps.count)
    }
    return (moment, events, gaps)
  }

  /// A world: music that fades round a queue, and a sequence at a moment of its first fade.
  public func world(_ index: Int) -> World {
    let (moment, events, gaps) = sequence(index)
    var world = World()
    world.calm = 4
    for number in 0..<3 {
      world.tracks.append(TrackPlan(length: 10_000 + 1000 * number, opening: number == 1 ? 500 : 20))
      world.lines.append(Line(delay: 0, .add(number)))
    }
    world.lines += [
      Line(delay: 0, .repeatMode(.all)), Line(delay: 0, .crossfade(1000)), Line(delay: 0, .play),
    ]
    var wait: Wait
    switch moment {
    case .beforeArming: wait = .sound
    case .armed: wait = .armed
    case .firstFrame: wait = .fadeBegins
    case .middle: wait = .fade(50)
    case .lastFrame: wait = .fadeEnds(1)
    case .gateClosing, .closed:
      world.lines.append(Line(.fade(50), delay: 0, .pause))
      wait = moment == .closed ? .silence : .falling
    }
    for (event, gap) in zip(events, gaps) {
      world.lines.append(Line(wait, delay: wait == .none ? gap : 0, event))
      wait = .none
    }
    return world
  }

  /// What a world is about, in a line.
  public func name(_ index: Int) -> String {
    let (moment, events, gaps) = sequence(index)
    let words = zip(events, gaps).enumerated().map { place, entry in
      (place > 0 && entry.1 > 0 ? "+\(entry.1 / 1000) ms " : "") + entry.0.text
    }
    return moment.rawValue + ": " + words.joined(separator: ", ")
  }
}
