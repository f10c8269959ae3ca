// Decodes one stream with one plugin, and checks all values that the plugin returns. Worker process only, one
// thread.

import CLinux
import CodecPlugin
import PlaybackModel
import Platform

/// A plugin's decoder, at the file's own rate and channel count.
final class SourceDecoder {
  let plugin: Plugin
  /// Keeps the reader alive, because the table's context pointer is unretained.
  let reader: MediaReader
  let io: UnsafeMutablePointer<swiftlet_io>
  /// Nil only after reopening has failed.
  var decoder: OpaquePointer?
  /// Format and tags of the stream. `totalFrames` and `isSandboxed` are set by the caller.
  private(set) var info: StreamInfo
  /// The parts of the file; `info` describes the part that is playing.
  var parts: FileParts
  /// Whether the plugin can find the end of this kind of stream.
  var isMeasurable = true
  /// The frame of the part that the next `decode` starts with, at the file's rate.
  private(set) var position: Int64 = 0
  private var isPastEnd = false
  var links: LinkedTracks
  /// The discontinuity before the link that waits for `adoptShape`.
  var discontinuity: Discontinuity?

  /// Opens the reader's file with a plugin.
  ///
  /// - Throws: The plugin's failure, or `corrupt` if its description is implausible.
  init(_ plugin: Plugin, _ reader: MediaReader) throws(WorkerFailure) {
    let io = UnsafeMutablePointer<swiftlet_io>.allocate(capacity: 1)
    io.initialize(to: reader.table)
    var stream = swiftlet_stream_info()
    decoder = try Self.open(plugin, io, &stream)
    self.plugin = plugin
    self.reader = reader
    self.io = io
    info = try Self.checked(stream, plugin, decoder)
    parts = FileParts(rate: info.sourceRate)
    links = LinkedTracks(rate: info.sourceRate)
    if isChainedStation { links.begin(info.tags, at: 0) }
  }

  /// Length of the part that is playing, at the file's rate; nil if unknown.
  var sourceFrames: Int64? {
    parts.open == parts.playing ? parts.parts[parts.playing].frames ?? info.sourceFrames : nil
  }

  /// Whether the stream may be chained.
  var mayBeChained: Bool { reader.mayBeChained }

  /// Whether the tags describe the present track of a station rather than the station.
  var isChainedStation: Bool { reader.isLive && reader.mayBeChained }

  deinit {
    close()
    io.deallocate()
  }

  func close() {
    if let decoder { plugin.table.pointee.close(decoder) }
    decoder = nil
  }

  /// Decodes frames.
  ///
  /// - Parameters:
  ///   - samples: Receives interleaved samples at the file's rate and channel count.
  ///   - frames: Maximum number of frames.
  ///   - sanitized: Whether to replace NaN and infinite samples by silence. Not needed for samples that go to
  ///     the ring unchanged, which the mixer checks itself.
  /// - Returns: Number of frames; 0 at the end, and before a change of format until `adoptShape`.
  /// - Throws: The failure that ends the stream.
  func decode(
    into samples: UnsafeMutablePointer<Float>, frames: Int, sanitized: Bool = true
  ) throws(WorkerFailure) -> Int {
    // The next link has another format; the pipeline must finish the present one first.
    if frames == 0 || links.shape != nil { return 0 }
    var count = isPastEnd || decoder == nil ? 0 : plugin.table.pointee.decode(decoder, samples, frames)
    while count <= 0 {
      let obstacle = count < 0 ? failure(Int32(truncatingIfNeeded: count)) : nil
      guard try resume(behind: obstacle) else { return 0 }
      if links.shape != nil { return 0 }
      count = plugin.table.pointee.decode(decoder, samples, frames)
    }
    guard count <= frames else {
      throw WorkerFailure(
        .decoderCrashed,
        "The \(plugin.name) decoder delivered \(count) frames where \(frames) were asked for.")
    }
    if sanitized { silenceNonFinite(samples, count: Int(count) * info.channels) }
    position += count
    links.note(frames: count)
    reader.noteSound()
    return Int(count)
  }

  /// Switches to the pending link of another format, starting at frame 0. Returns false if there is none.
  func adoptShape() -> Bool {
    guard let shape = links.shape else { return false }
    info = shape
    (position, isPastEnd) = (0, false)
    parts.playing = parts.open
    links.adopt(rate: shape.sourceRate)
    return true
  }

  /// Dequeues the discontinuity before the link that `adoptShape` adopted last.
  func takeDiscontinuity() -> Discontinuity? {
    defer { discontinuity = nil }
    return discontinuity
  }

