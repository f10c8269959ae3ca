// Decodes mono and stereo Opus packets without libopus's multistream decoder, to save CPU time. Worker
// process only, one thread. Called back by opusfile while it reads; must not read itself.

import COpusFile

/// Passes the packets of a single-stream file directly to that stream's decoder.
///
/// opusfile uses libopus's multistream decoder for all files, which queries the size of each part for every
/// packet. A library with custom modes, as in Debian, detects the CPU's features on each query: with `CPUID`
/// eight times per packet, which virtual machines trap (nearly half of the CPU time of Opus on one), and on
/// ARM by reading /proc/cpuinfo, 200 times per second of audio. Both paths call the same function with the
/// same state, so the output is bit-identical; opusfile still handles resets and gains.
final class SingleStream {
  private let file: OpaquePointer
  /// The multistream decoder, and the link, from which `decoder` was obtained.
  private var source: (whole: OpaquePointer, link: Int32)?
  /// Owned by the multistream decoder; nil if opusfile must decode.
  private var decoder: OpaquePointer?

  /// Registers the decode callback of `file`. Must outlive it.
  init(_ file: OpaquePointer) {
    self.file = file
    op_set_decode_callback(
      file,
      { context, whole, samples, packet, frames, _, format, link in
        guard let context, let whole, let samples, let packet, format == OP_DEC_FORMAT_FLOAT else {
          return OP_DEC_USE_DEFAULT
        }
        return Unmanaged<SingleStream>.fromOpaque(context).takeUnretainedValue()
          .decode(
            packet.pointee, by: whole, into: samples.assumingMemoryBound(to: Float.self), frames: frames,
            link: link)
      },
      Unmanaged.passUnretained(self).toOpaque())
  }

  /// The decode callback. Returns 0 if exactly `frames` were decoded, `OP_DEC_USE_DEFAULT`, or a negative
  /// error.
  private func decode(
    _ packet: ogg_packet, by whole: OpaquePointer, into samples: UnsafeMutablePointer<Float>, frames: Int32,
    link: Int32
  ) -> Int32 {
    if source?.whole != whole || source?.link != link {
      source = (whole, link)
      decoder = isPlain(link) ? copusfile_first_decoder(whole) : nil
    }
    guard let decoder else { return OP_DEC_USE_DEFAULT }
    let got = opus_decode_float(decoder, packet.packet, Int32(clamping: packet.bytes), samples, frames, 0)
    return got == frames ? 0 : OP_EBADPACKET
  }

  /// Whether the link has one stream whose channels are the file's in the same order.
  private func isPlain(_ link: Int32) -> Bool {
    guard let head = op_head(file, link)?.pointee else { return false }
    return head.stream_count == 1 && head.channel_count == head.coupled_count + 1 && head.mapping.0 == 0
      && (head.channel_count == 1 || head.mapping.1 == 1)
  }
}
