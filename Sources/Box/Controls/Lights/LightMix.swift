// Selects the lights that together show a colour. Pure values; any thread.

import PlaybackModel

/// Mixes colours from the available lights.
package enum LightMix {
  /// The red, green and blue lights among `available` that show a colour. If there are any, every colour
  /// except `none` lights at least one of them:
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
  /// A single light shows every colour, and only the patterns differ.
  package static func lit(
    for colour: Indicator.Colour, among available: Set<LightDeclaration.Colour>
  ) -> Set<LightDeclaration.Colour> {
    let channels = available.subtracting([.any])
    guard colour != .none else { return [] }
    for mix in wanted(colour) where mix.isSubset(of: channels) { return mix }
    return channels
  }

  /// The mixes for a colour, from the best to the last resort.
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
