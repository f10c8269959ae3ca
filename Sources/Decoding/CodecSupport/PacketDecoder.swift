// What decoders of packets have in common: frames are delivered as the caller has room for them, and the track ends where
// its headers say. Worker process only, one thread.

/// A decoder whose library delivers the frames of a packet at a time, or more.
open class PacketDecoder: StreamDecoder {
  /// How the library orders channels.
  public var order = ChannelOrder(vorbis: 2)
  /// The track's length in frames; nil where it is unknown.
  public var totalFrames: Int64?
  /// The frame that `decode` writes next.
  public var nextFrame: Int64 = 0
  /// Whether the library has nothing more.
  public var hasEnded = false
  /// What was decoded and has not been delivered.
  public var pending = PendingFrames()

  deinit { pending.deallocate() }

  /// Decodes what one packet holds: the frames written, 0 too when there is more pending or the end came.
  open func decodePacket(
    into samples: UnsafeMutablePointer<Float>, frames: Int
  ) throws(CodecFailure) -> Int {
    throw CodecFailure(.unsupported, "This decoder does not decode.")
  }

  /// Delivers what is pending, then what further packets hold, up to the end of the track.
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
