// Builds MPEG transport streams by hand, so that a test can corrupt each part. Test threads.

/// Packets of an MPEG transport stream with one audio stream.
struct TransportPackets {
  /// The stream type of the audio: AAC in ADTS by default.
  var kind: UInt8 = 0x0F
  /// Audio bytes in each packet of the elementary stream.
  var piece = 3000
  private var counters: [Int: UInt8] = [:]

  init(kind: UInt8 = 0x0F) { self.kind = kind }

  /// The tables and the audio.
  mutating func bytes(_ sound: [UInt8]) -> [UInt8] {
    var bytes = tables
    for begin in stride(from: 0, to: sound.count, by: piece) {
      bytes += elementary(Array(sound[begin..<min(begin + piece, sound.count)]))
    }
    return bytes
  }

  /// The program's tables: video on PID 0x100, audio on PID 0x101.
  var tables: [UInt8] {
    mutating get {
      let program: [UInt8] = [0, 0xB0, 13, 0, 1, 0xC1, 0, 0, 0, 1, 0xE0 | 0x0F, 0xFF, 0, 0, 0, 0]
      let map: [UInt8] = [
        2, 0xB0, 23, 0, 1, 0xC1, 0, 0, 0xE1, 0, 0xF0, 0, 0x1B, 0xE1, 0, 0xF0, 0, kind, 0xE1, 1, 0xF0, 0, 0, 0,
        0, 0,
      ]
      return packets(0, [0] + program, isTable: true) + packets(0xFFF, [0] + map, isTable: true)
    }
  }

  /// One packet of the elementary stream with a timestamp.
  mutating func elementary(_ sound: [UInt8], pid: Int = 0x101) -> [UInt8] {
    packets(pid, [0, 0, 1, 0xC0, 0, 0, 0x80, 0x80, 5, 0x21, 0, 1, 0, 1] + sound)
  }

  private mutating func packets(_ pid: Int, _ payload: [UInt8], isTable: Bool = false) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = payload[...]
    var isFirst = true
    while !rest.isEmpty {
      let counter = counters[pid, default: 0]
      counters[pid] = (counter + 1) & 15
      var packet: [UInt8] = [0x47, (isFirst ? 0x40 : 0) | UInt8(pid >> 8), UInt8(pid & 0xFF), 0x10 | counter]
      let room = 184
      if isTable {
        packet += rest + Array(repeating: 0xFF, count: room - rest.count)
        rest = []
      } else if rest.count >= room {
        packet += rest.prefix(room)
        rest = rest.dropFirst(room)
      } else {
        // An adaptation field pads the packet.
        packet[3] |= 0x20
        let filling = room - rest.count - 1
        packet.append(UInt8(filling))
        if filling > 0 { packet += [0] + Array(repeating: 0xFF, count: filling - 1) }
        packet += rest
        rest = []
      }
      bytes += packet
      isFirst = false
    }
    return bytes
  }
}
