// Reads the packets of an ADTS stream, in which each packet follows its own header. ADTS has no index, so
// packet offsets are recorded while reading. Worker process only.

import CodecSupport
import MediaFormats

/// The packets of an ADTS stream. Skips invalid data.
final class ADTSSource: CountedSource {
  private let input: MediaInput
  /// The stream's first header.
  let header: ADTSHeader
  private(set) var packetCount: Int64?
  var duration: Int64? { nil }
  private(set) var position: Int64
  /// Offset of the trailing tags or the file's length; `Int64.max` for a stream. Each frame is checked
  /// against it, so that every pass over the file finds the same frames.
  private var end: Int64
  /// Offset of the first frame of another format; nil if unknown or there is none. No frame from there on is
  /// read.
  private(set) var next: Int64?
  /// Position and result of counting, independent of decoding.
  private var counting: (offset: Int64, packets: Int64)
  /// Offset and number of the next frame to read.
  private var offset: Int64
  private var packet: Int64 = 0
  /// Offsets of frames that were read.
  private var places: SparseIndex<Int64>

  /// Maximum offset of the first frame after the leading tags, and in a file with such tags: a tag may state too small
  /// a size, so that the rest of a picture follows it, or padding may follow.
  private static let searchLimit = 1 << 16
  private static let taggedLimit = 1 << 20
  /// Maximum size in bytes of a local file whose frames are counted when it is opened.
  private static let scanLimit: Int64 = 16 << 20

  /// Finds the first frame, reads the tags, and counts the frames of a local file up to `scanLimit`.
  init(_ input: MediaInput, _ description: StreamDescription) throws(CodecFailure) {
    self.input = input
    let start = try description.applyLeadingTags(input)
    // Starts with a small read, because a station's bytes arrive at the pace of playback.
    var found: (Int, ADTSHeader)?
    var got = 0
    let isTagged = start > 0 && input.length != nil
    let limits = [Self.searchLimit / 8, Self.searchLimit] + (isTagged ? [Self.taggedLimit] : [])
    for limit in limits where found == nil {
      var window = [UInt8](repeating: 0, count: limit)
      guard input.seek(to: start) else { throw .read(at: start) }
      got = window.withUnsafeMutableBytes { input.readFully(into: $0.baseAddress!, count: $0.count) }
      guard got >= 0 else { throw .read(at: start) }
      found = window.withUnsafeBufferPointer { bytes -> (Int, ADTSHeader)? in
        let head = Bytes(rebasing: bytes[..<got])
        for place in 0..<got {
          guard adtsRun(head, at: place, wanted: 3, endsFile: got < bytes.count) else { continue }
          return ADTSHeader(head, at: place).map { (place, $0) }
        }
        return nil
      }
      if got < limit { break }
    }
    guard let found else {
      throw CodecFailure(
        .unsupported, "No AAC frames (ADTS) were found in the \(got) bytes from byte \(start) on.")
    }
    header = found.1
    guard header.holdsOneBlock else {
      throw CodecFailure(.unsupported, "ADTS frames that hold several AAC blocks are not played.")
    }
    offset = start + Int64(found.0)
    position = offset
    places = SparseIndex(offset, stride: 32)
    counting = (offset, 0)
    end = try description.applyTrailingTags(input) ?? .max
    guard end < .max, end - offset <= Self.scanLimit, input.farReads == .cheap else { return }
    _ = try count(bytes: .max)
  }

  func count(bytes: Int64) throws(CodecFailure) -> Int64 {
    guard packetCount == nil else { return packetCount ?? 0 }
    let decoding = (offset, packet)
    (offset, packet) = counting
    let limit = bytes < .max - offset ? offset + bytes : .max
    var isOver = false
    while !isOver, offset < limit { isOver = try step() == nil }
    counting = (offset, packet)
    if isOver { packetCount = packet }
    (offset, packet) = decoding
    return counting.packets
  }

  func next(into buffer: UnsafeMutablePointer<UInt8>) throws(CodecFailure) -> PacketRead {
    let expected = offset
    guard let frame = try step() else { return .end }
    position = frame.offset
    if end == .max, frame.offset != expected {
      guard input.settle(at: frame.offset) else { throw .read(at: frame.offset) }
      return .gap
    }
    guard input.seek(to: frame.offset) else { throw .read(at: frame.offset) }
    let got = input.readFully(into: buffer, count: frame.bytes)
    guard got >= 0 else { throw .read(at: frame.offset) }
    // A truncated frame is the end.
    return got == frame.bytes ? .packet(got) : .end
  }

