// Where a flight recorder can be kept so that it outlives the process. Control thread; never waits.

import Flight
import Platform

/// Memory for a recorder, and what the process before has left there. Class-bound, for Embedded Swift.
package protocol FlightStore: AnyObject {
  /// Zeroed memory behind `path` that outlives the process. A flight that was not ended in order is kept for `last`.
  func open(_ path: String, size: Int) throws(SystemError) -> any FlightMemory
  /// The memory of the flight that crashed last; nil where none is known.
  func last(_ path: String) -> [UInt8]?
}

extension Machine {
  /// None: whoever has nothing of the kind keeps the recorder in memory of the process.
  package var flights: (any FlightStore)? { nil }
}
