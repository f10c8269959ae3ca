// Reads a stream link by link, so that a codec sees each link as a separate file. Worker process, one thread.

import MediaFormats
import Streaming

/// Divides a stream of unknown length into links.
///
/// In chained Ogg each link ends like a file, and the caller enters the next one with a new decoder, because
/// codec libraries differ in their handling of chaining. A reconnect of a station also begins a link, in any
/// format.
struct LinkedBytes {
  private enum Kind { case unknown, plain, chained(OggLinks) }

  /// Offset in the stream of the byte that the codec sees as its first.
  private(set) var base: Int64 = 0
  /// Offset of the next link; nil until its first byte has arrived.
  private(set) var next: Int64?
  /// The discontinuity at the start of the present link; nil if it continues the previous one.
  private(set) var discontinuity: Discontinuity?
  private var kind = Kind.unknown
  /// Bytes before this offset are known to belong to the present link or an earlier one.
  private var known: Int64 = 0
  /// Headers that are read before the byte `body`, if the link was entered in its middle.
  private var prefix: [UInt8] = []
  private(set) var body: Int64 = 0
  private var headers = LinkHeaders()
  /// All bytes before this offset have been decoded; nil before the first audio.
  private var soundEnd: Int64?

  /// Whether the stream is Ogg, which may be chained.
  var mayBeChained: Bool { if case .chained = kind { true } else { false } }

  /// Enters the next link. Returns false if it has not arrived.
  mutating func enter(in spool: SpoolReader) -> Bool {
    guard let next else { return false }
    // Only Ogg has links without a discontinuity.
    discontinuity = nextDiscontinuity ?? (mayBeChained ? nil : .reconnect)
    begin(at: next, in: spool)
    return true
  }

  /// The discontinuity between the present and the next link.
  private var nextDiscontinuity: Discontinuity?

  /// Starts a link at a byte. After a discontinuity, the source may continue within a frame or page without
  /// sending headers; the link then gets the headers of the previous one.
  private mutating func begin(at offset: Int64, in spool: SpoolReader) {
    let begin = discontinuity == nil ? .link(offset) : continuation(at: offset, in: spool)
    switch begin {
    case .link(let first):
      (base, body) = (first, first)
      prefix = []
      headers.begin(at: first)
    case .headless(let first, let inherited):
      (base, body) = (first - Int64(inherited.count), first)
      prefix = inherited
      headers.begin(at: first, inheriting: inherited)
    }
    known = body
    next = headers.next(after: body)
    nextDiscontinuity = nil
    if mayBeChained { kind = .chained(OggLinks(isBehindFirstPages: !prefix.isEmpty)) }
  }

  private enum Beginning {
    /// Starts with headers, or has a format without them.
    case link(Int64)
    /// Starts without headers; those of an earlier link are passed to the decoder first.
    case headless(Int64, [UInt8])
  }

  /// Finds the first byte to decode after a discontinuity, and the headers to read before it.
  private func continuation(at offset: Int64, in spool: SpoolReader) -> Beginning {
    guard let inherited = headers.known(before: offset) else { return .link(offset) }
    guard mayBeChained else {
      let first = Self.first(4, at: offset, in: spool)
      return first.elementsEqual(inherited.prefix(4)) ? .link(offset) : .headless(offset, inherited)
    }
    let serial = inherited.count >= 18 ? inherited[14..<18] : []
    guard let page = OggPageSearch.page(from: offset, serial: serial, in: spool) else { return .link(offset) }
    return page.isFirst ? .link(page.offset) : .headless(page.offset, inherited)
  }

