// The base class of codec decoders, and the C functions of the plugin table that call it. Worker process
// only, one thread.

import CodecPlugin

/// The decoder of one open file. Each plugin subclasses it; the host owns the object from `open` to `close`.
///
/// ```swift
/// final class AUDecoder: StreamDecoder {
///   init(_ input: MediaInput, _ description: StreamDescription) throws(CodecFailure) {
///     // Parse the header, then describe the stream.
///     super.init()
///     try description.setFormat("AU", rate: 44_100, channels: 2, bits: 16, totalFrames: 1000, canSeek: true)
///   }
///
///   override func decode(into samples: UnsafeMutablePointer<Float>, frames: Int) throws(CodecFailure) -> Int {
///     // Read from `input`, write interleaved floats, return the number of frames.
///   }
/// }
/// ```
///
/// A complete plugin is in `examples/codec-swift`.
open class StreamDecoder {
  fileprivate let message: UnsafeMutableBufferPointer<CChar>
  /// Multiple tag values and chapters, until `describe` reports them.
  fileprivate var details: StreamDetails?

  /// Creates a decoder without a recorded error.
  public init() {
    message = .allocate(capacity: 512)
    message[0] = 0
  }

  deinit { message.deallocate() }

  /// Decodes the next frames.
  ///
  /// - Parameters:
  ///   - samples: Receives interleaved samples in WAVE's channel order, full scale at 1.0.
  ///   - frames: Maximum number of frames.
  /// - Returns: Frames written, 0 only at the end of the stream.
  /// - Throws: `CodecFailure` if no more frames can follow. Return the frames decoded before the damage
  ///   first.
  open func decode(into samples: UnsafeMutablePointer<Float>, frames: Int) throws(CodecFailure) -> Int {
    throw CodecFailure(.unsupported, "This decoder does not decode.")
  }

  /// Seeks to a frame exactly: the next `decode` starts with it.
  ///
  /// - Parameter frame: Frame of the track, counted from 0 after trimming; never negative. Past the end,
  ///   `decode` returns 0.
  /// - Throws: `CodecFailure`; `notSeekable` unless overridden.
  open func seek(to frame: Int64) throws(CodecFailure) {
    throw CodecFailure(.notSeekable, "This stream cannot seek.")
  }

  /// Searches for the end of the stream in the file. Must not change the frame that `decode` returns next.
  ///
  /// - Parameter bytes: About how many bytes to read in this call; 0 to report only what is known.
  /// - Returns: The current result; nil if the end cannot be determined.
  /// - Throws: `CodecFailure`; `read` and `memory` end the track.
  open func measure(bytes: Int) throws(CodecFailure) -> StreamExtent? { nil }

  fileprivate func record(_ failure: CodecFailure) -> Int32 {
    copySentence(failure.sentence, to: message)
    return failure.kind.rawValue
  }

  fileprivate static func from(_ pointer: OpaquePointer) -> StreamDecoder {
    Unmanaged<StreamDecoder>.fromOpaque(UnsafeRawPointer(pointer)).takeUnretainedValue()
  }
}

/// The length of a stream in its file, as far as it has been measured.
public enum StreamExtent {
  /// The search continues; `frames` were counted up to now.
  case counting(frames: Int64)
  /// The stream has `frames` frames. `next` is the offset in bytes of a stream that follows in the same file,
  /// or nil.
  case known(frames: Int64, next: Int64?)
}

/// Implements a plugin's `open`: creates a decoder with `make`, or reports why that failed.
///
/// ```swift
/// open: { io, decoder, info, reason, reasonSize in
///   openStream(io, decoder, info, reason, reasonSize) { (input, description) throws(CodecFailure) in
///     try AUDecoder(input, description)
///   }
/// }
/// ```
///
/// - Parameters:
///   - io: The host's I/O table.
///   - decoder: Receives the decoder, or NULL on failure.
///   - info: Receives the description of the stream.
///   - reason: Receives the error text on failure.
///   - reasonSize: Size of `reason` in bytes.
///   - make: Reads the file's header, fills the description and returns a decoder.
/// - Returns: 0, or a negative `swiftlet_codec_status`.
public func openStream(
  _ io: UnsafePointer<swiftlet_io>?,
  _ decoder: UnsafeMutablePointer<OpaquePointer?>?,
  _ info: UnsafeMutablePointer<swiftlet_stream_info>?,
  _ reason: UnsafeMutablePointer<CChar>?,
  _ reasonSize: Int,
  make: (MediaInput, StreamDescription) throws(CodecFailure) -> StreamDecoder
) -> Int32 {
  guard let io, let decoder, let info else { return CodecFailure.Kind.unsupported.rawValue }
  do throws(CodecFailure) {
    let input = MediaInput(io.pointee)
    let description = StreamDescription(info)
    let opened = try make(input, description)
    opened.details = description.details
    decoder.pointee = OpaquePointer(Unmanaged.passRetained(opened).toOpaque())
    return 0
  } catch {
    decoder.pointee = nil
    copySentence(error.sentence, to: UnsafeMutableBufferPointer(start: reason, count: reasonSize))
    return error.kind.rawValue
  }
}

