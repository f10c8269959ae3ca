// A stream's bytes, link by link: what a plugin reads is one link, as if it were all. Worker process, one thread.

import Streaming

/// Reads a stream that does not say where it ends. Where that is chained Ogg, each link ends as a file does, and the next one is entered by
/// whoever opens a decoder on it: codec libraries differ in what they make of a link, and some make nothing of it.
struct LinkedBytes {
  private enum Kind { case unknown, plain, chained(OggLinks) }

  /// The byte that the present link begins with.
  private(set) var base: Int64 = 0
  /// The byte that the next link begins with; nil until it has come.
  private(set) var next: Int64?
  private var kind = Kind.unknown
  /// The bytes before are known to be the present link's, or those of one before it.
  private var known: Int64 = 0

  /// Whether it is Ogg, and may have links.
  var mayBeChained: Bool { if case .chained = kind { true } else { false } }

  /// Goes on with the next link; false where there is none yet.
  mutating func enter() -> Bool {
    guard let next else { return false }
    (base, known, self.next) = (next, next, nil)
    kind = .chained(OggLinks())
    return true
  }

  /// Goes back to the stream's beginning.
  mutating func rewind() { self = LinkedBytes() }

  /// Reads bytes of the present link from an offset of the stream on: how many, 0 at its end, negative where that fails.
  mutating func read(
    _ bytes: UnsafeMutableRawPointer, _ size: Int, at offset: Int64, from spool: SpoolReader
  ) -> Int {
    var count = 0
    while true {
      if let next, offset + Int64(count) >= next { return max(0, Int(next - offset)) }
      guard count < size else { return count }
      guard case .bytes(let more) = spool.read(bytes + count, size - count, at: offset + Int64(count)) else {
        // What was held back in doubt comes first.
        return count > 0 ? count : -1
      }
      count += more
      let piece = UnsafeRawBufferPointer(start: bytes, count: count)
      if more == 0 || offset + Int64(count) <= known { return count }
      if case .unknown = kind {
        guard offset == 0, count >= 4 || !piece.elementsEqual(OggLinks.capture.prefix(count)) else {
          if offset == 0 { continue }
          return count
        }
        let isOgg = piece.starts(with: OggLinks.capture)
        kind = isOgg && spool.length < 0 ? .chained(OggLinks()) : .plain
      }
      guard case .chained(var links) = kind else { return count }
      let fresh = max(0, Int(known - offset))
      let judgement = links.look(at: UnsafeRawBufferPointer(rebasing: piece[fresh...]))
      kind = .chained(links)
      switch judgement {
      case .none:
        known = offset + Int64(count)
        return count
      case .link(let place):
        known = offset + Int64(fresh + place)
        next = known
        return fresh + place
      case .unclear(let place):
        known = offset + Int64(fresh + place)
        if fresh + place > 0 { return fresh + place }
      }
    }
  }
}
