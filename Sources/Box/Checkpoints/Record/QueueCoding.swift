// Encodes a queue compactly, because it is written to flash. Pure; any thread but the audio thread.

import PlaybackModel

/// How much of a queue was saved to fit its area.
enum QueueFidelity: UInt8 {
  /// The whole queue.
  case whole
  /// All entries, without the tags that decoders can read again.
  case pathsOnly
  /// The current entry and as many of the following ones as fit.
  case part
}

/// The encoded form of a queue: "SwQu", version, two zero bytes, generation, length of the body, CRC-64 of
/// the body; then the body. The checksum does not cover the generation, which is also in the slot that refers
/// to the queue.
enum QueueCoding {
  static let headerBytes = 32
  static let pathLimit = 4096
  static let tagLimit = 512
  /// The most bytes of all texts of a queue, so that a small forged file cannot exhaust the memory.
  static let textLimit = 32 << 20
  private static let magic: UInt64 = 0x7551_7753

  // Writing

  /// Encodes a queue, reducing its fidelity until it fits.
  ///
  /// - Parameters:
  ///   - record: The queue.
  ///   - generation: The queue's generation number.
  ///   - limit: The most bytes, including the header.
  /// - Returns: The encoded form, and its fidelity.
  static func encode(_ record: QueueRecord, generation: UInt64, limit: Int) -> (bytes: [UInt8], QueueFidelity)
  {
    var fidelity = record.isComplete ? QueueFidelity.whole : .part
    var body = body(record, isComplete: record.isComplete, withTags: true)
    if body.count > limit - headerBytes || !isEncodable(record) {
      body = self.body(record, isComplete: record.isComplete, withTags: false)
      if fidelity == .whole { fidelity = .pathsOnly }
    }
    if body.count > limit - headerBytes || !isEncodable(record) {
      let part = part(of: record, limit: limit - headerBytes)
      body = self.body(part, isComplete: false, withTags: false)
      fidelity = .part
    }
    var writer = ByteWriter()
    writer.number(magic, 4)
    writer.number(UInt64(1), 2)
    writer.number(UInt64(0), 2)
    writer.number(generation, 8)
    writer.number(body.count, 8)
    writer.number(Checksum.of(body), 8)
    writer.raw(body)
    return (writer.bytes, fidelity)
  }

  private static func isEncodable(_ record: QueueRecord) -> Bool {
    var sum = 0
    for entry in record.snapshot.entries {
      let count = entry.track.path.utf8.count
      guard count <= pathLimit else { return false }
      // Also count the tags: at most three, each cut to the limit.
      sum += count + 3 * tagLimit
      guard sum <= textLimit else { return false }
    }
    return true
  }

  private static func body(_ record: QueueRecord, isComplete: Bool, withTags: Bool) -> [UInt8] {
    let snapshot = record.snapshot
    var writer = ByteWriter()
    writer.flag(isComplete)
    writer.flag(snapshot.isShuffled)
    writer.number(snapshot.nextID, 8)
    writer.number(snapshot.generator, 8)
    writer.number(snapshot.cursor.place, 4)
    writer.flag(snapshot.cursor.isOnEntry)
    writer.byte(snapshot.cursor.repeatMode.rawValue)
    writer.byte(snapshot.cursor.endOfQueue.rawValue)
    writer.number(snapshot.entries.count, 4)
    var before = EntryContext()
    for entry in snapshot.entries {
      writer.track(entry.track, hasFailed: entry.hasFailed, withTags: withTags, after: &before)
    }
    if snapshot.isShuffled {
      for index in snapshot.order { writer.number(index, 2) }
    }
    let detached = record.detached.filter { $0.path.utf8.count <= pathLimit }.prefix(
      QueueRecord.detachedLimit)
    writer.byte(UInt8(detached.count))
    for track in detached { writer.track(track, hasFailed: false, withTags: withTags, after: &before) }
    writePriorities(of: snapshot.entries, to: &writer)
    return writer.bytes
  }

  /// Appends the priorities other than 0, as optional trailing fields; earlier versions end before them.
  private static func writePriorities(of entries: [PlayQueue.Snapshot.Entry], to writer: inout ByteWriter) {
    var before = 0
    for (index, entry) in entries.enumerated() where entry.priority > 0 {
      writer.compact(UInt64(index - before))
      writer.byte(entry.priority)
      before = index
    }
  }

