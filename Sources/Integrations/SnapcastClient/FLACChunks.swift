// Decodes a FLAC stream that arrives in chunks of whole frames, with libFLAC. Receiver's process, single thread.

import CSnapcast

/// Decodes the stream's header first, then chunks.
final class FLACChunks: ChunkDecoder {
  private(set) var rate = 0
  private(set) var bits = 0
  private(set) var channels = 0
  private let library: csnapcast_flac
  private let decoder: UnsafeMutablePointer<FLAC__StreamDecoder>
  /// Bytes that libFLAC has not read yet.
  private var input: ArraySlice<UInt8> = []
  private var output: [Float] = []

  init(_ library: csnapcast_flac, head: ArraySlice<UInt8>) throws(SnapcastFailure) {
    guard let decoder = library.FLAC__stream_decoder_new() else {
      throw SnapcastFailure("libFLAC is out of memory")
    }
    (self.library, self.decoder) = (library, decoder)
    let status = library.FLAC__stream_decoder_init_stream(
      decoder, { _, buffer, count, client in FLACChunks.from(client).read(buffer, count) }, nil, nil, nil,
      nil,
      { _, frame, planes, client in
        if let frame, let planes { FLACChunks.from(client).receive(frame.pointee.header, planes) }
        return FLAC__STREAM_DECODER_WRITE_STATUS_CONTINUE
      },
      { _, metadata, client in
        if let metadata { FLACChunks.from(client).receive(metadata) }
      }, { _, _, _ in }, Unmanaged.passUnretained(self).toOpaque())
    input = head
    guard status == FLAC__STREAM_DECODER_INIT_STATUS_OK,
      library.FLAC__stream_decoder_process_until_end_of_metadata(decoder) != 0, rate > 0
    else { throw SnapcastFailure("its server sends FLAC without a valid head") }
    _ = library.FLAC__stream_decoder_flush(decoder)
  }

  deinit { library.FLAC__stream_decoder_delete(decoder) }

  func decode(_ bytes: ArraySlice<UInt8>, into frames: inout [Float]) throws(SnapcastFailure) {
    input = bytes
    output.removeAll(keepingCapacity: true)
    // Each call decodes one frame or skips invalid bytes, until the input is exhausted.
    while library.FLAC__stream_decoder_process_single(decoder) != 0,
      library.FLAC__stream_decoder_get_state(decoder).rawValue
        < FLAC__STREAM_DECODER_END_OF_STREAM.rawValue
    {}
    guard library.FLAC__stream_decoder_flush(decoder) != 0 else { throw SnapcastFailure("libFLAC gave up") }
    frames += output
  }

  private static func from(_ client: UnsafeMutableRawPointer?) -> FLACChunks {
    Unmanaged<FLACChunks>.fromOpaque(client!).takeUnretainedValue()
  }

  private func read(
    _ buffer: UnsafeMutablePointer<FLAC__byte>?, _ count: UnsafeMutablePointer<Int>?
  ) -> FLAC__StreamDecoderReadStatus {
    guard let buffer, let count, count.pointee > 0, !input.isEmpty else {
      count?.pointee = 0
      return FLAC__STREAM_DECODER_READ_STATUS_ABORT
    }
    let taken = min(count.pointee, input.count)
    for place in 0..<taken { buffer[place] = input[input.startIndex + place] }
    input = input.dropFirst(taken)
    count.pointee = taken
    return FLAC__STREAM_DECODER_READ_STATUS_CONTINUE
  }

  private func receive(_ metadata: UnsafePointer<FLAC__StreamMetadata>) {
    guard metadata.pointee.type == FLAC__METADATA_TYPE_STREAMINFO, rate == 0 else { return }
    let info = metadata.pointee.data.stream_info
    (rate, bits, channels) = (Int(info.sample_rate), Int(info.bits_per_sample), Int(info.channels))
  }

  private func receive(
    _ header: FLAC__FrameHeader, _ planes: UnsafePointer<UnsafePointer<FLAC__int32>?>
  ) {
    // A frame with other parameters is damaged data with a coincidentally valid checksum.
    guard Int(header.channels) == channels, channels > 0, (4...32).contains(header.bits_per_sample),
      output.count < SnapcastLimits.maxFrames * 2, let left = planes[0],
      let right = channels > 1 ? planes[1] : planes[0]
    else { return }
    let scale = 1 / Float(UInt64(1) << UInt64(header.bits_per_sample - 1))
    for place in 0..<Int(header.blocksize) {
      output.append(Float(left[place]) * scale)
      output.append(Float(right[place]) * scale)
    }
  }
}