  /// Reads up to `count` bytes of the stream. Blocks until they arrive.
  private static func first(_ count: Int, at offset: Int64, in spool: SpoolReader) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let got = bytes.withUnsafeMutableBytes {
        spool.read($0.baseAddress! + done, count - done, at: offset + Int64(done))
      }
      guard case .bytes(let more) = got, more > 0 else { break }
      done += more
    }
    return Array(bytes.prefix(done))
  }

  /// Limits in bytes without decoded audio: before another decoder is tried, above the size of headers with a
  /// picture; and for that decoder to find a frame.
  private static let maxSilentBytes: Int64 = 2 << 20
  private static let maxSearchBytes: Int64 = 128 << 10

  /// Records that all bytes before an offset have been decoded.
  mutating func noteSound(at offset: Int64) { soundEnd = offset }

  /// Ends the present link before the next byte to be read. Returns false if too many bytes yielded no audio.
  mutating func breakOff(at offset: Int64) -> Bool {
    guard let soundEnd, offset - soundEnd <= Self.maxSearchBytes else { return false }
    next = max(offset, body + 1)
    nextDiscontinuity = .damage
    return true
  }

  /// Starts a part of a file at a byte.
  mutating func enterPart(at offset: Int64) {
    (base, body, known) = (offset, offset, offset)
    (prefix, next, kind) = ([], nil, .plain)
  }

  /// Returns to the beginning of the stream.
  mutating func rewind() { self = LinkedBytes() }

  /// Reads bytes of the present link.
  ///
  /// - Parameters:
  ///   - bytes: Receives the bytes.
  ///   - size: Maximum number of bytes.
  ///   - offset: Offset in the stream.
  ///   - spool: The stream.
  /// - Returns: The number of bytes, 0 at the end of the link, negative on failure.
  mutating func read(
    _ bytes: UnsafeMutableRawPointer, _ size: Int, at offset: Int64, from spool: SpoolReader
  ) -> Int {
    if offset < body, offset >= base { return readPrefix(bytes, size, at: offset) }
    // Whether the stream is live is known once its length is, which blocks.
    let isLive = spool.length < 0 && spool.isLive
    if isLive, headers.link(at: 0) == nil, base == 0 { headers.begin(at: 0) }
    if isLive, next == nil, let soundEnd, offset - max(soundEnd, body) > Self.maxSilentBytes {
      next = offset
      nextDiscontinuity = .damage
    }
    var count = 0
    while true {
      if let next, offset + Int64(count) >= next { return max(0, Int(next - offset)) }
      guard count < size else { return count }
      guard case .bytes(let more) = spool.read(bytes + count, size - count, at: offset + Int64(count)) else {
        // Returns the bytes that were kept back for inspection before the failure.
        return count > 0 ? count : -1
      }
      count += more
      if isLive {
        if let end = seam(before: offset + Int64(count), from: max(offset, body + 1), in: spool) {
          count = min(count, max(0, Int(end - offset)))
        }
        headers.take(UnsafeRawBufferPointer(start: bytes, count: count), at: offset)
      }
      let piece = UnsafeRawBufferPointer(start: bytes, count: count)
      if more == 0 || offset + Int64(count) <= known { return count }
      if case .unknown = kind {
        guard offset == body, count >= 4 || !piece.elementsEqual(OggPage.capture.prefix(count)) else {
          if offset == body { continue }
          return count
        }
        let isOgg = piece.starts(with: OggPage.capture)
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

  /// The end of the present link, if a reconnect lies within the bytes that were read.
  private mutating func seam(before end: Int64, from first: Int64, in spool: SpoolReader) -> Int64? {
    guard let seam = spool.seam(from: first), seam < end, seam <= next ?? seam else { return nil }
    next = seam
    nextDiscontinuity = .reconnect
    return seam
  }

  private func readPrefix(_ bytes: UnsafeMutableRawPointer, _ size: Int, at offset: Int64) -> Int {
    let first = Int(offset - base)
    let count = min(size, prefix.count - first)
    prefix.withUnsafeBytes { bytes.copyMemory(from: $0.baseAddress! + first, byteCount: count) }
    return count
  }
}

// MARK: Seeking in a station

extension LinkedBytes {
  /// Number of bytes searched for a page; more than two pages of maximum size.
  private static let pageSearch = 160 << 10

  /// Moves to a byte of the window, or near it, where a new decoder can start. The link's headers are read
  /// first.
  ///
  /// - Parameters:
  ///   - target: Offset in the stream.
  ///   - spool: The stream.
  /// - Returns: The offset found; nil if there is none.
  mutating func go(to target: Int64, in spool: SpoolReader) -> Int64? {
    headers.forget(before: spool.window.lowerBound)
    if mayBeChained, !look(upTo: target, in: spool) { return nil }
    guard let link = headers.link(at: target) else { return nil }
    var place = target
    switch link.extent {
    case .bytes:
      guard target >= link.sound else { return enter(link.base, in: spool) }
      prefix = link.bytes
      let step = StreamHeaders.alignment(of: prefix)
      place -= (target - link.sound) % step
      if mayBeChained {
        let kept = max(
          link.sound, spool.window.lowerBound > 0 ? spool.window.lowerBound + spool.margin : 0)
        guard let page = page(near: target, from: min(kept, target), in: spool) else {
          return enterNext(link.base, in: spool)
        }
        place = page
      }
    case .unknown where !mayBeChained: prefix = []
    case .unknown, .more: return enterNext(link.base, in: spool)
    }
    if let next = headers.next(after: link.base), place >= next { return enter(next, in: spool) }
    (base, body, known) = (place - Int64(prefix.count), place, place)
    if soundEnd != nil { soundEnd = place }
    next = headers.next(after: place)
    discontinuity = nil
    nextDiscontinuity = next.flatMap { spool.seam(from: $0) == $0 ? .reconnect : nil }
    if mayBeChained { kind = .chained(OggLinks(isBehindFirstPages: true)) }
    return place
  }

  /// Moves to the first byte of a reconnect, which may not have arrived. Returns the first byte to decode.
  mutating func enter(_ offset: Int64, in spool: SpoolReader) -> Int64 {
    // The headers kept for this offset may be those of another link.
    discontinuity = .reconnect
    begin(at: offset, in: spool)
    discontinuity = nil
    if soundEnd != nil { soundEnd = body }
    return body
  }

  /// Moves to the link at `link`, or to the next one if it is known. Returns nil if neither is in the window.
  private mutating func enterNext(_ link: Int64, in spool: SpoolReader) -> Int64? {
    if let next = headers.next(after: link) { return enter(next, in: spool) }
    return spool.window.contains(link) ? enter(link, in: spool) : nil
  }

  /// Finds all links before a byte by reading. Blocks only for the few bytes needed to recognise a page.
  private mutating func look(upTo target: Int64, in spool: SpoolReader) -> Bool {
    let size = 65_536
    let scratch = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    defer { scratch.deallocate() }
    while known < target {
      let count = read(scratch, Int(min(Int64(size), target - known)), at: known, from: spool)
      guard count > 0 || count == 0 && enter(in: spool) else { return false }
    }
    return true
  }

  /// The last page up to a byte, or the first one after it, that begins with a packet and is not the first of
  /// a link.
  private func page(near target: Int64, from first: Int64, in spool: SpoolReader) -> Int64? {
    let begin = max(first, target - Int64(Self.pageSearch / 2))
    let size = Int(max(0, min(Int64(Self.pageSearch), spool.window.upperBound - begin)))
    let bytes = Self.first(size, at: begin, in: spool)
    guard bytes.count >= 6 else { return nil }
    var found: Int64?
    for place in 0...(bytes.count - 6) where bytes[place] == OggPage.capture[0] {
      guard bytes[place..<(place + 4)].elementsEqual(OggPage.capture), bytes[place + 4] == 0,
        bytes[place + 5] & 3 == 0
      else { continue }
      if found != nil, begin + Int64(place) > target { break }
      found = begin + Int64(place)
    }
    return found
  }
}