  func seek(to packet: Int64) throws(CodecFailure) {
    let (known, place) = places.last(upTo: packet)
    if packet < self.packet || known > self.packet { (self.packet, offset) = (known, place) }
    while self.packet < packet, try step() != nil {}
  }

  /// Skips the next frame. Returns its offset and size; nil at the end.
  private func step() throws(CodecFailure) -> (offset: Int64, bytes: Int)? {
    guard let frame = try frame(from: offset) else { return nil }
    places.note(packet, at: frame.offset)
    offset = frame.offset + Int64(frame.bytes)
    packet += 1
    return frame
  }

  /// The first whole frame at or after `start`.
  private func frame(from start: Int64) throws(CodecFailure) -> (offset: Int64, bytes: Int)? {
    if let next, start >= next { return nil }
    if let here = try header(at: start), start + Int64(here.frameBytes) <= end {
      let next = start + Int64(here.frameBytes)
      // A frame of a stream that contains other headers has lost bytes.
      guard end == .max, try header(at: next) == nil, try isAnyByte(at: next + Int64(ADTSHeader.size)),
        let found = try search(from: start, to: next)
      else { return (start, here.frameBytes) }
      return found
    }
    if next == nil, end < .max, try isOther(at: start) {
      next = start
      return nil
    }
    return try search(from: start, to: next ?? end)
  }

  /// Whether frames of another rate, profile or channel count begin at a byte of a file.
  private func isOther(at place: Int64) throws(CodecFailure) -> Bool {
    let head = try input.bytes(at: place, count: ADTSHeader.size)
    guard let first = head.withUnsafeBufferPointer({ ADTSHeader($0) }), first.shape != header.shape,
      probes < Self.maxProbes + (place - places.places[0]) / Self.bytesAProbe
    else { return false }
    probes += 1
    var following = place + Int64(first.frameBytes)
    for _ in 1..<3 {
      if following == end { return true }
      let bytes = try input.bytes(at: following, count: ADTSHeader.size)
      guard let next = bytes.withUnsafeBufferPointer({ ADTSHeader($0) }), next.shape == first.shape else {
        return false
      }
      following += Int64(next.frameBytes)
    }
    return true
  }

  /// Number of expensive checks so far, and its limit: an initial number, and one more per `bytesAProbe`
  /// bytes, for hostile files.
  private var probes: Int64 = 0
  private static let maxProbes: Int64 = 64
  private static let bytesAProbe: Int64 = 4096

  /// Whether there is a byte at an offset.
  private func isAnyByte(at offset: Int64) throws(CodecFailure) -> Bool {
    try !input.bytes(at: offset, count: 1).isEmpty
  }

  /// The first frame after `start` that begins before `limit` and is followed by another.
  private func search(
    from start: Int64, to limit: Int64
  ) throws(CodecFailure) -> (offset: Int64, bytes: Int)? {
    var window = [UInt8](repeating: 0, count: 4096)
    var place = start + 1
    while place < limit {
      guard input.seek(to: place) else { throw .read(at: place) }
      let got = window.withUnsafeMutableBytes { input.readFully(into: $0.baseAddress!, count: $0.count) }
      guard got >= 0 else { throw .read(at: place) }
      guard got >= ADTSHeader.size else { return nil }
      for index in 0..<got where window[index] == 0xFF {
        let candidate = place + Int64(index)
        if candidate >= limit { return nil }
        guard let found = try header(at: candidate) else {
          guard self.next == nil, end < .max, try isOther(at: candidate) else { continue }
          self.next = candidate
          return nil
        }
        let next = candidate + Int64(found.frameBytes)
        if next > end { continue }
        if next >= end - Int64(ADTSHeader.size) { return (candidate, found.frameBytes) }
        if try header(at: next) != nil { return (candidate, found.frameBytes) }
      }
      place += Int64(got)
    }
    return nil
  }

  /// The header at an offset, if it is one of this stream's.
  private func header(at offset: Int64) throws(CodecFailure) -> ADTSHeader? {
    var bytes: (UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8) = (0, 0, 0, 0, 0, 0, 0)
    guard input.seek(to: offset) else { throw .read(at: offset) }
    let got = withUnsafeMutableBytes(of: &bytes) { input.readFully(into: $0.baseAddress!, count: $0.count) }
    guard got >= 0 else { throw .read(at: offset) }
    guard got == ADTSHeader.size else { return nil }
    let found = withUnsafeBytes(of: bytes) { ADTSHeader($0.bindMemory(to: UInt8.self)) }
    return found?.shape == header.shape ? found : nil
  }
}