/// Creates the table that a plugin's entry point returns. Call once and store the result in a global; it is
/// never freed.
///
/// ```swift
/// private nonisolated(unsafe) let table = makeCodecTable(
///   name: "AU", version: cString("1"), extensions: ["au", "snd"], mimeTypes: ["audio/basic"],
///   probe: { bytes, size in hasMagic(borrowed(bytes, size), ".snd") ? 100 : 0 },
///   open: { io, decoder, info, reason, reasonSize in
///     openStream(io, decoder, info, reason, reasonSize) { (input, description) throws(CodecFailure) in
///       try AUDecoder(input, description)
///     }
///   })
///
/// @c(swiftlet_codec_entry) public func codecEntry() -> UnsafePointer<swiftlet_codec>? { table }
/// ```
///
/// - Parameters:
///   - name: The plugin's name, as in `libSwiftletCodecNAME.so`.
///   - version: Version of the plugin or of the library that it wraps; must live as long as the process.
///   - extensions: File name extensions without a dot, in lower case.
///   - mimeTypes: MIME types.
///   - probe: Returns a score of 0 to 100 for the beginning of a file.
///   - open: Opens a stream; call `openStream` from it.
public func makeCodecTable(
  name: StaticString,
  version: UnsafePointer<CChar>,
  extensions: [StaticString],
  mimeTypes: [StaticString],
  probe: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32,
  open:
    @convention(c) (
      UnsafePointer<swiftlet_io>?, UnsafeMutablePointer<OpaquePointer?>?,
      UnsafeMutablePointer<swiftlet_stream_info>?, UnsafeMutablePointer<CChar>?, Int
    ) -> Int32
) -> UnsafePointer<swiftlet_codec> {
  let table = UnsafeMutablePointer<swiftlet_codec>.allocate(capacity: 1)
  table.initialize(
    to: swiftlet_codec(
      abi: UInt32(SWIFTLET_CODEC_ABI),
      size: UInt32(MemoryLayout<swiftlet_codec>.size),
      name: cString(name),
      version: version,
      extensions: cStrings(extensions),
      mime_types: cStrings(mimeTypes),
      probe: probe,
      open: open,
      decode: { decoder, samples, frames in
        guard let decoder, let samples, frames > 0 else { return 0 }
        let stream = StreamDecoder.from(decoder)
        do throws(CodecFailure) {
          return Int64(try stream.decode(into: samples, frames: frames))
        } catch {
          return Int64(stream.record(error))
        }
      },
      seek: { decoder, frame in
        guard let decoder else { return CodecFailure.Kind.notSeekable.rawValue }
        let stream = StreamDecoder.from(decoder)
        do throws(CodecFailure) {
          guard frame >= 0 else {
            throw CodecFailure(.notSeekable, "There is no frame \(frame) to seek to.")
          }
          try stream.seek(to: frame)
          return 0
        } catch {
          return stream.record(error)
        }
      },
      last_error: { decoder in
        guard let decoder else { return nil }
        return UnsafePointer(StreamDecoder.from(decoder).message.baseAddress)
      },
      close: { decoder in
        guard let decoder else { return }
        Unmanaged<StreamDecoder>.fromOpaque(UnsafeRawPointer(decoder)).release()
      },
      measure: { decoder, bytes, extent in
        guard let decoder, let extent else { return CodecFailure.Kind.unsupported.rawValue }
        let stream = StreamDecoder.from(decoder)
        do throws(CodecFailure) {
          switch try stream.measure(bytes: bytes) {
          case .counting(let frames)?:
            extent.pointee = swiftlet_extent(frames: frames, next: 0)
            return 0
          case .known(let frames, let next)?:
            extent.pointee = swiftlet_extent(frames: frames, next: next ?? 0)
            return 1
          case nil: return CodecFailure.Kind.unsupported.rawValue
          }
        } catch {
          return stream.record(error)
        }
      },
      describe: { decoder, details in
        guard let decoder, let details else { return CodecFailure.Kind.unsupported.rawValue }
        let stream = StreamDecoder.from(decoder)
        stream.details?.report(to: details.pointee)
        // `describe` is called at most once. Frees the details, which a track of several hours would hold in
        // memory.
        stream.details = nil
        return 0
      }))
  return UnsafePointer(table)
}

/// A literal as a NUL-terminated C string that lives as long as the plugin.
public func cString(_ text: StaticString) -> UnsafePointer<CChar> {
  UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
}

private func cStrings(_ texts: [StaticString]) -> UnsafePointer<UnsafePointer<CChar>?> {
  let list = UnsafeMutablePointer<UnsafePointer<CChar>?>.allocate(capacity: texts.count + 1)
  for (index, text) in texts.enumerated() { (list + index).initialize(to: cString(text)) }
  (list + texts.count).initialize(to: nil)
  return UnsafePointer(list)
}
