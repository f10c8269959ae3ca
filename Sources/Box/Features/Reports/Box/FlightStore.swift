// Memory for the flight recorder that survives a crash of the process. Control thread; never blocks.

import Flight
import Platform

/// Opens the flight recorder's memory and reads that of a crashed predecessor. Class-bound for Embedded Swift.
package protocol FlightStore: AnyObject {
  /// Opens zeroed memory that outlives the process. A predecessor's recording without an orderly end is kept for
  /// `last`.
  ///
  /// - Parameters:
  ///   - path: File behind the memory.
  ///   - size: Size in bytes.
  /// - Throws: `SystemError` if the file cannot be created or mapped.
  func open(_ path: String, size: Int) throws(SystemError) -> any FlightMemory
  /// Recording of the process that crashed last; nil if there is none.
  func last(_ path: String) -> [UInt8]?
}

extension Machine {
  /// Not available by default; the recorder then uses ordinary memory.
  package var flights: (any FlightStore)? { nil }
}
