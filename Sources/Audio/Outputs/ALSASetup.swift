// Opens an ALSA PCM and describes the negotiated configuration. Runs on the thread that opens the device, and on
// the audio thread when it reopens or shortens one; never while the PCM runs.

import CALSA
import Platform
import PlaybackModel
import RealtimeAudio

/// The configuration negotiated with a PCM.
struct ALSASetup {
  let rate: SampleRate
  let layout: CardLayout
  let period: Int
  let buffer: Int
  let isBatch: Bool
  /// Whether it has the deep buffer.
  let isLong: Bool

  /// The sample format that the mixer renders for it.
  var format: SampleFormat { layout.format.mixed }
  /// The number of channels that the mixer renders for it.
  var channels: Int { layout.mixedChannels }

  static func open(
    name: String, options: OutputOptions
  ) throws(OutputError) -> (OpaquePointer, ALSASetup) {
    // ALSA parses any other string as a configuration, which may write files and start programs.
    guard DeviceName(name) != nil else {
      throw OutputError(
        subject: "ALSA device \(name.printable())", reason: "this is not \(DeviceName.wanted)",
        isUnavailable: false)
    }
    var pcm: OpaquePointer?
    let code = snd_pcm_open(&pcm, name, SND_PCM_STREAM_PLAYBACK, Int32(SND_PCM_NONBLOCK))
    guard code >= 0, let pcm else {
      throw OutputError(
        subject: "ALSA device \(name)", reason: explanation(code), isUnavailable: true)
    }
    do throws(OutputError) {
      return (pcm, try configure(pcm, name: name, options: options))
    } catch {
      snd_pcm_close(pcm)
      throw error
    }
  }

  private static func explanation(_ code: Int32) -> String {
    let words = String(cString: snd_strerror(code))
    switch -code {
    case ENOENT, ENODEV, ENXIO:
      return "\(words): no such sound card; `aplay -L` lists the devices"
    case EBUSY: return "\(words): another program is using it"
    case EACCES: return "\(words): the user must be in the group `audio`"
    case EPERM: return "\(words): the service may not use this device; restart it: systemctl restart swiftlet"
    default: return words
    }
  }

  /// Configures an open PCM. An earlier configuration must have been freed.
  static func configure(
    _ pcm: OpaquePointer, name: String, options: OutputOptions
  ) throws(OutputError) -> ALSASetup {
    guard let negotiation = ALSANegotiation(pcm, name: name, options: options) else {
      throw OutputError(subject: name, reason: "out of memory", isUnavailable: false)
    }
    return try negotiation.agree()
  }
}
