// Entry point for the coverage-guided fuzzer: messages between engine and worker, live samples and stream headers. Not
// used by the player.

import PlaybackModel

/// Passes arbitrary bytes to the parsers of worker messages, live samples and stream headers.
package enum DecodingFuzzing {
  /// Parses `bytes` as a message in either direction. Traps if it does not survive a round trip.
  package static func messages(_ bytes: [UInt8]) {
    if let message = WorkerMessage(bytes[...]) {
      precondition(WorkerMessage(message.bytes[...]) != nil, "what is read can be written and read again")
    }
    if let message = EngineMessage(bytes[...]) { precondition(message.bytes == bytes) }
    headers(bytes)
    samples(bytes)
  }

  /// Decodes `bytes` as live samples, whole and in two pieces. Traps if the results differ or a sample is out
  /// of range.
  private static func samples(_ bytes: [UInt8]) {
    for encoding in LiveFormat.Encoding.allCases {
      guard let format = LiveFormat("44100:" + encoding.rawValue + ":2") else { continue }
      var (whole, halves) = (LiveSamples(format), LiveSamples(format))
      var (all, pieces): ([Float], [Float]) = ([], [])
      let middle = bytes.count / 2
      bytes.withUnsafeBytes {
        whole.take($0, into: &all)
        halves.take(UnsafeRawBufferPointer(rebasing: $0[..<middle]), into: &pieces)
        halves.take(UnsafeRawBufferPointer(rebasing: $0[middle...]), into: &pieces)
      }
      precondition(
        all == pieces && all.count == bytes.count / format.frameBytes * 2, "pieces make no difference")
      precondition(all.allSatisfy { abs($0) <= 4 }, "samples are numbers")
    }
  }

  /// Parses `bytes` as the beginning of a chained stream's link, whole and in two pieces. Traps if the
  /// results differ.
  private static func headers(_ bytes: [UInt8]) {
    let extent = bytes.withUnsafeBytes { StreamHeaders.extent(of: $0) }
    if case .bytes(let count) = extent { precondition(count <= bytes.count, "headers lie in what was seen") }
    precondition(StreamHeaders.alignment(of: bytes) >= 1)
    var (whole, halves) = (LinkHeaders(), LinkHeaders())
    whole.begin(at: 0)
    halves.begin(at: 0)
    let middle = bytes.count / 2
    bytes.withUnsafeBytes {
      whole.take($0, at: 0)
      halves.take(UnsafeRawBufferPointer(rebasing: $0[..<middle]), at: 0)
      halves.take(UnsafeRawBufferPointer(rebasing: $0[middle...]), at: Int64(middle))
    }
    guard case .bytes? = whole.link(at: 0)?.extent else { return }
    precondition(whole.link(at: 0)?.bytes == halves.link(at: 0)?.bytes, "pieces make no difference")
  }
}
