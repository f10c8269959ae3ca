// Decodes what has one stream, mono or stereo, without libopus's decoder for several. Worker process only, one thread; called by
// opusfile from within its reading, so it reads nothing itself.

import COpusFile

/// Packets of one stream are given to that stream's own decoder.
///
/// opusfile decodes all by libopus's multistream decoder, which asks for every packet how large its parts are. A library with custom
/// modes, as Debian's is, looks for the processor's features whenever it is asked: `CPUID` eight times a packet, which virtual machines
/// trap (nearly half of all the time that Opus took on one), and on ARM it reads /proc/cpuinfo, 200 times for each second of music.
/// Both ways end in the same function, with the same state: what is heard is the same, bit by bit, and opusfile keeps track of resets
/// and gains as ever.
final class SingleStream {
  private let file: OpaquePointer
  /// Which decoder of opusfile's, for which link, `decoder` was taken from.
  private var source: (whole: OpaquePointer, link: Int32)?
  /// Part of opusfile's; nil where that has to decode.
  private var decoder: OpaquePointer?

  /// Decodes for `file` from now on, and for as long as that is read.
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

  /// As opusfile wants it: 0 once exactly `frames` are decoded, `OP_DEC_USE_DEFAULT`, or a negative number.
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

  /// Whether the one stream's channels are the file's, in their order.
  private func isPlain(_ link: Int32) -> Bool {
    guard let head = op_head(file, link)?.pointee else { return false }
    return head.stream_count == 1 && head.channel_count == head.coupled_count + 1 && head.mapping.0 == 0
      && (head.channel_count == 1 || head.mapping.1 == 1)
  }
}
