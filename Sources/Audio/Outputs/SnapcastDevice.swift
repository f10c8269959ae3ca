// An output that sends raw frames to a Snapcast server over TCP. The server sets the pace. Audio thread; `wake` may be
// called from any thread, and reconnects run on a background thread. The format must match the server's source
// declaration.

import PlaybackModel
import Platform
import RealtimeAudio
import Synchronization

/// A Snapcast server's `tcp://` source as an output. It cannot rewind.
package final class SnapcastDevice: PCMDevice, @unchecked Sendable {
  /// Prefix of the names of such outputs.
  package static let prefix = OutputName.snapcast
  /// Connection timeouts in milliseconds: at start, and on the background thread.
  private static let firstPatience: Int32 = 300
  private static let laterPatience: Int32 = 2000
  /// Snapserver's default sample rate.
  private static let usualRate = SampleRate(48000)

  /// One line for `status`: address, rate and format.
  package let summary: String
  package let rate: SampleRate
  package let format: SampleFormat
  package let channels = 2
  package let bufferFrames: Int
  package private(set) var latency = 0
  package var announcesReturn: Bool { true }
  package var strategy: BufferStrategy { .shallow(queue: bufferFrames) }

  private let wakeUp: WakeUp
  private let slot: Slot
  private let comingBack: DeviceReturn
  private var stream: NetworkStream?
  private let frameBytes: Int
  /// The unsent rest of a frame that was sent in part.
  private var rest: (bytes: InlineArray<8, UInt8>, count: Int) = (InlineArray(repeating: 0), 0)
  /// Frames written since the last start, and the time of that start in nanoseconds.
  private var written: Int64 = 0
  private var startedAt: UInt64?

  /// Hands a connection from the connecting thread to the audio thread.
  private final class Slot: Sendable {
    private let descriptor = Atomic<Int32>(-1)

    /// Stores a connection, or nil. Closes the previous one.
    func put(_ stream: consuming NetworkStream?) {
      let raw = if let stream { stream.release() } else { Int32(-1) }
      let before = descriptor.exchange(raw, ordering: .acquiringAndReleasing)
      if before >= 0 { _ = NetworkStream(owning: before) }
    }

    func take() -> NetworkStream? {
      let raw = descriptor.exchange(-1, ordering: .acquiringAndReleasing)
      return raw >= 0 ? NetworkStream(owning: raw) : nil
    }

    deinit { put(nil) }
  }

  /// Connects to a server, with a timeout of 0.3 s.
  ///
  /// - Parameters:
  ///   - name: `snapcast:ADDRESS` or `snapcast:ADDRESS:PORT`.
  ///   - options: Rate and format of the output.
  /// - Throws: `OutputError` if the name or format is invalid or the server cannot be reached.
  package init(name: String, options: OutputOptions) throws(OutputError) {
    guard let address = OutputName.snapcastServer(name) else {
      throw OutputError(
        subject: name,
        reason: "a Snapcast server is named by its numeric address, as in snapcast:192.168.1.20 or "
          + "snapcast:127.0.0.1:4953", isUnavailable: false)
    }
    rate = options.allowsOtherRates ? Self.usualRate : options.rate
    format = options.format ?? .s16
    guard format == .s16 || format == .s32 else {
      throw OutputError(
        subject: name, reason: "a Snapcast server takes S16 and S32, not \(format.name)", isUnavailable: false
      )
    }
    frameBytes = 2 * format.bytes
    bufferFrames = Int(rate.frames(Seconds(0.2)).count)
    let unsent = Int32(bufferFrames * frameBytes)
    summary = "Snapcast server at \(address.text): \(rate.hertz) Hz, \(format.name)"
    do throws(SystemError) {
      wakeUp = try WakeUp()
      stream = try NetworkStream.connect(to: address, milliseconds: Self.firstPatience, unsent: unsent)
      let (slot, wakeUp) = (Slot(), wakeUp)
      self.slot = slot
      comingBack = try DeviceReturn(
        watching: nil,
        attempt: {
          guard
            let stream = try? NetworkStream.connect(
              to: address, milliseconds: Self.laterPatience, unsent: unsent)
          else { return false }
          slot.put(stream)
          return true
        }, wake: { wakeUp.signal() })
    } catch {
      throw OutputError(
        subject: name,
        reason: error.description + "; snapserver wants 'source = tcp://0.0.0.0:\(address.port)?name=Box"
          + "&sampleformat=\(rate.hertz):\(format.bits):2' in its configuration", isUnavailable: true)
    }
  }

  package func prepare() throws(PCMFault) {
    guard stream?.unacknowledged != nil else { throw .lost }
    written = 0
    latency = 0
    startedAt = nil
  }

  package func start() throws(PCMFault) { startedAt = now() }

  package func available() throws(PCMFault) -> Int {
    guard let bytes = stream?.unacknowledged else { throw .lost }
    let queued = (bytes + rest.count + frameBytes - 1) / frameBytes
    estimateLatency(queued: queued)
    return max(0, bufferFrames - queued)
  }

  /// Estimates how many frames the server buffers: those it accepted beyond real time.
  ///
  /// Only in the first second, until its buffer is full; later the drift between the two clocks would be counted.
  private func estimateLatency(queued: Int) {
    guard let startedAt else { return }
    let elapsed = now() - startedAt
    guard elapsed < 1_000_000_000 else { return }
    let due = Int64(Double(elapsed) * Double(rate.hertz) / 1e9)
    latency = max(latency, Int(max(0, written - Int64(queued) - due)))
  }

  package func write(_ bytes: UnsafeRawPointer, frames: Int) throws(PCMFault) -> Int {
    guard try sendRest() else { return 0 }
    guard let sent = stream?.send(bytes, count: frames * frameBytes) else { throw .lost }
    let over = sent % frameBytes
    if over > 0 {
      // The frame counts as written; its rest is sent first by the next write.
      rest.count = frameBytes - over
      for i in 0..<rest.count { rest.bytes[i] = bytes.load(fromByteOffset: sent + i, as: UInt8.self) }
    }
    let taken = sent / frameBytes + (over > 0 ? 1 : 0)
    written += Int64(taken)
    return taken
  }

  /// Sends the rest of a partially sent frame.
  ///
  /// - Returns: False if the connection accepts no more data at present.
  private func sendRest() throws(PCMFault) -> Bool {
    while rest.count > 0 {
      let (bytes, count) = (rest.bytes, rest.count)
      let sent = withUnsafeBytes(of: bytes) { buffer in
        buffer.baseAddress.flatMap { stream?.send($0, count: count) }
      }
      guard let sent else { throw .lost }
      guard sent > 0 else { return false }
      for i in sent..<count { rest.bytes[i - sent] = bytes[i] }
      rest.count -= sent
    }
    return true
  }

  package func rewind(_ frames: Int) -> Int { 0 }

  package func stop() { startedAt = nil }

  package func reopen() -> Bool {
    if stream != nil {
      stream = nil
      rest.count = 0
      comingBack.request()
      return false
    }
    guard comingBack.isBack(), let returned = slot.take() else { return false }
    stream = consume returned
    return true
  }

  package func now() -> UInt64 { MonotonicClock.now() }

  package func wait(_ nanoseconds: Int64?) { wakeUp.wait(nanoseconds) }

  package func wake() { wakeUp.signal() }
}
