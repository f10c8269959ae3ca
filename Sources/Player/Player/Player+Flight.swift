// The player's part of the flight recorder. Control thread only; allocates nothing.

import Flight
import PlaybackModel

extension Player {
  /// Where everything is recorded; nil for nowhere.
  package var flight: FlightRecorder? {
    get { recording.recorder }
    set {
      recording.recorder = newValue
      newValue?.note(machine.settings)
      newValue?.note(volume)
    }
  }

  /// Records how far ahead the decoders are, unless that was done seconds ago.
  package func recordRingsIfOld() { recording.recordRingsIfOld() }
}
