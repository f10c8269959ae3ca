// Makes one stream of frames of the segments of a sound, whatever they are wrapped in. Pure; fetcher process, in its sandbox.

/// Takes segments apart: packed frames behind a tag, MPEG-TS, or pieces of MP4. What is none of these is handed on as it is, for the codec
/// to judge.
struct SegmentUnpacker {
  private enum Container {
    /// So many bytes of a tag are to be passed over first.
    case unknown(passing: Int)
    case frames, transport, movie
  }

  /// The frames that were unpacked and not taken yet.
  private(set) var output: [UInt8] = []
  private var container = Container.unknown(passing: 0)
  private var head: [UInt8] = []
  private var transport = TransportStream()
  private var movie = FragmentedMovie()

  /// A segment begins, or what describes those that follow, at a byte of its file.
  mutating func begin(at offset: Int64) {
    container = .unknown(passing: 0)
    head = []
    transport.begin()
    movie.begin(at: offset)
  }

  /// Takes bytes as they came. Answers the title that the segment names, where it is known now.
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

  /// The segment is over.
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

  /// What is unpacked is not wanted any more.
  mutating func clear() { output = [] }

  /// Frames were taken.
  mutating func remove(_ count: Int) { output.removeFirst(count) }

  /// Judges the first bytes.
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
      let kind = UInt32(truncatingIfNeeded: FragmentedMovie.number(head[4..<8]))
      if head[0] == 0x47 {
        container = .transport
      } else {
        container = MovieBox.first.contains(kind) ? .movie : .frames
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
