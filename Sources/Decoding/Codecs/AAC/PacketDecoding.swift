// Decodes single AAC packets with libfaad. Worker process only, one thread.

import CFAAD
import CodecSupport

/// The output for one packet.
struct DecodedPacket {
  /// Interleaved samples in libfaad's channel order; valid until the next packet.
  let samples: UnsafeMutablePointer<Float>
  let frames: Int
  let channels: Int
  let rate: Int
  /// Whether SBR has reconstructed high frequencies and doubled the rate.
  let isReplicated: Bool
  /// Whether parametric stereo has made two channels from one.
  let isParametricStereo: Bool
  /// libfaad's positions (FRONT_CHANNEL_LEFT etc.) of the first eight channels.
  let positions: [UInt8]
}

/// A libfaad decoder, whose state depends on all packets since it was opened.
final class PacketDecoding {
  private let handle: NeAACDecHandle
  private let output: UnsafeMutablePointer<Float>
  /// Size of the output buffer in samples: 2048 frames of 64 channels, libfaad's maximum. libfaad checks the
  /// size only once.
  private static let outputSamples = 2048 * 64

  /// Opens a decoder.
  ///
  /// - Parameters:
  ///   - start: Configuration or first packet.
  ///   - upsamples: Whether streams of up to 24 kHz are output at twice their rate even before SBR data is
  ///     found.
  init(_ start: StreamStart, upsamples: Bool) throws(CodecFailure) {
    guard let handle = NeAACDecOpen() else { throw .memory }
    let settings = NeAACDecGetCurrentConfiguration(handle)
    settings?.pointee.outputFormat = UInt8(FAAD_FMT_FLOAT)
    settings?.pointee.dontUpSampleImplicitSBR = upsamples ? 0 : 1
    var rate: UInt = 0
    var channels: UInt8 = 0
    var isOpen = NeAACDecSetConfiguration(handle, settings) != 0
    switch start {
    case .configuration(var bytes):
      isOpen =
        isOpen
        && bytes.withUnsafeMutableBufferPointer {
          NeAACDecInit2(handle, $0.baseAddress, UInt($0.count), &rate, &channels) == 0
        }
    case .packet(var bytes):
      isOpen =
        isOpen
        && bytes.withUnsafeMutableBufferPointer {
          NeAACDecInit(handle, $0.baseAddress, UInt($0.count), &rate, &channels) >= 0
        }
    }
    guard isOpen else {
      NeAACDecClose(handle)
      throw CodecFailure(.unsupported, "The AAC stream is of a kind that libfaad does not play.")
    }
    // Without this the first packet would give no samples.
    NeAACDecPostSeekReset(handle, 1)
    self.handle = handle
    output = .allocate(capacity: Self.outputSamples)
  }

  deinit {
    NeAACDecClose(handle)
    output.deallocate()
  }

  /// Decodes a packet; nil if it is damaged.
  func decode(_ packet: UnsafeMutablePointer<UInt8>, count: Int) -> DecodedPacket? {
    var info = NeAACDecFrameInfo()
    var buffer: UnsafeMutableRawPointer? = UnsafeMutableRawPointer(output)
    _ = NeAACDecDecode2(
      handle, &info, packet, UInt(count), &buffer, UInt(Self.outputSamples * MemoryLayout<Float>.size))
    let channels = Int(info.channels)
    guard info.error == 0, channels > 0, info.samples > 0, Int(info.samples) <= Self.outputSamples else {
      return nil
    }
    return DecodedPacket(
      samples: output, frames: Int(info.samples) / channels, channels: channels, rate: Int(info.samplerate),
      isReplicated: Int32(info.sbr) == SBR_UPSAMPLED, isParametricStereo: info.ps != 0,
      positions: withUnsafeBytes(of: info.channel_position) { Array($0.prefix(min(channels, 8))) })
  }
}
