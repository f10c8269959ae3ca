// ADTS: packets that follow one another, each behind a header of its own, with no word about how many there are. Their
// places are noted while the stream is read. Worker process only.

import CodecSupport

/// The frames of an ADTS stream. Bytes that are none are passed over.
final class ADTSSource: PacketSource {
  private let input: MediaInput
  /// The stream's first header.
  let header: ADTSHeader
  private(set) var packetCount: Int64?
  private(set) var position: Int64
  /// The end of the file, or where tags at its end begin; the greatest value for a stream. Each frame is judged against
  /// it, so that every pass over the file finds the same frames.
  private var end: Int64
  /// The offset of the first frame of another kind, once it is known; nil where none follow. No frame at or behind it is read.
  private(set) var next: Int64?
  /// Where frames are counted, and how many were, apart from what is decoded.
  private var counting: (offset: Int64, packets: Int64)
  /// Where the next frame is looked for, and its number.
  private var offset: Int64
  private var packet: Int64 = 0
  /// Offsets of every `stride`-th frame from the first on, as far as the stream was read.
  private var places: [Int64]
  private var stride: Int64 = 32
  private static let maxPlaces = 1 << 15

  /// How far into the file the stream may begin.
  private static let searchLimit = 1 << 16
  /// A file of up to so many bytes is read through for its headers, to know its length; a longer one has none.
  private static let scanLimit: Int64 = 16 << 20

  /// Finds the first frame, reads the tags around the stream, and counts the frames of a file that is not too long.
  init(_ input: MediaInput, _ description: StreamDescription) throws(CodecFailure) {
    self.input = input
    let start = try description.applyLeadingTags(input)
    // Little at first: a station's bytes come as fast as they are heard.
    var found: (Int, ADTSHeader)?
    var got = 0
    for limit in [Self.searchLimit / 8, Self.searchLimit] where found == nil {
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
    places = [offset]
    counting = (offset, 0)
    end = try description.applyTrailingTags(input) ?? .max
    guard end < .max, end - offset <= Self.scanLimit else { return }
    _ = try count(bytes: .max)
  }

  /// Counts the frames of about `bytes` bytes more.
  ///
  /// - Returns: Frames up to there; `packetCount` is known once these are all.
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
    // Cut off: no frame.
    return got == frame.bytes ? .packet(got) : .end
  }

  func seek(to packet: Int64) throws(CodecFailure) {
    let place = min(packet / stride, Int64(places.count - 1))
    if packet < self.packet || place * stride > self.packet {
      self.packet = place * stride
      offset = places[Int(place)]
    }
    while self.packet < packet, try step() != nil {}
  }

  /// Passes over the next frame: where it is; nil at the end.
  private func step() throws(CodecFailure) -> (offset: Int64, bytes: Int)? {
    guard let frame = try frame(from: offset) else { return nil }
    note(frame.offset)
    offset = frame.offset + Int64(frame.bytes)
    packet += 1
    return frame
  }

  private func note(_ offset: Int64) {
    guard packet == Int64(places.count) * stride else { return }
    if places.count == Self.maxPlaces {
      // Half of them, twice as far apart.
      for index in 0..<(places.count / 2) { places[index] = places[2 * index] }
      places.removeLast(places.count / 2)
      stride *= 2
      guard packet == Int64(places.count) * stride else { return }
    }
    places.append(offset)
  }

  /// The first whole frame that begins at `start` or behind it.
  private func frame(from start: Int64) throws(CodecFailure) -> (offset: Int64, bytes: Int)? {
    if let next, start >= next { return nil }
    if let here = try header(at: start), start + Int64(here.frameBytes) <= end {
      let next = start + Int64(here.frameBytes)
      // A frame of a stream that others begin in has lost bytes.
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

  /// Whether frames of another rate, profile or number of channels begin at a byte of a file.
  private func isOther(at place: Int64) throws(CodecFailure) -> Bool {
    let head = try input.bytes(at: place, count: ADTSHeader.size)
    guard let first = head.withUnsafeBufferPointer({ ADTSHeader($0) }), first.shape != header.shape,
      probes < Self.maxProbes + (place - places[0]) / Self.bytesAProbe
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

  /// Places that were taken for the beginning of other frames; how many may be, and bytes of the file that allow for another one: a
  /// bound for hostile files.
  private var probes: Int64 = 0
  private static let maxProbes: Int64 = 64
  private static let bytesAProbe: Int64 = 4096

  /// Whether there is a byte at an offset.
  private func isAnyByte(at offset: Int64) throws(CodecFailure) -> Bool {
    try !input.bytes(at: offset, count: 1).isEmpty
  }

  /// The first frame behind `start` that begins before `limit`, by two headers in their places.
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

  /// The header at a file offset, if it is this stream's.
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
