// An open output device: ALSA, Snapcast, null or WAV file, with its description. Control thread, or a thread that
// opens it in the background, since opening a sound card takes milliseconds.

import Outputs
import PlaybackModel
import RealtimeAudio

/// An open output device, or a placeholder for a missing one.
package struct OpenOutput {
  /// The open device.
  package let device: any PCMDevice
  /// One-line description for `status`.
  package let summary: String
  /// The reason why the device is only a placeholder; nil for a real output.
  package let missing: String?
  /// The WAV file that must be finished; nil for other devices.
  package let recording: WAVFile?

  /// An open device with its description.
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
  ///
  /// - Parameters:
  ///   - name: The device's name.
  ///   - options: The requested rate and format.
  /// - Throws: `OutputError` if the device cannot be opened or refuses the options.
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
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - options: The rate and format.
  /// - Throws: `OutputError` if the file cannot be created.
  package static func recording(_ path: String, _ options: OutputOptions) throws(OutputError) -> OpenOutput {
    let file = try WAVFile(path: path, options: options)
    return OpenOutput(
      device: file, summary: "WAV file \(path): \(file.rate.hertz) Hz, \(file.format.name)", recording: file)
  }
}
