// Base class for decoders of packet formats: queues surplus frames and stops at the track's stated length.
// Worker process only, one thread.

/// A decoder whose library delivers one or more packets' worth of frames at a time.
///
/// Subclasses override `decodePacket`, and in `seek` they clear `pending` and set `nextFrame`:
///
/// ```swift
/// override func decodePacket(
///   into samples: UnsafeMutablePointer<Float>, frames: Int
/// ) throws(CodecFailure) -> Int {
///   guard let packet = try source.next() else { hasEnded = true; return 0 }
///   let decoded = library.decode(packet)
///   let target = pending.append(frames: decoded.count, channels: order.channels)
///   decoded.copy(to: target)
///   return 0  // `decode` takes the frames from `pending`.
/// }
/// ```
open class PacketDecoder: StreamDecoder {
  /// The library's channel order.
  public var order = ChannelOrder(vorbis: 2)
  /// Length of the track in frames; nil if it is unknown.
  public var totalFrames: Int64?
  /// The frame that `decode` writes next.
  public var nextFrame: Int64 = 0
  /// Whether the library has reached the end of the stream.
  public var hasEnded = false
  /// Frames that are decoded but not yet delivered.
  public var pending = PendingFrames()

  deinit { pending.deallocate() }

  /// Decodes the next packet.
  ///
  /// - Parameters:
  ///   - samples: Receives interleaved frames that fit; the rest goes to `pending`.
  ///   - frames: Room in `samples`, in frames.
  /// - Returns: Frames written to `samples`; 0 if all went to `pending`, or at the end with `hasEnded` set.
  open func decodePacket(
    into samples: UnsafeMutablePointer<Float>, frames: Int
  ) throws(CodecFailure) -> Int {
    throw CodecFailure(.unsupported, "This decoder does not decode.")
  }

  /// Writes the pending frames, then decodes packets until `samples` is full or the track ends.
  open override func decode(
    into samples: UnsafeMutablePointer<Float>, frames: Int
  ) throws(CodecFailure) -> Int {
    let channels = order.channels
    var wanted = frames
    if let totalFrames { wanted = Int(min(Int64(frames), max(0, totalFrames - nextFrame))) }
    var done = 0
    while done < wanted {
      let destination = samples + done * channels
      var taken = pending.take(to: destination, frames: wanted - done, channels: channels)
      if taken == 0 {
        if hasEnded { break }
        taken = try decodePacket(into: destination, frames: wanted - done)
      }
      done += taken
      nextFrame += Int64(taken)
    }
    return done
  }
}
