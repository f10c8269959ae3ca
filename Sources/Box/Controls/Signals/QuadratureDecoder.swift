// Decodes the two lines of a rotary encoder into detents. Pure value; control thread.

/// Decodes quadrature with a transition table.
///
/// Steps are added up, and detents are reported on arrival at a rest position. Contact bounce steps forth and
/// back and adds up to zero, so no step is reported twice or backwards. A remainder at a rest position, after
/// lost edges, is dropped; an error costs at most one detent.
///
/// Line a changing first means a turn to the right; if a knob turns the wrong way, swap its lines. Levels are
/// logical: which of them means a closed contact does not matter.
///
/// Debounce both lines for `debounce(stepsPerDetent:)`: a glitch on one line while the other bounces would
/// look like a step.
package struct QuadratureDecoder: Sendable {
  /// One of the two lines.
  package enum Line: UInt8, Hashable, Sendable, CaseIterable {
    case a, b
  }

  /// The step for each transition, indexed by old position × 4 + new position, where a position is a × 2 + b.
  /// Positive is to the right; 2 means that both lines changed and the direction is unknown.
  private static let steps: [Int8] = [
    0, -1, 1, 2,
    1, 0, 2, -1,
    -1, 2, 0, 1,
    2, 1, -1, 0,
  ]

  private let stepsPerDetent: Int
  /// The rest position of a knob with four steps per detent.
  private let rest: UInt8
  private var position: UInt8
  private var count = 0

  /// Creates a decoder; nil for an invalid number of steps.
  ///
  /// - Parameters:
  ///   - stepsPerDetent: 1, 2 or 4.
  ///   - a: The present level of line a. With four steps per detent, equal levels of a and b are taken as the
  ///     rest position; otherwise the knob rests with both off.
  ///   - b: The present level of line b.
  package init?(stepsPerDetent: Int, a: Bool, b: Bool) {
    guard stepsPerDetent == 1 || stepsPerDetent == 2 || stepsPerDetent == 4 else { return nil }
    self.stepsPerDetent = stepsPerDetent
    position = Self.position(a, b)
    rest = a && b ? 3 : 0
  }

  /// The debounce time of the lines, in milliseconds. With one step per detent every position is a rest
  /// position and bounce looks like turning back and forth, so the lines are debounced like buttons, which
  /// limits them to 25 detents a second. Otherwise only glitches need filtering: a knob turned fast makes a
  /// step every 3 ms.
  package static func debounce(stepsPerDetent: Int) -> Int { stepsPerDetent == 1 ? 20 : 1 }

  /// Handles an edge. An edge to the present level has no effect.
  ///
  /// - Returns: The completed detents; positive is to the right.
  package mutating func edge(_ line: Line, isOn: Bool) -> Int {
    let bit: UInt8 = line == .a ? 2 : 1
    return move(to: isOn ? position | bit : position & ~bit)
  }

  /// Handles levels that were read because edges were lost. A change of both lines counts as two steps in the
  /// direction of the detent in progress, or is ignored if there is none.
  ///
  /// - Returns: The completed detents; positive is to the right.
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
