// Unpacks HLS segments to one stream of audio frames. Pure; fetcher process, in its sandbox.

import MediaFormats

/// Unpacks segments of packed audio after an ID3 tag, MPEG-TS, or fragmented MP4. Other data is passed on
/// unchanged, for the codec to recognise.
struct SegmentUnpacker {
  private enum Container {
    /// Not known yet; this many bytes of a tag are skipped first.
    case unknown(passing: Int)
    case frames, transport, movie
  }

  /// Unpacked frames that have not been removed.
  private(set) var output: [UInt8] = []
  private var container = Container.unknown(passing: 0)
  private var head: [UInt8] = []
  private var transport = TransportStream()
  private var movie = FragmentedMovie()

  /// Starts a segment or an initialisation section.
  ///
  /// - Parameter offset: Offset of its first byte in the file.
  mutating func begin(at offset: Int64) {
    container = .unknown(passing: 0)
    head = []
    transport.begin()
    movie.begin(at: offset)
  }

  /// Processes bytes of the segment. Returns its title, once that is known.
  mutating func take(_ bytes: UnsafeRawBufferPointer) throws(FetchFailure) -> String? {
    guard case .unknown(let passing) = container else {
      try unpack(bytes)
      return nil
    }
    var bytes = bytes
    if passing > 0 {
      let count = min(passing, bytes.count)
      container = .unknown(passing: passing - count)
      bytes = UnsafeRawBufferPointer(rebasing: bytes[count...])
    }
    head += bytes
    return try look()
  }

  /// Ends the segment.
  mutating func end() throws(FetchFailure) {
    switch container {
    case .transport:
      var unpacked: [UInt8] = []
      try transport.end { unpacked += $0 }
      output += unpacked
    case .unknown:
      container = .frames
      output += head
      head = []
    case .frames, .movie: break
    }
  }

  /// Discards the unpacked frames.
  mutating func clear() { output = [] }

  /// Removes bytes from the beginning of `output`.
  mutating func remove(_ count: Int) { output.removeFirst(count) }

  /// Detects the container from the first bytes.
  private mutating func look() throws(FetchFailure) -> String? {
    var title: String?
    while head.count >= SegmentTag.header {
      if let size = SegmentTag.size(head[...]) {
        if size > SegmentTag.maxLength {
          let count = min(size, head.count)
          container = .unknown(passing: size - count)
          head.removeFirst(count)
        } else {
          guard head.count >= size else { return title }
          title = SegmentTag.title(of: head[..<size]) ?? title
          head.removeFirst(size)
        }
        continue
      }
      let kind = UInt32(truncatingIfNeeded: head.big(4) ?? 0)
      if head[0] == 0x47 {
        container = .transport
      } else {
        container = MovieTrack.firstBoxes.contains(kind) ? .movie : .frames
      }
      let first = head
      head = []
      var failure: FetchFailure?
      first.withUnsafeBytes { bytes in
        do throws(FetchFailure) { try unpack(bytes) } catch { failure = error }
      }
      if let failure { throw failure }
    }
    return title
  }

  private mutating func unpack(_ bytes: UnsafeRawBufferPointer) throws(FetchFailure) {
    var unpacked: [UInt8] = []
    switch container {
    case .frames, .unknown: unpacked += bytes
    case .transport: try transport.take(bytes) { unpacked += $0 }
    case .movie: try movie.take(bytes) { unpacked += $0 }
    }
    output += unpacked
  }
}
