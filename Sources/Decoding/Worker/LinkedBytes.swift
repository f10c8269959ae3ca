// A stream's bytes, link by link: what a plugin reads is one link, as if it were all. Worker process, one thread.

import Streaming

/// Reads a stream that does not say where it ends. Where that is chained Ogg, each link ends as a file does, and the next one is entered by
/// whoever opens a decoder on it: codec libraries differ in what they make of a link, and some make nothing of it. Where a station's
/// connection began anew, there is a link, too, in whatever format.
struct LinkedBytes {
  private enum Kind { case unknown, plain, chained(OggLinks) }

  /// The byte that the plugin takes for the first one.
  private(set) var base: Int64 = 0
  /// The byte that the next link begins with; nil until it has come.
  private(set) var next: Int64?
  /// Whether the present link does not follow what came before it.
  private(set) var isBehindSeam = false
  private var kind = Kind.unknown
  /// The bytes before are known to be the present link's, or those of one before it.
  private var known: Int64 = 0
  /// What is read before the byte `body`, where a link is entered in its middle: its headers.
  private var prefix: [UInt8] = []
  private var body: Int64 = 0
  private var headers = LinkHeaders()

  /// Whether it is Ogg, and may have links.
  var mayBeChained: Bool { if case .chained = kind { true } else { false } }

  /// Goes on with the next link; false where there is none yet.
  mutating func enter() -> Bool {
    guard let next else { return false }
    // What is no Ogg has no links but there.
    isBehindSeam = isNextBehindSeam || !mayBeChained
    begin(at: next)
    return true
  }

  private var isNextBehindSeam = false

  /// The next byte is a link's first one.
  private mutating func begin(at offset: Int64) {
    (base, body, known) = (offset, offset, offset)
    prefix = []
    headers.begin(at: offset)
    next = headers.next(after: offset)
    isNextBehindSeam = false
    if mayBeChained { kind = .chained(OggLinks()) }
  }

  /// Goes back to the stream's beginning.
  mutating func rewind() { self = LinkedBytes() }

  /// Reads bytes of the present link from an offset of the stream on: how many, 0 at its end, negative where that fails.
  mutating func read(
    _ bytes: UnsafeMutableRawPointer, _ size: Int, at offset: Int64, from spool: SpoolReader
  ) -> Int {
    if offset < body, offset >= base { return readPrefix(bytes, size, at: offset) }
    // Known once the length is, which is waited for.
    let isLive = spool.length < 0 && spool.isLive
    if isLive, headers.link(at: 0) == nil, base == 0 { headers.begin(at: 0) }
    var count = 0
    while true {
      if let next, offset + Int64(count) >= next { return max(0, Int(next - offset)) }
      guard count < size else { return count }
      guard case .bytes(let more) = spool.read(bytes + count, size - count, at: offset + Int64(count)) else {
        // What was held back in doubt comes first.
        return count > 0 ? count : -1
      }
      count += more
      if isLive {
        if let end = seam(before: offset + Int64(count), from: max(offset, base + 1), in: spool) {
          count = min(count, max(0, Int(end - offset)))
        }
        headers.take(UnsafeRawBufferPointer(start: bytes, count: count), at: offset)
      }
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

  /// The end of the present link, where the connection began anew among bytes that were read.
  private mutating func seam(before end: Int64, from first: Int64, in spool: SpoolReader) -> Int64? {
    guard let seam = spool.seam(from: first), seam < end, seam <= next ?? seam else { return nil }
    next = seam
    isNextBehindSeam = true
    return seam
  }

  private func readPrefix(_ bytes: UnsafeMutableRawPointer, _ size: Int, at offset: Int64) -> Int {
    let first = Int(offset - base)
    let count = min(size, prefix.count - first)
    prefix.withUnsafeBytes { bytes.copyMemory(from: $0.baseAddress! + first, byteCount: count) }
    return count
  }
}

// MARK: Going elsewhere in a station

extension LinkedBytes {
  /// Bytes in which a page is looked for: more than two of the longest.
  private static let pageSearch = 160 << 10

  /// Goes to a byte of the window, or near it, where a decoder that is opened anew can begin: it is given the headers again. Answers the
  /// byte; nil where there is none.
  mutating func go(to target: Int64, in spool: SpoolReader) -> Int64? {
    headers.forget(before: spool.window.lowerBound)
    if mayBeChained, !look(upTo: target, in: spool) { return nil }
    guard let link = headers.link(at: target) else { return nil }
    var place = target
    switch link.extent {
    case .bytes(let count):
      guard target >= link.base + Int64(count) else { return enter(link.base) }
      prefix = link.bytes
      let step = StreamHeaders.alignment(of: prefix)
      place -= (target - link.base - Int64(count)) % step
      if mayBeChained {
        let kept = max(
          link.base + Int64(count), spool.window.lowerBound > 0 ? spool.window.lowerBound + spool.margin : 0)
        guard let page = page(near: target, from: min(kept, target), in: spool) else {
          return enterNext(link.base, in: spool)
        }
        place = page
      }
    case .unknown where !mayBeChained: prefix = []
    case .unknown, .more: return enterNext(link.base, in: spool)
    }
    if let next = headers.next(after: link.base), place >= next { return enter(next) }
    (base, body, known) = (place - Int64(prefix.count), place, place)
    next = headers.next(after: place)
    (isBehindSeam, isNextBehindSeam) = (false, next.map { spool.seam(from: $0) == $0 } ?? false)
    if mayBeChained { kind = .chained(OggLinks(isBehindFirstPages: true)) }
    return place
  }

  /// Goes to a byte that a connection began anew with, of which nothing may be there yet.
  mutating func enter(_ offset: Int64) -> Int64 {
    begin(at: offset)
    isBehindSeam = false
    return offset
  }

  /// Goes to a link whose headers lie in the window: the one that begins there, or the one behind it.
  private mutating func enterNext(_ link: Int64, in spool: SpoolReader) -> Int64? {
    if let next = headers.next(after: link) { return enter(next) }
    return spool.window.contains(link) ? enter(link) : nil
  }

  /// Finds all links before a byte. What is there is read; nothing is waited for but a few bytes in doubt.
  private mutating func look(upTo target: Int64, in spool: SpoolReader) -> Bool {
    let size = 65_536
    let scratch = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    defer { scratch.deallocate() }
    while known < target {
      let count = read(scratch, min(size, Int(target - known)), at: known, from: spool)
      guard count > 0 || count == 0 && enter() else { return false }
    }
    return true
  }

  /// The last page up to a byte, or else the first one behind it, that does not begin in the middle of a packet and is no link's first.
  private func page(near target: Int64, from first: Int64, in spool: SpoolReader) -> Int64? {
    let begin = max(first, target - Int64(Self.pageSearch / 2))
    let size = Int(max(0, min(Int64(Self.pageSearch), spool.window.upperBound - begin)))
    var bytes = [UInt8](repeating: 0, count: size)
    var count = 0
    while count < size {
      let got = bytes.withUnsafeMutableBytes {
        spool.read($0.baseAddress! + count, size - count, at: begin + Int64(count))
      }
      guard case .bytes(let more) = got, more > 0 else { break }
      count += more
    }
    guard count >= 6 else { return nil }
    var found: Int64?
    for place in 0...(count - 6) where bytes[place] == OggLinks.capture[0] {
      guard bytes[place..<(place + 4)].elementsEqual(OggLinks.capture), bytes[place + 4] == 0,
        bytes[place + 5] & 3 == 0
      else { continue }
      if found != nil, begin + Int64(place) > target { break }
      found = begin + Int64(place)
    }
    return found
  }
}
