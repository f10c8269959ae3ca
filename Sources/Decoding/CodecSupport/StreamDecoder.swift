// What every codec plugin has in common: the decoder object behind the ABI's opaque pointer, and the
// C functions that lead to it. Worker process only, one thread.

import CodecPlugin

/// A decoder at work on one file. Subclassed once a plugin; the host owns it from `open` to `close`.
open class StreamDecoder {
  fileprivate let message: UnsafeMutableBufferPointer<CChar>
  /// What `describe` reports.
  fileprivate var details: StreamDetails?

  /// A decoder that has failed at nothing yet.
  public init() {
    message = .allocate(capacity: 512)
    message[0] = 0
  }

  deinit { message.deallocate() }

  /// Writes up to `frames` interleaved frames: how many, 0 at the stream's end.
  open func decode(into samples: UnsafeMutablePointer<Float>, frames: Int) throws(CodecFailure) -> Int {
    throw CodecFailure(.unsupported, "This decoder does not decode.")
  }

  /// Makes `frame` (never negative) the next one that `decode` writes.
  open func seek(to frame: Int64) throws(CodecFailure) {
    throw CodecFailure(.notSeekable, "This stream cannot seek.")
  }

  /// Finds out where the stream of a file ends, reading about `bytes` bytes; the next frame of `decode` stays what it is.
  ///
  /// - Returns: What is known by now; nil where the end cannot be known.
  open func measure(bytes: Int) throws(CodecFailure) -> StreamExtent? { nil }

  fileprivate func record(_ failure: CodecFailure) -> Int32 {
    copySentence(failure.sentence, to: message)
    return failure.kind.rawValue
  }

  fileprivate static func from(_ pointer: OpaquePointer) -> StreamDecoder {
    Unmanaged<StreamDecoder>.fromOpaque(UnsafeRawPointer(pointer)).takeUnretainedValue()
  }
}

/// How far a stream of a file goes.
public enum StreamExtent {
  /// `frames` were counted, and there may be more.
  case counting(frames: Int64)
  /// The stream has `frames`, and the file continues with another stream at the byte `next`, or ends where that is nil.
  case known(frames: Int64, next: Int64?)
}

/// A plugin's `open`: hands over the decoder that `make` returns, or writes the reason why there is none.
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

/// The table that a plugin's entry point returns: made once, never freed.
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
        // Asked once; a track that plays for hours does not keep them.
        stream.details = nil
        return 0
      }))
  return UnsafePointer(table)
}

/// A literal as a C string that lives as long as the plugin.
public func cString(_ text: StaticString) -> UnsafePointer<CChar> {
  UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
}

private func cStrings(_ texts: [StaticString]) -> UnsafePointer<UnsafePointer<CChar>?> {
  let list = UnsafeMutablePointer<UnsafePointer<CChar>?>.allocate(capacity: texts.count + 1)
  for (index, text) in texts.enumerated() { (list + index).initialize(to: cString(text)) }
  (list + texts.count).initialize(to: nil)
  return UnsafePointer(list)
}
