// An output that was opened. Control thread, or one that opens for it: opening a card takes some milliseconds.

import Outputs
import PlaybackModel
import RealtimeAudio

/// An output that was opened, or what stands in for it.
package struct OpenOutput {
  /// The output.
  package let device: any PCMDevice
  /// One line about it, for `status`.
  package let summary: String
  /// Set where this only stands in for an output: why.
  package let missing: String?
  /// Set where the device is a file, which wants to be finished.
  package let recording: WAVFile?

  /// An output, with what is to be said of it.
  package init(
    device: any PCMDevice, summary: String, missing: String? = nil, recording: WAVFile? = nil
  ) {
    self.device = device
    self.recording = recording
    self.summary = summary
    self.missing = missing
  }
}

extension OpenOutput {
  /// Opens an ALSA device, a Snapcast server (`snapcast:ADDRESS`), or the device `null`.
  package static func device(_ name: String, _ options: OutputOptions) throws(OutputError) -> OpenOutput {
    if name == "null" {
      let device = try NullDevice(options: options)
      return OpenOutput(
        device: device, summary: "null output: \(device.rate.hertz) Hz, \(device.format.name)")
    }
    if name.utf8.starts(with: SnapcastDevice.prefix.utf8) {
      let device = try SnapcastDevice(name: name, options: options)
      return OpenOutput(device: device, summary: device.summary)
    }
    let device = try ALSADevice(name: name, options: options)
    return OpenOutput(device: device, summary: device.summary)
  }

  /// Creates or replaces a WAV file.
  package static func recording(_ path: String, _ options: OutputOptions) throws(OutputError) -> OpenOutput {
    let file = try WAVFile(path: path, options: options)
    return OpenOutput(
      device: file, summary: "WAV file \(path): \(file.rate.hertz) Hz, \(file.format.name)", recording: file)
  }
}
