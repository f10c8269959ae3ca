// Opening a PCM and agreeing with it on rate, format and buffer. Whoever opens; not while it plays.

import CALSA
import PlaybackModel
import RealtimeAudio

/// What was agreed with a PCM.
struct ALSASetup {
  let rate: SampleRate
  let format: SampleFormat
  let channels: Int
  let period: Int
  let buffer: Int
  let isBatch: Bool
  /// Whether a period's end wakes nobody: the loop keeps its own time.
  let hasNoPeriodWakeUps: Bool

  private static let deepBuffer = Seconds(0.5)
  private static let shallowBuffer = Seconds(0.06)

  static func open(
    name: String, options: OutputOptions
  ) throws(OutputError) -> (OpaquePointer, ALSASetup) {
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
      return "\(words): no such sound card; `aplay -L` lists what there is (--device NAME)"
    case EBUSY: return "\(words): another program is using it"
    case EACCES: return "\(words): the user must be in the group `audio`"
    case EPERM: return "\(words): the service may not use this device; restart it: systemctl restart swiftlet"
    default: return words
    }
  }

  private static func configure(
    _ pcm: OpaquePointer, name: String, options: OutputOptions
  ) throws(OutputError) -> ALSASetup {
    func check(_ code: Int32, _ what: String) throws(OutputError) {
      guard code < 0 else { return }
      throw OutputError(
        subject: "ALSA device \(name)", reason: "\(what): \(String(cString: snd_strerror(code)))",
        isUnavailable: false)
    }
    var hardware: OpaquePointer?
    guard snd_pcm_hw_params_malloc(&hardware) >= 0, let hardware else {
      throw OutputError(subject: name, reason: "out of memory", isUnavailable: false)
    }
    defer { snd_pcm_hw_params_free(hardware) }
    try check(snd_pcm_hw_params_any(pcm, hardware), "no configuration possible")
    try check(
      snd_pcm_hw_params_set_access(pcm, hardware, SND_PCM_ACCESS_RW_INTERLEAVED), "interleaved access")
    let format = try chooseFormat(pcm, hardware, options: options, name: name)
    let channels =
      snd_pcm_hw_params_test_channels(pcm, hardware, 2) == 0 ? 2 : 1
    try check(
      snd_pcm_hw_params_set_channels(pcm, hardware, UInt32(channels)), "\(channels) channels")
    let rate = options.rate.hertz
    try check(
      snd_pcm_hw_params_set_rate(pcm, hardware, UInt32(rate), 0),
      "\(rate) Hz (another rate may do: --rate 48000)")
    // Some PCMs say only once they are configured that they are batch devices: asked again below.
    let isDeep =
      options.mode != .shallow
      && RewindProbe.mayBeDeep(pcm, isBatch: snd_pcm_hw_params_is_batch(hardware) == 1)
    var hasNoPeriodWakeUps = false
    if isDeep, snd_pcm_hw_params_can_disable_period_wakeup(hardware) == 1 {
      hasNoPeriodWakeUps = snd_pcm_hw_params_set_period_wakeup(pcm, hardware, 0) >= 0
    }
    var buffer = UInt(
      options.rate.frames(options.buffer ?? (isDeep ? deepBuffer : shallowBuffer)).count)
    try check(snd_pcm_hw_params_set_buffer_size_near(pcm, hardware, &buffer), "buffer")
    var period = UInt(options.period.map { options.rate.frames($0).count } ?? Int64(buffer) / 4)
    var direction: Int32 = 0
    try check(
      snd_pcm_hw_params_set_period_size_near(pcm, hardware, &period, &direction), "period")
    try check(snd_pcm_hw_params(pcm, hardware), "hardware parameters")
    let isBatch = snd_pcm_hw_params_is_batch(hardware) == 1
    if isDeep, !RewindProbe.mayBeDeep(pcm, isBatch: isBatch) {
      try check(snd_pcm_hw_free(pcm), "configuring it again with a short buffer")
      var short = options
      short.mode = .shallow
      return try configure(pcm, name: name, options: short)
    }
    try check(snd_pcm_hw_params_get_buffer_size(hardware, &buffer), "buffer")
    try check(snd_pcm_hw_params_get_period_size(hardware, &period, &direction), "period")
    try setSoftware(pcm, buffer: buffer, check: check)
    return ALSASetup(
      rate: options.rate, format: format, channels: channels, period: Int(period),
      buffer: Int(buffer), isBatch: isBatch, hasNoPeriodWakeUps: hasNoPeriodWakeUps)
  }

  private static func chooseFormat(
    _ pcm: OpaquePointer, _ hardware: OpaquePointer, options: OutputOptions, name: String
  ) throws(OutputError) -> SampleFormat {
    let wanted: [SampleFormat] = options.format.map { [$0] } ?? [.s32, .s24, .s24Packed, .s16, .float32]
    for format in wanted
    where snd_pcm_hw_params_set_format(pcm, hardware, format.alsaFormat) >= 0 {
      return format
    }
    throw OutputError(
      subject: "ALSA device \(name)",
      reason: "does not take the format \(options.format?.name ?? "S16, S24, S32 or FLOAT")",
      isUnavailable: false)
  }

  private static func setSoftware(
    _ pcm: OpaquePointer, buffer: UInt, check: (Int32, String) throws(OutputError) -> Void
  ) throws(OutputError) {
    var software: OpaquePointer?
    guard snd_pcm_sw_params_malloc(&software) >= 0, let software else { return }
    defer { snd_pcm_sw_params_free(software) }
    var boundary: UInt = 0
    try check(snd_pcm_sw_params_current(pcm, software), "software parameters")
    try check(snd_pcm_sw_params_get_boundary(software, &boundary), "boundary")
    // The loop starts the device itself; running dry stops it and is reported.
    try check(snd_pcm_sw_params_set_start_threshold(pcm, software, boundary), "start threshold")
    try check(snd_pcm_sw_params_set_stop_threshold(pcm, software, buffer), "stop threshold")
    try check(snd_pcm_sw_params_set_avail_min(pcm, software, buffer), "avail min")
    try check(snd_pcm_sw_params(pcm, software), "software parameters")
  }
}

extension SampleFormat {
  /// ALSA's name for it.
  var alsaFormat: snd_pcm_format_t {
    switch self {
    case .s16: SND_PCM_FORMAT_S16_LE
    case .s24: SND_PCM_FORMAT_S24_LE
    case .s24Packed: SND_PCM_FORMAT_S24_3LE
    case .s32: SND_PCM_FORMAT_S32_LE
    case .float32: SND_PCM_FORMAT_FLOAT_LE
    }
  }
}
