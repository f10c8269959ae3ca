// From the two lines of a rotary encoder to detents. Pure value; control thread.

/// Decodes quadrature by a table of transitions.
///
/// Steps add up, and a detent is told on arrival at a rest position with the full count; a contact that
/// bounces goes a step forth and back, which adds up to nothing, and no step is ever told twice or backward.
/// Whatever is left at a rest position after lost edges is dropped there, so an error costs a detent at most.
///
/// Line a changing first is to the right; if a knob turns the wrong way, swap its lines. Levels are logical;
/// which of them means closed does not matter.
///
/// Debounce both lines for `debounce(stepsPerDetent:)`: a glitch on one line while the other bounces would
/// look like a step.
package struct QuadratureDecoder: Sendable {
  /// One of the two lines.
  package enum Line: UInt8, Hashable, Sendable, CaseIterable {
    case a, b
  }

  /// By old position times 4 plus new position, a position being a times 2 plus b: the step, to the right
  /// positive; 2 where both lines changed, so that the direction is not known.
  private static let steps: [Int8] = [
    0, -1, 1, 2,
    1, 0, 2, -1,
    -1, 2, 0, 1,
    2, 1, -1, 0,
  ]

  private let stepsPerDetent: Int
  /// Where a knob with four steps a detent rests.
  private let rest: UInt8
  private var position: UInt8
  private var count = 0

  /// - Parameters:
  ///   - stepsPerDetent: 1, 2 or 4; others are nil.
  ///   - a: the level of line a now. With four steps a detent the knob is taken to be at rest, if both are
  ///     equal; if not, it rests where both are off.
  ///   - b: the level of line b now.
  package init?(stepsPerDetent: Int, a: Bool, b: Bool) {
    guard stepsPerDetent == 1 || stepsPerDetent == 2 || stepsPerDetent == 4 else { return nil }
    self.stepsPerDetent = stepsPerDetent
    position = Self.position(a, b)
    rest = a && b ? 3 : 0
  }

  /// How long a level of the lines must stand before it counts, milliseconds. With one step a detent every
  /// position is a rest, and bounce looks like turning back and forth: the lines need the time of a button,
  /// and turn no faster than 25 detents a second. Otherwise glitches need to go, no more: a knob turned fast
  /// has a step every 3 ms.
  package static func debounce(stepsPerDetent: Int) -> Int { stepsPerDetent == 1 ? 20 : 1 }

  /// A line has changed. An edge to the level that it has already is nothing.
  /// - Returns: the detents that this completes, to the right positive.
  package mutating func edge(_ line: Line, isOn: Bool) -> Int {
    let bit: UInt8 = line == .a ? 2 : 1
    return move(to: isOn ? position | bit : position & ~bit)
  }

  /// Both levels were read, because edges were lost. Where the knob has gone two steps, they count in the
  /// direction in which a detent was begun, or not at all.
  /// - Returns: the detents that this completes, to the right positive.
  package mutating func levels(a: Bool, b: Bool) -> Int { move(to: Self.position(a, b)) }

  private static func position(_ a: Bool, _ b: Bool) -> UInt8 { (a ? 2 : 0) | (b ? 1 : 0) }

  private var isAtRest: Bool {
    switch stepsPerDetent {
    case 1: true
    case 2: position == 0 || position == 3
    default: position == rest
    }
  }

  private mutating func move(to new: UInt8) -> Int {
    let step = Int(Self.steps[Int(position * 4 + new)])
    position = new
    count += step == 2 ? 2 * count.signum() : step
    guard isAtRest || abs(count) > stepsPerDetent else { return 0 }
    let detents = count / stepsPerDetent
    count = isAtRest ? 0 : count % stepsPerDetent
    return detents
  }
}
