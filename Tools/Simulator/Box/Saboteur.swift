// Lies that the oracle has to find out. Pure; any thread.

/// Who makes a simulated machine lie, as if the box itself were at fault.
package enum Saboteur: Sendable, CaseIterable {
  /// The light does not go on any more.
  case light
  /// What is synced is not safe.
  case storage
  /// Files that were replaced are as before when the power is back.
  case files
  /// Everything is played at twice the volume.
  case volume
  /// Now and then a line gets no answer.
  case answers
  /// Presses are lost now and then.
  case buttons
}
