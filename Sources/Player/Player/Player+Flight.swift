// Connects the player to the flight recorder. Control thread only; allocates nothing.

import Flight
import PlaybackModel

extension Player {
  /// The flight recorder; nil: no recording.
  package var flight: FlightRecorder? {
    get { recording.recorder }
    set {
      recording.recorder = newValue
      newValue?.note(machine.settings)
      newValue?.note(volume)
    }
  }

  /// Records how far the decoders are ahead, unless that was done within the last seconds.
  package func recordRingsIfOld() { recording.recordRingsIfOld() }
}