  /// Moves to a byte of a station's window, or near it, and opens a decoder there at frame 0.
  ///
  /// - Parameter target: Offset in the stream; nil to reconnect for the live position.
  /// - Returns: The offset of the first byte decoded.
  /// - Throws: `unreadable` if the byte is not available, or the decoder's failure.
  func go(toByte target: Int64?) throws(WorkerFailure) -> Int64 {
    close()
    guard let byte = target.map({ reader.go(to: $0) }) ?? reader.renew() else {
      throw WorkerFailure(.unreadable, "What the station has sent cannot be read.")
    }
    var found = byte
    do throws(WorkerFailure) {
      info = try opened()
    } catch {
      // Too few frames precede the next discontinuity; continues after it.
      guard try resume(behind: error) else { throw error }
      info = links.shape ?? info
      found = reader.start
    }
    (position, isPastEnd, discontinuity) = (0, false, nil)
    links.adopt(rate: info.sourceRate)
    if isChainedStation { links.begin(info.tags, at: 0) }
    return found
  }

  /// Dequeues the titles and their first frames.
  func takeNames() -> [LinkedTracks.Name] { links.takeNames() }

  /// Makes `frame` the next one to decode: by seeking if the codec can, else by decoding up to it. A frame
  /// past the end is clamped to the end.
  func seek(to frame: Int64) throws(WorkerFailure) {
    isPastEnd = false
    if decoder == nil { try reopen() }
    if frame == position { return }
    if let end = sourceFrames, frame >= end {
      // Codecs differ in whether they accept a seek to the end.
      (position, isPastEnd) = (end, true)
      return
    }
    if info.canSeek {
      let status = plugin.table.pointee.seek(decoder, frame)
      if status == 0 {
        position = frame
        return
      }
      if status == SWIFTLET_ERROR_READ.rawValue { throw failure(status) }
      try reopen()
    } else if frame < position {
      try reopen()
    }
    try skip(to: frame)
  }

  private func reopen() throws(WorkerFailure) {
    close()
    reader.rewind()
    let again = try opened()
    // The length is not compared, because it may have become known since.
    guard again.sourceRate == info.sourceRate, again.channels == info.channels, again.bits == info.bits,
      again.isFloat == info.isFloat
    else {
      throw WorkerFailure(.corrupt, "The file changed while it was being played.")
    }
    position = 0
  }

  private func skip(to frame: Int64) throws(WorkerFailure) {
    let chunk = 4096
    let scratch = UnsafeMutablePointer<Float>.allocate(capacity: chunk * info.channels)
    defer { scratch.deallocate() }
    while position < frame {
      if try decode(into: scratch, frames: Int(min(Int64(chunk), frame - position))) == 0 { return }
    }
  }

  /// Opens a decoder at the reader's present link or part. Returns the format.
  func opened() throws(WorkerFailure) -> StreamInfo {
    var stream = swiftlet_stream_info()
    decoder = try Self.open(plugin, io, &stream)
    return try Self.checked(stream, plugin, decoder)
  }

  func failure(_ status: Int32) -> WorkerFailure {
    let text = plugin.table.pointee.last_error(decoder)
    let bytes = UnsafeRawBufferPointer(start: text, count: text.map { strnlen($0, Limits.sentence) } ?? 0)
    let sentence = String(decoding: bytes, as: UTF8.self).printable(limit: Limits.sentence)
    return Self.failure(status, sentence, plugin)
  }

  /// Opens a second decoder on a file. Returns it with its format.
  static func opened(
    _ plugin: Plugin, _ io: UnsafeMutablePointer<swiftlet_io>
  ) throws(WorkerFailure) -> (decoder: OpaquePointer, info: StreamInfo) {
    var stream = swiftlet_stream_info()
    let decoder = try open(plugin, io, &stream)
    do throws(WorkerFailure) {
      return (decoder, try checked(stream, plugin, nil))
    } catch {
      plugin.table.pointee.close(decoder)
      throw error
    }
  }

  private static func open(
    _ plugin: Plugin, _ io: UnsafeMutablePointer<swiftlet_io>, _ stream: inout swiftlet_stream_info
  ) throws(WorkerFailure) -> OpaquePointer {
    var decoder: OpaquePointer?
    var message = [CChar](repeating: 0, count: Limits.sentence)
    let status = plugin.table.pointee.open(io, &decoder, &stream, &message, message.count)
    guard status == 0, let decoder else {
      let text = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      let sentence = String(decoding: text, as: UTF8.self).printable(limit: Limits.sentence)
      throw failure(status, sentence, plugin)
    }
    return decoder
  }

