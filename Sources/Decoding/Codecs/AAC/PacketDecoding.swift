// libfaad around one packet at a time. Worker process only, one thread.

import CFAAD
import CodecSupport

/// What one packet became.
struct DecodedPacket {
  /// Interleaved, in the library's order of channels; valid until the next packet.
  let samples: UnsafeMutablePointer<Float>
  let frames: Int
  let channels: Int
  let rate: Int
  /// Whether spectral band replication made the upper half of the spectrum, and twice the rate.
  let isReplicated: Bool
  /// Whether parametric stereo made two channels of one.
  let isParametricStereo: Bool
  /// libfaad's positions (FRONT_CHANNEL_LEFT and so on) of the channels, as far as there are eight.
  let positions: [UInt8]
}

/// An open libfaad decoder. Its state depends on all packets since it was opened.
final class PacketDecoding {
  private let handle: NeAACDecHandle
  private let output: UnsafeMutablePointer<Float>
  /// Twice 1024 frames of the 64 channels that libfaad has at most: it trusts a buffer once it has found it to be large enough.
  private static let outputSamples = 2048 * 64

  /// Opens a decoder. `upsamples`: whether streams of up to 24 kHz are played at twice their rate, also before spectral
  /// band replication is met in them.
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
    // Otherwise the first packet would give no samples.
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
