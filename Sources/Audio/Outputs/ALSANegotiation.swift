// Negotiates access, format, channels, rate and buffer with an ALSA PCM, best candidates first. Runs on the thread that
// opens the device, and on the audio thread when it reopens or shortens one; never while the PCM runs.

import CALSA
import PlaybackModel
import RealtimeAudio

/// The configuration space of one PCM; each choice narrows it.
final class ALSANegotiation {
  private let pcm: OpaquePointer
  private let name: String
  private let options: OutputOptions
  private let hardware: OpaquePointer

  /// Deep buffer: the longest queue that the mixer can render again. Every refill wakes the audio loop and a worker.
  private static let deepBuffer = Seconds(1.25)
  /// Longest period requested from a card, because its pointer may advance by whole periods.
  private static let maxPeriod = Seconds(0.125)
  private static let shallowBuffer = Seconds(0.06)

  /// Allocates the parameter space; nil if memory is exhausted.
  init?(_ pcm: OpaquePointer, name: String, options: OutputOptions) {
    self.pcm = pcm
    self.name = name
    self.options = options
    var allocated: OpaquePointer?
    guard snd_pcm_hw_params_malloc(&allocated) >= 0, let allocated else { return nil }
    hardware = allocated
  }

  deinit { snd_pcm_hw_params_free(hardware) }

  private func refuse(_ reason: String) -> OutputError {
    OutputError(subject: "ALSA device \(name)", reason: reason, isUnavailable: false)
  }

  private func check(_ code: Int32, _ what: String) throws(OutputError) {
    guard code < 0 else { return }
    throw refuse("\(what): \(String(cString: snd_strerror(code)))")
  }

  /// Configures the PCM.
  ///
  /// - Throws: `OutputError` with the parameter that the PCM rejects.
  func agree() throws(OutputError) -> ALSASetup {
    let (rate, layout) = try chooseFrames()
    // Some PCMs report that they are batch devices only after configuration, so this is checked again below.
    let isDeep =
      options.mode != .shallow
      && RewindProbe.mayBeDeep(pcm, isBatch: snd_pcm_hw_params_is_batch(hardware) == 1)
    // The audio loop has its own timer. A card that refuses keeps its interrupts, which only cost wake-ups.
    if isDeep, snd_pcm_hw_params_can_disable_period_wakeup(hardware) == 1 {
      _ = snd_pcm_hw_params_set_period_wakeup(pcm, hardware, 0)
    }
    var buffer = UInt(
      rate.frames(options.buffer ?? (isDeep ? Self.deepBuffer : Self.shallowBuffer)).count)
    try check(snd_pcm_hw_params_set_buffer_size_near(pcm, hardware, &buffer), "buffer")
    var period = UInt(
      options.period.map { rate.frames($0).count }
        ?? min(Int64(buffer) / 4, rate.frames(Self.maxPeriod).count))
    var direction: Int32 = 0
    try check(
      snd_pcm_hw_params_set_period_size_near(pcm, hardware, &period, &direction), "period")
    try check(snd_pcm_hw_params(pcm, hardware), "hardware parameters")
    let isBatch = snd_pcm_hw_params_is_batch(hardware) == 1
    if isDeep, !RewindProbe.mayBeDeep(pcm, isBatch: isBatch) {
      try check(snd_pcm_hw_free(pcm), "configuring it again with a short buffer")
      var short = options
      short.mode = .shallow
      return try ALSASetup.configure(pcm, name: name, options: short)
    }
    try check(snd_pcm_hw_params_get_buffer_size(hardware, &buffer), "buffer")
    try check(snd_pcm_hw_params_get_period_size(hardware, &period, &direction), "period")
    try setSoftware(buffer: buffer)
    return ALSASetup(
      rate: rate, layout: layout, period: Int(period), buffer: Int(buffer), isBatch: isBatch, isLong: isDeep)
  }

  // MARK: Frames

  /// Chooses rate and layout, without ALSA's resampler if possible.
  ///
  /// ALSA resamples only if the user named a rate that the card lacks. Otherwise the engine resamples: in better
  /// quality and with rewind.
  private func chooseFrames() throws(OutputError) -> (SampleRate, CardLayout) {
    do throws(OutputError) {
      return try chooseFrames(isResampled: false)
    } catch {
      let said = error
      guard !options.allowsOtherRates else { throw said }
      do throws(OutputError) {
        return try chooseFrames(isResampled: true)
      } catch {
        throw said
      }
    }
  }

