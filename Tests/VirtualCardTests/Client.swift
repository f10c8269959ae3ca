// A minimal libasound client: opens, sets parameters, and writes numbered frames. Test threads.
import CALSA
import Foundation
import Testing
import VirtualCardSupport

/// An open playback handle.
final class Client {
  let pcm: OpaquePointer
  let isMapped: Bool
  private(set) var buffer = 0
  private(set) var period = 0
  private(set) var infoSaysBatch = false
  private(set) var infoSaysNoWakeup = false
  /// The number of the next frame to write.
  var next = 0
  /// The version of the next frame to write.
  var version = 0

  static func open(_ card: VirtualCard, nonblocking: Bool = true) -> (OpaquePointer?, Int32) {
    var pcm: OpaquePointer?
    let result = snd_pcm_open(
      &pcm, card.deviceName, SND_PCM_STREAM_PLAYBACK, nonblocking ? Int32(SND_PCM_NONBLOCK) : 0)
    return (pcm, result)
  }

  init(
    _ card: VirtualCard, mapped: Bool = false, format: snd_pcm_format_t = SND_PCM_FORMAT_S16_LE,
    channels: UInt32 = 2, rate: UInt32 = 48_000, buffer: Int = 19_200, periods: UInt32 = 4,
    availMin: Int? = nil, stopAtBoundary: Bool = false, nonblocking: Bool = true
  ) throws {
    let (opened, result) = Client.open(card, nonblocking: nonblocking)
    try #require(result == 0, "snd_pcm_open: \(result)")
    pcm = try #require(opened)
    isMapped = mapped
    var params: OpaquePointer?
    snd_pcm_hw_params_malloc(&params)
    defer { snd_pcm_hw_params_free(params) }
    var size = snd_pcm_uframes_t(buffer)
    var count = periods
    var direction: Int32 = 0
    let access = mapped ? SND_PCM_ACCESS_MMAP_INTERLEAVED : SND_PCM_ACCESS_RW_INTERLEAVED
    try #require(snd_pcm_hw_params_any(pcm, params) >= 0)
    infoSaysNoWakeup = snd_pcm_hw_params_can_disable_period_wakeup(params) == 1
    try #require(snd_pcm_hw_params_set_access(pcm, params, access) == 0)
    try #require(snd_pcm_hw_params_set_format(pcm, params, format) == 0)
    try #require(snd_pcm_hw_params_set_channels(pcm, params, channels) == 0)
    try #require(snd_pcm_hw_params_set_rate(pcm, params, rate, 0) == 0)
    try #require(snd_pcm_hw_params_set_buffer_size_near(pcm, params, &size) == 0)
    try #require(snd_pcm_hw_params_set_periods_near(pcm, params, &count, &direction) == 0)
    try #require(snd_pcm_hw_params(pcm, params) == 0)
    infoSaysBatch = snd_pcm_hw_params_is_batch(params) == 1
    var periodSize: snd_pcm_uframes_t = 0
    snd_pcm_hw_params_get_buffer_size(params, &size)
    snd_pcm_hw_params_get_period_size(params, &periodSize, &direction)
    self.buffer = Int(size)
    self.period = Int(periodSize)

    var software: OpaquePointer?
    snd_pcm_sw_params_malloc(&software)
    defer { snd_pcm_sw_params_free(software) }
    var boundary: snd_pcm_uframes_t = 0
    snd_pcm_sw_params_current(pcm, software)
    snd_pcm_sw_params_get_boundary(software, &boundary)
    snd_pcm_sw_params_set_start_threshold(pcm, software, boundary)
    snd_pcm_sw_params_set_stop_threshold(pcm, software, stopAtBoundary ? boundary : size)
    snd_pcm_sw_params_set_avail_min(pcm, software, snd_pcm_uframes_t(availMin ?? self.period))
    try #require(snd_pcm_sw_params(pcm, software) == 0)
  }

  deinit { snd_pcm_close(pcm) }

  /// A 16-bit stereo frame that encodes its number and version.
  static func code(_ frame: Int, version: Int = 0) -> UInt32 {
    UInt32(version) << 24 | UInt32(frame + 1)
  }

  /// Writes `count` frames of 16-bit stereo, numbered from `next`.
  @discardableResult
  func write(_ count: Int) -> Int {
    guard !isMapped else { return writeMapped(count) }
    let frames = (0..<count).map { Client.code(next + $0, version: version) }
    let written = snd_pcm_writei(pcm, frames, snd_pcm_uframes_t(count))
    if written > 0 { next += written }
    return written
  }

  private func writeMapped(_ count: Int) -> Int {
    var done = 0
    while done < count {
      var areas: UnsafePointer<snd_pcm_channel_area_t>?
      var at: snd_pcm_uframes_t = 0
      var frames = snd_pcm_uframes_t(count - done)
      let result = snd_pcm_mmap_begin(pcm, &areas, &at, &frames)
      guard result == 0, let address = areas?.pointee.addr else { return Int(result) }
      guard frames > 0 else { break }
      for n in 0..<Int(frames) {
        address.storeBytes(
          of: Client.code(next + n, version: version), toByteOffset: (Int(at) + n) * 4, as: UInt32.self)
      }
      let committed = snd_pcm_mmap_commit(pcm, at, frames)
      guard committed > 0 else { return Int(committed) }
      next += committed
      done += committed
    }
    return done
  }

  /// Fills the free space.
  @discardableResult
  func fill() -> Int {
    let free = snd_pcm_avail(pcm)
    return free > 0 ? write(min(free, buffer)) : free
  }

  /// Rewinds all queued frames except `margin` and writes them again with the next version. Returns the
  /// number of rewound frames.
  func rewrite(margin: Int) -> Int {
    guard snd_pcm_avail(pcm) >= 0 else { return 0 }
    let queued = snd_pcm_rewindable(pcm)
    guard queued > margin else { return 0 }
    let taken = snd_pcm_rewind(pcm, snd_pcm_uframes_t(queued - margin))
    guard taken > 0 else { return 0 }
    version += 1
    next -= taken
    write(min(taken, 960))
    write(max(taken - 960, 0))
    return taken
  }

  /// Plays `frames` more frames, waiting for room and filling the buffer.
  func play(_ frames: Int) {
    let end = next + frames
    while next < end {
      guard snd_pcm_wait(pcm, 2000) == 1, fill() >= 0 else { return }
    }
  }

  /// Blocks the client for some milliseconds, like a loaded machine.
  func sleep(milliseconds: Int) { usleep(UInt32(milliseconds) * 1000) }

  var state: snd_pcm_state_t { snd_pcm_state(pcm) }
}

/// A thread that waits in `snd_pcm_wait`. Not a task, because the tests' thread pool is small and full.
final class Waiter: @unchecked Sendable {
  private let done = DispatchSemaphore(value: 0)
  private var result: (Int32, UInt64) = (0, 0)

  init(_ pcm: OpaquePointer) {
    let address = UInt(bitPattern: pcm)
    Thread.detachNewThread {
      let result = snd_pcm_wait(OpaquePointer(bitPattern: address), 5000)
      self.result = (result, VirtualCard.now)
      self.done.signal()
    }
  }

  /// The result of `snd_pcm_wait` and its time.
  func wait() -> (Int32, UInt64) {
    done.wait()
    return result
  }
}