  private static func readPriorities(
    of entries: inout [PlayQueue.Snapshot.Entry], from reader: inout ByteReader
  ) throws(Malformed) {
    var index = 0
    while reader.rest > 0 {
      index += try reader.count(atMost: PlayQueue.limit, "the distance to an entry with a priority")
      let priority = try reader.byte()
      guard index < entries.count, entries[index].priority == 0, priority > 0 else {
        throw Malformed("a priority is that of no entry")
      }
      entries[index].priority = priority
    }
  }

  /// Selects the current entry and as many of the following ones as certainly fit.
  private static func part(of record: QueueRecord, limit: Int) -> QueueRecord {
    let old = record.snapshot
    var room = min(limit, textLimit) - 256 - QueueRecord.detachedLimit * (pathLimit + 32)
    var isKept = [Bool](repeating: false, count: old.entries.count)
    var places: [Int] = []
    for place in min(old.cursor.place, old.order.count)..<old.order.count {
      let index = old.order[place]
      let count = old.entries[index].track.path.utf8.count
      guard count <= pathLimit else { continue }
      room -= count + 32
      guard room >= 0 else { break }
      isKept[index] = true
      places.append(index)
    }
    var entries: [PlayQueue.Snapshot.Entry] = []
    var newIndex = [Int](repeating: 0, count: old.entries.count)
    for index in old.entries.indices where isKept[index] {
      newIndex[index] = entries.count
      entries.append(old.entries[index])
    }
    let order = places.map { newIndex[$0] }
    var cursor = old.cursor
    cursor.place = 0
    cursor.id = order.first.map { entries[$0].track.id }
    cursor.isOnEntry = cursor.isOnEntry && cursor.id != nil && cursor.id == old.cursor.id
    return QueueRecord(
      PlayQueue.Snapshot(
        entries: entries, order: order, isShuffled: old.isShuffled, nextID: old.nextID,
        generator: old.generator, cursor: cursor),
      detached: record.detached)
  }

  // Reading

  /// Decodes the header of a queue area; nil if it is invalid.
  static func reference(_ bytes: [UInt8], area: Int) -> QueueReference? {
    var reader = ByteReader(bytes)
    guard let magic = try? reader.number(4), magic == Self.magic, let version = try? reader.number(2),
      version == 1, let zero = try? reader.number(2), zero == 0, let generation = try? reader.number(8),
      let count = try? reader.number(8), let content = try? reader.number(8)
    else { return nil }
    guard generation >= 1, generation < 1 << 62, count < 1 << 30 else { return nil }
    return QueueReference(
      generation: generation, content: content, byteCount: headerBytes + Int(count), area: area)
  }

  /// Decodes a queue whose checksum has been verified.
  static func decode(_ bytes: [UInt8]) throws(Malformed) -> QueueRecord {
    var reader = ByteReader(bytes, from: min(headerBytes, bytes.count))
    let isComplete = try reader.flag()
    let isShuffled = try reader.flag()
    let (nextID, generator) = (try reader.number(8), try reader.number(8))
    let place = try reader.integer(4)
    let isOnEntry = try reader.flag()
    let repeatMode = try reader.choice(RepeatMode.self, "repeat mode")
    let endOfQueue = try reader.choice(EndOfQueue.self, "end of queue")
    let count = try reader.integer(4)
    guard count <= PlayQueue.limit else { throw Malformed("the queue is too long") }
    var before = EntryContext()
    var entries: [PlayQueue.Snapshot.Entry] = []
    for _ in 0..<count { entries.append(try reader.track(after: &before)) }
    var order = Array(entries.indices)
    if isShuffled {
      for place in order.indices { order[place] = try reader.integer(2) }
    }
    guard order.allSatisfy({ $0 < count }) else { throw Malformed("the play order is out of bounds") }
    let id = order.indices.contains(place) ? entries[order[place]].track.id : nil
    var snapshot = PlayQueue.Snapshot(
      entries: entries, order: order, isShuffled: isShuffled, nextID: nextID, generator: generator,
      cursor: PlayQueue.Cursor(
        place: place, isOnEntry: isOnEntry, id: id, repeatMode: repeatMode, endOfQueue: endOfQueue))
    guard snapshot.isConsistent else { throw Malformed("the queue contradicts itself") }
    let detachedCount = Int(try reader.byte())
    guard detachedCount <= QueueRecord.detachedLimit else { throw Malformed("too many tracks") }
    var detached: [Track] = []
    for _ in 0..<detachedCount { detached.append(try reader.track(after: &before).track) }
    try readPriorities(of: &snapshot.entries, from: &reader)
    var record = QueueRecord(snapshot, detached: detached)
    record.isComplete = isComplete
    return record
  }
}