  private func chooseFrames(isResampled: Bool) throws(OutputError) -> (SampleRate, CardLayout) {
    try check(snd_pcm_hw_params_any(pcm, hardware), "no configuration possible")
    if !isResampled, snd_pcm_hw_params_set_rate_resample(pcm, hardware, 0) < 0 {
      try check(snd_pcm_hw_params_any(pcm, hardware), "no configuration possible")
    }
    let accesses = CardAccess.allCases
    guard let access = accesses.first(where: { snd_pcm_hw_params_set_access(pcm, hardware, $0.alsa) >= 0 })
    else { throw refuse("it takes frames in no way that is known here") }
    // The user's format comes first, since a card may support it only at some rates.
    var format: CardFormat?
    if options.format != nil { format = try chooseFormat() }
    let rate = try chooseRate()
    let agreed = if let format { format } else { try chooseFormat() }
    return (rate, CardLayout(format: agreed, channels: try chooseChannels(), access: access))
  }

  private func chooseRate() throws(OutputError) -> SampleRate {
    let rates = options.allowsOtherRates ? RateOrder.candidates(for: options.rate) : [options.rate]
    for rate in rates where snd_pcm_hw_params_set_rate(pcm, hardware, UInt32(rate.hertz), 0) >= 0 {
      return rate
    }
    if options.allowsOtherRates {
      // The card may have a rate that is not in the list of candidates.
      var hertz = UInt32(options.rate.hertz)
      var direction: Int32 = 0
      if snd_pcm_hw_params_set_rate_near(pcm, hardware, &hertz, &direction) >= 0,
        RateOrder.possible.contains(Int(hertz))
      {
        return SampleRate(Int(hertz))
      }
    }
    throw refuse("\(options.rate.hertz) Hz is none of its rates; it takes \(possibleRates) (--rate HZ)")
  }

  private var possibleRates: String {
    var (lowest, highest) = (UInt32(0), UInt32(0))
    var direction: Int32 = 0
    snd_pcm_hw_params_get_rate_min(hardware, &lowest, &direction)
    snd_pcm_hw_params_get_rate_max(hardware, &highest, &direction)
    return lowest == highest ? "\(lowest) Hz" : "\(lowest) to \(highest) Hz"
  }

  /// Chooses two channels; otherwise the lowest number above two, whose extra channels stay silent; otherwise mono.
  private func chooseChannels() throws(OutputError) -> Int {
    for count in [2] + Array(3...CardLayout.channelLimit) + [1]
    where snd_pcm_hw_params_set_channels(pcm, hardware, UInt32(count)) >= 0 {
      return count
    }
    throw refuse("it takes no number of channels from 1 to \(CardLayout.channelLimit)")
  }

  private func chooseFormat() throws(OutputError) -> CardFormat {
    for format in CardFormat.all {
      // A requested format must keep all of its bits; the card's byte order does not matter.
      if let wanted = options.format, format.mixed != wanted || format.isNarrower { continue }
      if snd_pcm_hw_params_set_format(pcm, hardware, format.alsa) >= 0 { return format }
    }
    throw refuse("it does not take the format \(options.format?.name ?? "of any sample that is known here")")
  }

  private func setSoftware(buffer: UInt) throws(OutputError) {
    var software: OpaquePointer?
    guard snd_pcm_sw_params_malloc(&software) >= 0, let software else { return }
    defer { snd_pcm_sw_params_free(software) }
    var boundary: UInt = 0
    try check(snd_pcm_sw_params_current(pcm, software), "software parameters")
    try check(snd_pcm_sw_params_get_boundary(software, &boundary), "boundary")
    // The audio loop starts the device itself. An underrun stops the device and is reported.
    try check(snd_pcm_sw_params_set_start_threshold(pcm, software, boundary), "start threshold")
    try check(snd_pcm_sw_params_set_stop_threshold(pcm, software, buffer), "stop threshold")
    try check(snd_pcm_sw_params_set_avail_min(pcm, software, buffer), "avail min")
    try check(snd_pcm_sw_params(pcm, software), "software parameters")
  }
}
