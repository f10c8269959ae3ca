// Finds the end of the first stream of a chained Ogg file, because libFLAC does not support chaining. Worker
// process only.

import CodecSupport
import MediaFormats

/// Steps through the pages of an Ogg file.
final class OggSurvey {
  private let input: MediaInput
  private let length: Int64
  private var hasLooked = false
  private var serial: UInt32?
  private var hasSound = false
  private var offset: Int64 = 0
  /// Granule position of the stream's last page, in samples.
  private(set) var samples: Int64 = 0
  /// The end of the stream, and the offset of the stream that follows; nil until known.
  private(set) var end: (byte: Int64, next: Int64?)?

  private static let tailBytes = 1 << 16

  /// The number of frames in the stream's header; nil if not stated.
  private let stated: Int64?

  init(_ input: MediaInput, length: Int64, frames: Int64?) {
    self.input = input
    stated = frames
    self.length = length
  }

  /// Whether pages are missing, so that the last position does not give the number of frames.
  private(set) var hasLostPages = false

  /// Reads about `bytes` bytes.
  func work(bytes: Int) throws(CodecFailure) {
    guard end == nil, bytes > 0 else { return }
    if !hasLooked {
      hasLooked = true
      serial = try page(at: 0)?.serial
      return try look()
    }
    let limit = offset < .max - Int64(bytes) ? offset + Int64(bytes) : .max
    while end == nil, offset < limit { try step() }
  }

  /// Checks whether the last page of the file belongs to the first stream.
  private func look() throws(CodecFailure) {
    let begin = max(0, length - Int64(Self.tailBytes))
    let bytes = try input.bytes(at: begin, count: Int(length - begin))
    bytes.withUnsafeBufferPointer { bytes in
      for place in bytes.indices.reversed() where bytes[place] == 0x4F {
        guard let page = OggPage(bytes, at: place) else { continue }
        guard page.serial == serial else { return }
        if Int64(place) + page.size <= Int64(bytes.count), page.position > 0,
          page.position == stated ?? page.position
        {
          samples = page.position
          return end = (length, nil)
        }
      }
    }
  }

  private func step() throws(CodecFailure) {
    guard let page = try page(at: offset) else {
      let rest = try input.bytes(at: offset, count: 2 * OggPage.maxSize)
      hasLostPages = rest.withUnsafeBufferPointer { rest in
        rest.indices.contains { OggPage(rest, at: $0) != nil }
      }
      return end = (offset, nil)
    }
    if page.isFirst, hasSound { return end = (offset, offset) }
    if page.serial == serial {
      if !page.isFirst { hasSound = true }
      if page.position > 0 { samples = page.position }
    }
    offset += page.size
  }

  private func page(at offset: Int64) throws(CodecFailure) -> OggPage? {
    OggPage(try input.bytes(at: offset, count: OggPage.maxHeader))
  }
}
