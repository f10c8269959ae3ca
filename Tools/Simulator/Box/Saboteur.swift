// Deliberate misbehavior of the simulated host, to prove that the oracle detects it. Pure values; any thread.

/// Way in which the simulated host misbehaves, as if the box had a bug. Used by tests of the oracle.
package enum Saboteur: Sendable, CaseIterable {
  /// The status LED stays off.
  case light
  /// Synced data is not durable.
  case storage
  /// Replaced files have their old contents after a power cut.
  case files
  /// Output has twice the volume.
  case volume
  /// Some answers to console lines are lost.
  case answers
  /// Some button presses are lost.
  case buttons
}
