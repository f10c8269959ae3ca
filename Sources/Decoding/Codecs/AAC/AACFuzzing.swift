// Fuzzing entry point for the parsers of MP4 and ADTS, without libfaad. One thread.

import CodecPlugin
import CodecSupport

/// Runs the parsers on bytes in memory.
package enum AACFuzzing {
  /// Opens `bytes` as a file, reads its packets and seeks. Must terminate for any input.
  package static func read(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { file in
      _ = max(MP4File.score(file), adtsScore(file))
      let memory = Memory(bytes: file)
      withExtendedLifetime(memory) {
        var (table, info, decoder) = (memory.table, swiftlet_stream_info(), OpaquePointer(bitPattern: 0))
        // Errors are expected.
        _ = openStream(&table, &decoder, &info, nil, 0) { (input, description) throws(CodecFailure) in
          try readPackets(input, description, isMP4: MP4File.score(file) > 0)
          throw CodecFailure(.unsupported, "All has been read.")
        }
      }
    }
  }

  private static func readPackets(
    _ input: MediaInput, _ description: StreamDescription, isMP4: Bool
  ) throws(CodecFailure) {
    let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: PacketLimit.bytes)
    defer { buffer.deallocate() }
    let source: any PacketSource
    if isMP4 {
      let file = try MP4File(input, description)
      if let fragments = file.track.fragments {
        source = try FragmentSource(file, fragments)
      } else {
        source = try MP4Source(file)
      }
      let timeline = AACTimeline(
        file, packets: source.packetCount, duration: file.track.tables.duration, rate: 44100,
        packetFrames: 1024, isReplicated: false)
      precondition(timeline.start >= 0 && timeline.length ?? 0 >= 0, "a part of less than nothing")
    } else {
      source = try ADTSSource(input, description)
    }
    var packets: Int64 = 0
    while packets < 10_000 {
      if case .end = try source.next(into: buffer) { break }
      packets += 1
    }
    precondition(
      packets == 10_000 || source.packetCount.map { packets == $0 } ?? true, "not as many as stated")
    for target in [0, packets / 2, max(0, packets - 1), packets, 1 << 40] {
      try source.seek(to: target)
      _ = try source.next(into: buffer)
    }
  }
}

/// A file in memory behind the host's I/O table.
private final class Memory {
  let bytes: Bytes
  var position: Int64 = 0

  init(bytes: Bytes) { self.bytes = bytes }

  static func from(_ context: UnsafeMutableRawPointer?) -> Memory {
    Unmanaged<Memory>.fromOpaque(context!).takeUnretainedValue()
  }

  var table: swiftlet_io {
    swiftlet_io(
      context: Unmanaged.passUnretained(self).toOpaque(),
      read: { context, buffer, size in
        let memory = Memory.from(context)
        let left = Int64(memory.bytes.count) - memory.position
        guard left > 0, size > 0, let start = memory.bytes.baseAddress else { return 0 }
        let count = min(left, Int64(size))
        buffer?.copyMemory(from: start + Int(memory.position), byteCount: Int(count))
        memory.position += count
        return count
      },
      seek: { context, offset in
        Memory.from(context).position = offset
        return 0
      },
      tell: { context in Memory.from(context).position },
      length: { context in Int64(Memory.from(context).bytes.count) },
      far_reads: nil)
  }
}
