// The hidden subcommand `capture`: copies the frames of an ALSA capture device to standard output. It is a process of
// its own, because reading a device may block indefinitely.

import CALSA
import CLinux
import Platform
import PlaybackModel

/// Captures a device until its output is closed.
package enum Capture {
  /// Frames per read.
  private static let block = 256
  /// Largest capture latency requested from ALSA, in microseconds.
  private static let latency: UInt32 = 40_000

  /// Runs the subcommand.
  ///
  /// - Parameter arguments: Arguments after `swiftlet capture`: the device, the format, and the parent's process id.
  /// - Returns: The exit status: 0 if the reader closed the pipe, else that of a `CaptureEnding`.
  package static func run(_ arguments: [String]) -> Int32 {
    let given = arguments.count == 3 ? LiveFormat(arguments[1]) : nil
    let parent = given.flatMap { _ in Int32(arguments[2]) }
    // 64 and above are steps of a `CaptureEnding`.
    if let status = HelperMain.refusal(of: "capture", parent: parent, usage: 1) { return status }
    guard let format = given else { return 1 }
    let device = arguments[0]
    guard DeviceName(device) != nil else { return CaptureEnding(.opening, code: -EINVAL).status }
    calsa_silence_library()
    var opened: OpaquePointer?
    var code = snd_pcm_open(&opened, device, SND_PCM_STREAM_CAPTURE, 0)
    guard code >= 0, let pcm = opened else { return CaptureEnding(.opening, code: code).status }
    code = snd_pcm_set_params(
      pcm, format.encoding.capture, SND_PCM_ACCESS_RW_INTERLEAVED, UInt32(format.channels),
      UInt32(format.rate), 0, latency)
    guard code >= 0 else { return CaptureEnding(.configuring, code: code).status }
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: block * format.frameBytes, alignment: 16)
    while true {
      let frames = snd_pcm_readi(pcm, bytes, snd_pcm_uframes_t(block))
      if frames < 0 {
        // The overrun frames are lost; capturing continues.
        let recovered = snd_pcm_recover(pcm, Int32(frames), 1)
        guard recovered >= 0 else { return CaptureEnding(.capturing, code: recovered).status }
        continue
      }
      guard write(bytes, Int(frames) * format.frameBytes) else { return 0 }
    }
  }

  private static func write(_ bytes: UnsafeMutableRawPointer, _ count: Int) -> Bool {
    var done = 0
    while done < count {
      let written = CLinux.write(1, bytes + done, count - done)
      if written < 0, clinux_errno() == EINTR { continue }
      guard written > 0 else { return false }
      done += written
    }
    return true
  }
}

extension LiveFormat.Encoding {
  fileprivate var capture: snd_pcm_format_t {
    switch self {
    case .s16: SND_PCM_FORMAT_S16_LE
    case .s24: SND_PCM_FORMAT_S24_3LE
    case .s32: SND_PCM_FORMAT_S32_LE
    case .float: SND_PCM_FORMAT_FLOAT_LE
    }
  }
}
