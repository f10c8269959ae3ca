// Entry point for a coverage-guided fuzzer. Not used in production.

/// Feeds arbitrary bytes to the parsers of this module.
package enum MediaFormatsFuzzing {
  /// Parses bytes as each format. Must terminate, with bounded memory, for any input.
  package static func parse(_ bytes: [UInt8]) {
    let source = MemorySource(bytes)
    let size = Int64(bytes.count)
    if let header = ID3Header(bytes) {
      var frames = ID3Frames(header, at: 0, in: source)
      while frames.next() != nil {
        if var inner = frames.frames(after: 20) {
          while inner.next() != nil { _ = inner.content(atMost: 64) }
        }
        guard let content = frames.content(atMost: 4096) else { continue }
        precondition(content.count <= 4096, "a content is longer than its limit")
        content.withUnsafeBufferPointer { _ = ID3Text.values($0) }
      }
    }
    if let footer = APEFooter(bytes.suffix(APEFooter.size), endingAt: size) {
      var items = APEItems(footer, in: source)
      while let item = items.next() {
        guard let value = items.value(atMost: 512) else { break }
        precondition(value.count == Int(min(512, item.size)), "a value of another size")
      }
    }
    var blocks = FLACBlocks(in: source, from: 4)
    while let block = blocks.next() { precondition(block.start <= size, "a block outside its file") }
    var packets = OggPackets(in: source)
    while case .packet(let packet) = packets.next(atMost: 4096) {
      precondition(packet.count <= 4096, "a packet is longer than its limit")
    }
    if let comments = VorbisComments(bytes[...]) {
      for comment in comments { _ = VorbisComments.value(of: "TITLE", in: comment) }
    }
    var boxes = MP4Boxes(in: source, from: 0, to: size)
    while case .box(let box) = boxes.next() {
      precondition(
        box.offset < box.start && box.start <= box.end && box.end <= size, "a box outside its file")
    }
    _ = MP4SampleEntry(descriptions: bytes[...])
    let track = MP4FragmentedTrack(header: bytes.prefix(32), extends: bytes[...])
    if let fragment = try? MP4Fragment(bytes[...], at: 0, of: track, atMost: 1000) {
      precondition(fragment.packets.count <= 1000, "more packets than the limit")
    }
    bytes.withUnsafeBufferPointer { bytes in
      for place in 0..<min(64, bytes.count) { _ = ADTSHeader(bytes, at: place) }
    }
    if let encoder = ADTSEncoder(configuration: bytes) {
      encoder.header(frame: 100).withUnsafeBufferPointer {
        precondition(ADTSHeader($0)?.frameBytes == 107, "a header is read as it was written")
      }
    }
  }
}
