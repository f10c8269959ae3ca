// An output that records to a WAV file as fast as the mixer renders. Driven by the control thread.

import PlaybackModel
import Platform
import RealtimeAudio

/// An offline output that writes RIFF WAVE (format tag 1, or 3 for floats).
///
/// The sizes in the header are updated every second and at the end, so that an interrupted recording stays readable.
/// The file is written as `PATH.part` and renamed by `finish`, so that a failure leaves an existing file at the path
/// intact.
package final class WAVFile: PCMDevice, @unchecked Sendable {
  package let rate: SampleRate
  package let format: SampleFormat
  package let channels = 2
  package let bufferFrames: Int
  package let strategy: BufferStrategy
  /// Path of the finished file.
  package let path: String
  /// Path of the file during the recording; the final path if that is a device.
  private let partial: String
  private let file: FileDescriptor
  private var dataBytes: UInt32 = 0
  /// The write error that ended the recording.
  private var failure: SystemError?
  private var bytesSinceHeader: UInt32 = 0

  private static let headerBytes = 44
  /// Largest size of the samples in bytes: RIFF has 32-bit sizes.
  private static let maximumBytes: UInt32 = .max - 4096

  /// Largest number of frames that fit into a file.
  package static func maxFrames(_ format: SampleFormat) -> Int64 {
    (Int64(maximumBytes) - Int64(headerBytes)) / Int64(format.bytes * 2)
  }

  /// Suffix of an unfinished recording's name.
  package static let partialEnding = ".part"

  /// Creates the file and writes a header.
  ///
  /// - Throws: `OutputError` if the file cannot be created or written.
  package init(path: String, options: OutputOptions) throws(OutputError) {
    self.path = path
    rate = options.rate
    // WAV readers do not expect 24 bits in four bytes.
    format = options.format == .s24 ? .s24Packed : options.format ?? .s16
    bufferFrames = BufferStrategy.longestChunk(at: rate)
    strategy = .offline(chunk: bufferFrames)
    let target: FileStatus?
    do throws(SystemError) {
      target = try FileStatus.of(path)
    } catch {
      throw OutputError(subject: path, reason: error.description, isUnavailable: false)
    }
    if let target, !target.isRegular, !target.isDevice {
      let kind =
        target.isFolder ? "it is a folder" : "it is a pipe or a socket, whose header cannot be completed"
      throw OutputError(subject: path, reason: kind + "; name a file", isUnavailable: false)
    }
    do throws(SystemError) {
      if target?.isRegular ?? true {
        partial = (AtomicFile.resolved(path) ?? path) + Self.partialEnding
        file = try AtomicFile.createAfresh(partial, permissions: 0o644)
      } else {
        partial = path
        file = try FileDescriptor.create(path)
      }
    } catch {
      throw OutputError(subject: path, reason: error.description, isUnavailable: false)
    }
    do throws(PCMFault) {
      try writeHeader()
    } catch {
      throw OutputError(subject: path, reason: "the header cannot be written", isUnavailable: false)
    }
  }

  deinit { try? writeHeader() }

  /// Completes the recording and renames it to its path. A recording without frames is removed and replaces nothing.
  ///
  /// - Throws: `OutputError` if the recording is incomplete, for example on a full disk. The recorded part stays at
  ///   `PATH.part`.
  package func finish() throws(OutputError) {
    var isWhole = true
    do throws(PCMFault) { try writeHeader() } catch { isWhole = false }
    if failure != nil || !isWhole { throw incomplete() }
    guard partial != path else { return }
    guard dataBytes > 0 else {
      AtomicFile.remove(partial)
      return
    }
    do throws(SystemError) {
      let target = String(decoding: partial.utf8.dropLast(Self.partialEnding.utf8.count), as: UTF8.self)
      try AtomicFile.rename(partial, to: target, removesOnFailure: false)
    } catch {
      throw OutputError(subject: path, reason: error.description, isUnavailable: false)
    }
  }

  /// The error for an incomplete recording; removes an empty one.
  private func incomplete() -> OutputError {
    let reason = failure?.reason ?? "the header cannot be written"
    guard partial != path else {
      return OutputError(
        subject: path, reason: reason + "; the recording is not complete", isUnavailable: false)
    }
    guard dataBytes > 0 else {
      AtomicFile.remove(partial)
      return OutputError(subject: path, reason: reason + "; nothing was recorded", isUnavailable: false)
    }
    let seconds = Double(dataBytes) / Double(rate.hertz * format.bytes * channels)
    return OutputError(
      subject: path,
      reason: reason + "; the recording ends after " + Decimal.clock(seconds: seconds) + " and is left as "
        + partial, isUnavailable: false)
  }

  private func writeHeader() throws(PCMFault) {
    let frameBytes = UInt32(format.bytes * channels)
    let header = UnsafeMutableRawPointer.allocate(byteCount: Self.headerBytes, alignment: 8)
    defer { header.deallocate() }
    func text(_ value: StaticString, _ offset: Int) {
      header.advanced(by: offset).copyMemory(from: value.utf8Start, byteCount: 4)
    }
    func word(_ value: UInt32, _ offset: Int) {
      header.storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt32.self)
    }
    func half(_ value: Int, _ offset: Int) {
      header.storeBytes(of: UInt16(value).littleEndian, toByteOffset: offset, as: UInt16.self)
    }
    text("RIFF", 0)
    word(dataBytes + 36, 4)
    text("WAVE", 8)
    text("fmt ", 12)
    word(16, 16)
    half(format == .float32 ? 3 : 1, 20)
    half(channels, 22)
    word(UInt32(rate.hertz), 24)
    word(UInt32(rate.hertz) * frameBytes, 28)
    half(Int(frameBytes), 32)
    half(format.bytes * 8, 34)
    text("data", 36)
    word(dataBytes, 40)
    do throws(SystemError) {
      try file.writeAll(UnsafeRawBufferPointer(start: header, count: Self.headerBytes), at: 0)
    } catch {
      throw .failed(error.code)
    }
    bytesSinceHeader = 0
  }

  package func prepare() throws(PCMFault) {}
  package func start() throws(PCMFault) {}
  package func available() throws(PCMFault) -> Int { bufferFrames }

  package func write(_ bytes: UnsafeRawPointer, frames: Int) throws(PCMFault) -> Int {
    if let failure { throw .failed(failure.code) }
    let count = UInt32(frames * format.bytes * channels)
    guard dataBytes <= Self.maximumBytes - count else {
      failure = SystemError("pwrite", on: path, code: Self.fileTooLarge)
      throw .failed(Self.fileTooLarge)
    }
    do throws(SystemError) {
      try file.writeAll(
        UnsafeRawBufferPointer(start: bytes, count: Int(count)), at: Self.headerBytes + Int(dataBytes))
    } catch {
      failure = error
      throw .failed(error.code)
    }
    dataBytes += count
    bytesSinceHeader += count
    if bytesSinceHeader > UInt32(rate.hertz * format.bytes * channels) { try writeHeader() }
    return frames
  }

  /// EFBIG.
  private static let fileTooLarge: Int32 = 27

  package func rewind(_ frames: Int) -> Int { 0 }
  package func stop() { try? writeHeader() }
  package func reopen() -> Bool { false }
  package func now() -> UInt64 { MonotonicClock.now() }
  package func wait(_ nanoseconds: Int64?) {}
  package func wake() {}
}
