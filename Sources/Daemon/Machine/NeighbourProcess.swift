// A neighbour as a machine has started it: a process of its own, which gives commands on the control socket. Control thread only;
// never waits.

import Neighbours

/// A neighbour at work. When this object goes, its process goes. Class-bound, for Embedded Swift.
package protocol NeighbourProcess: AnyObject {
  /// For a scheduler: readable when it has ended.
  var descriptor: Int32 { get }
  /// Why it has ended, in a few words; nil while it runs.
  func ending() -> String?
}

extension NeighbourChild: NeighbourProcess {}
