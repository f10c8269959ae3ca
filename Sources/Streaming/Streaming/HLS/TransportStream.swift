// Extracts an audio stream from an MPEG transport stream (ISO/IEC 13818-1). Pure; fetcher process, in its
// sandbox. The input is untrusted; memory use is limited to a packet and a table.

/// The first supported audio stream of the first program.
struct TransportStream {
  static let packet = 188
  /// Maximum size of a table in bytes (section 2.4.4).
  private static let maxTable = 1024
  private static let sync: UInt8 = 0x47

  private var rest: [UInt8] = []
  private var tables: (program: TableBytes, map: TableBytes) = (TableBytes(), TableBytes())
  private var mapPID: Int?
  private var sound: (pid: Int, counter: UInt8?)?
  /// Whether audio is being output. It starts at the beginning of a PES packet.
  private var isFlowing = false
  /// The beginning of a PES packet, until its header is complete.
  private var head: [UInt8] = []
  private var isInHead = false

  /// Starts a segment: discards incomplete data and resets the continuity counter.
  mutating func begin() {
    rest = []
    tables = (TableBytes(), TableBytes())
    sound?.counter = nil
    (isFlowing, isInHead) = (false, false)
  }

  /// Processes bytes, and passes the audio to `use`.
  mutating func take(_ bytes: UnsafeRawBufferPointer, to use: (ArraySlice<UInt8>) -> Void)
    throws(FetchFailure)
  {
    rest += bytes
    var place = 0
    while place + Self.packet < rest.count {
      // After missing bytes, resynchronises at the next packet that another follows.
      let isPacket = rest[place] == Self.sync && rest[place + Self.packet] == Self.sync
      if isPacket {
        try take(packet: rest[place..<(place + Self.packet)], use)
        place += Self.packet
      } else {
        place += 1
        isFlowing = false
      }
    }
    rest.removeFirst(place)
  }

  /// Ends the segment and processes its last packet, which no other follows.
  mutating func end(to use: (ArraySlice<UInt8>) -> Void) throws(FetchFailure) {
    guard rest.count == Self.packet, rest[0] == Self.sync else { return }
    try take(packet: rest[...], use)
    rest = []
  }

  private mutating func take(
    packet: ArraySlice<UInt8>, _ use: (ArraySlice<UInt8>) -> Void
  ) throws(FetchFailure) {
    let first = packet.startIndex
    let pid = Int(packet[first + 1] & 0x1F) << 8 | Int(packet[first + 2])
    let isStart = packet[first + 1] & 0x40 != 0
    let control = packet[first + 3] >> 4 & 3
    var payload = packet[(first + 4)...]
    if control & 2 != 0 { payload = payload.dropFirst(1 + Int(packet[first + 4])) }
    guard control & 1 != 0, packet[first + 1] & 0x80 == 0, !payload.isEmpty else { return }
    if pid == 0 {
      if let table = tables.program.take(payload, isStart) { takeProgram(table) }
    } else if pid == mapPID {
      if let table = tables.map.take(payload, isStart) { try takeMap(table) }
    } else if pid == sound?.pid {
      guard packet[first + 3] & 0xC0 == 0 else { throw Self.protected }
      takeSound(payload, isStart, counter: packet[first + 3] & 15, use)
    }
  }

  static let protected = FetchFailure(
    sentence: "The station's segments (MPEG-TS) are encrypted, which cannot be played.", kind: .protection)

  /// Reads the PID of the first program's map table, after the entry for network information.
  private mutating func takeProgram(_ table: ArraySlice<UInt8>) {
    var entries = table
    guard table.first == 0, table.count >= 8 + 4 else { return }
    entries = entries.dropFirst(8).dropLast(4)
    while entries.count >= 4 {
      let start = entries.startIndex
      if entries[start] != 0 || entries[start + 1] != 0 {
        mapPID = Int(entries[start + 2] & 0x1F) << 8 | Int(entries[start + 3])
        return
      }
      entries = entries.dropFirst(4)
    }
  }

  private mutating func takeMap(_ table: ArraySlice<UInt8>) throws(FetchFailure) {
    let start = table.startIndex
    guard table.first == 2, table.count >= 12 + 4 else { return }
    let length = Int(table[start + 10] & 15) << 8 | Int(table[start + 11])
    var entries = table.dropFirst(12 + length).dropLast(4)
    var others: [UInt8] = []
    while entries.count >= 5 {
      let place = entries.startIndex
      let pid = Int(entries[place + 1] & 0x1F) << 8 | Int(entries[place + 2])
      let length = Int(entries[place + 3] & 15) << 8 | Int(entries[place + 4])
      switch entries[place] {
      // MPEG audio, and AAC in ADTS.
      case 0x03, 0x04, 0x0F:
        if sound?.pid != pid { (sound, isFlowing) = ((pid, nil), false) }
        return
      case 0xCF: throw Self.protected
      default: others.append(entries[place])
      }
      entries = entries.dropFirst(5 + length)
    }
    let kinds = others.map { "0x" + String($0, radix: 16) }.joined(separator: ", ")
    throw FetchFailure(
      sentence:
        "The station's segments (MPEG-TS) hold neither AAC in ADTS nor MP3, but \(kinds.isEmpty ? "nothing" : kinds).",
      kind: .format)
  }

  private mutating func takeSound(
    _ payload: ArraySlice<UInt8>, _ isStart: Bool, counter: UInt8, _ use: (ArraySlice<UInt8>) -> Void
  ) {
    // A packet may be duplicated.
    if sound?.counter == counter { return }
    if let last = sound?.counter, counter != (last + 1) & 15 { isFlowing = false }
    sound?.counter = counter
    if isStart { (head, isInHead, isFlowing) = ([], true, true) }
    guard isFlowing else { return }
    guard isInHead else { return use(payload) }
    // The ninth byte is the length of the rest of the header.
    head += payload
    guard head.count >= 9 else { return }
    guard head.starts(with: [0, 0, 1]) else {
      isFlowing = false
      return
    }
    let size = 9 + Int(head[8])
    guard head.count >= size else { return }
    isInHead = false
    use(head[size...])
  }

  /// Assembles a table from packets.
  private struct TableBytes {
    private var bytes: [UInt8] = []

    /// Processes a packet's payload. Returns the table once it is complete.
    mutating func take(_ payload: ArraySlice<UInt8>, _ isStart: Bool) -> ArraySlice<UInt8>? {
      if isStart {
        guard let pointer = payload.first else { return nil }
        bytes = Array(payload.dropFirst(1 + Int(pointer)))
      } else {
        guard !bytes.isEmpty else { return nil }
        bytes += payload
      }
      guard bytes.count >= 3 else { return nil }
      let size = 3 + (Int(bytes[1] & 15) << 8 | Int(bytes[2]))
      guard size <= TransportStream.maxTable else {
        bytes = []
        return nil
      }
      guard bytes.count >= size else { return nil }
      defer { bytes = [] }
      return bytes[..<size]
    }
  }
}