  private static func failure(_ status: Int32, _ text: String, _ plugin: Plugin) -> WorkerFailure {
    let kind: WorkerFailure.Kind
    switch status {
    case SWIFTLET_ERROR_UNSUPPORTED.rawValue: kind = .unsupportedFormat
    case SWIFTLET_ERROR_CORRUPT.rawValue: kind = .corrupt
    case SWIFTLET_ERROR_PROTECTED.rawValue: kind = .protected
    case SWIFTLET_ERROR_READ.rawValue: kind = .unreadable
    case SWIFTLET_ERROR_MEMORY.rawValue:
      return WorkerFailure(
        .decoderCrashed, "The \(plugin.name) decoder ran out of the memory that it is allowed.")
    default: kind = .corrupt
    }
    return WorkerFailure(kind, text.isEmpty ? "The \(plugin.name) decoder gives no reason." : text)
  }

  /// Converts and checks a plugin's stream description.
  ///
  /// - Parameter described: The decoder to get multiple tag values and chapters from; nil to skip them.
  private static func checked(
    _ stream: swiftlet_stream_info, _ plugin: Plugin, _ described: OpaquePointer?
  ) throws(WorkerFailure) -> StreamInfo {
    let hasLength = stream.total_frames != .min
    var tags = StreamInfo.Tags()
    tags.title = text(stream.title)
    tags.artist = text(stream.artist)
    tags.album = text(stream.album)
    tags.albumArtist = text(stream.album_artist)
    tags.trackNumber = (1...99_999).contains(stream.track_number) ? Int(stream.track_number) : nil
    (tags.genre, tags.date) = (text(stream.genre), text(stream.date))
    tags.discNumber = (1...999).contains(stream.disc_number) ? Int(stream.disc_number) : nil
    var loudness = StreamInfo.Loudness()
    func gain(_ value: Float) -> Float? { value > -200 && value < 200 ? value : nil }
    func peak(_ value: Float) -> Float? { value > 0 && value < 1000 ? value : nil }
    loudness.trackGain = gain(stream.track_gain_db)
    loudness.albumGain = gain(stream.album_gain_db)
    loudness.trackPeak = peak(stream.track_peak)
    loudness.albumPeak = peak(stream.album_peak)
    let details = described.flatMap { PluginDetails.of(plugin, $0) }
    details?.apply(to: &tags)
    var info = StreamInfo(
      sourceRate: Int(clamping: stream.rate), channels: Int(clamping: stream.channels),
      bits: Int(clamping: stream.bits), isFloat: stream.is_float != 0,
      sourceFrames: hasLength ? stream.total_frames : nil, totalFrames: nil, canSeek: stream.can_seek != 0,
      isSandboxed: true, format: text(stream.format), codec: plugin.name, tags: tags, loudness: loudness)
    info.chapters = details?.chapters ?? []
    guard info.isPlausible else {
      let length = hasLength ? "\(stream.total_frames)" : "an unknown number of"
      throw WorkerFailure(
        .corrupt,
        "The \(plugin.name) decoder describes a stream that cannot be: \(stream.rate) Hz, "
          + "\(stream.channels) channels, \(stream.bits) bits, \(length) frames.")
    }
    return info
  }

  /// Reads a fixed-size text field, sanitised.
  private static func text<Field>(_ field: Field) -> String {
    withUnsafeBytes(of: field) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self).printable(limit: Limits.text - 1)
    }
  }
}

/// Replaces NaN and infinite samples by zero. Sums all samples first, so that the usual case without any
/// costs one addition per sample.
private func silenceNonFinite(_ samples: UnsafeMutablePointer<Float>, count: Int) {
  var (first, second) = (SIMD8<Float>.zero, SIMD8<Float>.zero)
  var index = 0
  while index &+ 32 <= count {
    let bytes = UnsafeRawPointer(samples + index)
    first += bytes.loadUnaligned(as: SIMD8<Float>.self)
    second += bytes.loadUnaligned(fromByteOffset: 32, as: SIMD8<Float>.self)
    first += bytes.loadUnaligned(fromByteOffset: 64, as: SIMD8<Float>.self)
    second += bytes.loadUnaligned(fromByteOffset: 96, as: SIMD8<Float>.self)
    index = index &+ 32
  }
  var sum = first.sum() + second.sum()
  while index < count {
    sum += samples[index]
    index += 1
  }
  if sum.isFinite { return }
  for index in 0..<count where !samples[index].isFinite { samples[index] = 0 }
}
