// Which of a box's lights make a colour. Pure values; any thread.

import PlaybackModel

/// Mixing colours from the lights that there are.
package enum LightMix {
  /// Which of the red, green and blue lights in `available` show a colour. Every colour but none lights at least
  /// one of them, if there are any:
  ///
  /// | colour | red, green, blue | red, green | red, blue | green, blue |
  /// |---|---|---|---|---|
  /// | green | green | green | blue | green |
  /// | blue | blue | green | blue | blue |
  /// | cyan | green, blue | green | blue | green, blue |
  /// | amber | red, green | red, green | red | green |
  /// | red | red | red | red | blue |
  /// | violet | red, blue | red, green | red, blue | blue |
  ///
  /// A single one shows everything: the patterns differ in rhythm.
  package static func lit(
    for colour: Indicator.Colour, among available: Set<LightDeclaration.Colour>
  ) -> Set<LightDeclaration.Colour> {
    let channels = available.subtracting([.any])
    guard colour != .none else { return [] }
    for mix in wanted(colour) where mix.isSubset(of: channels) { return mix }
    return channels
  }

  /// From the best to what is better than nothing.
  private static func wanted(_ colour: Indicator.Colour) -> [Set<LightDeclaration.Colour>] {
    switch colour {
    case .none: []
    case .green: [[.green], [.blue]]
    case .blue: [[.blue], [.green]]
    case .cyan: [[.green, .blue], [.green], [.blue]]
    case .amber: [[.red, .green], [.red], [.green]]
    case .red: [[.red], [.blue]]
    case .violet: [[.red, .blue], [.blue], [.red, .green]]
    }
  }
}
