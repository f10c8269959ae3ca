// Where everything is in a checkpoint file. A pure value.

import PlaybackModel

/// The layout of a checkpoint file: a page of header, six pages of slots, two of notes, two areas for queues.
///
/// A slot has one sector. Successive slots lie in different pages of 4 KiB, because the kernel writes, and
/// flash programs, whole pages: one that is spoilt by a loss of power takes no other of the last six slots along, and no note.
/// Successive notes lie in different pages for the same reason. Version 0.1 had no notes, and slots in their pages.
package struct CheckpointLayout: Hashable, Sendable {
  /// The largest area there can be.
  package static let maxArea = 64 << 20
  static let pageBytes = 4096
  static let slotPages = 6
  static let notePages = 2
  /// Notes begin so far apart that none lies in two sectors.
  static let notePitch = 32
  static let notesInPage = pageBytes / notePitch
  static let noteCount = notePages * notesInPage
  static let slotsInPage = pageBytes / CheckpointSlot.byteCount
  static let slotCount = slotPages * slotsInPage
  static let areaCount = 2
  static let headerBytes = pageBytes

  /// Bytes for one queue; there is room for two.
  package let areaBytes: Int

  /// A layout with areas of at least that many bytes, in whole pages. 2 MiB hold 10 000 entries whose paths
  /// and tags add 200 bytes each to what they share with the entry before; real libraries need 60 to 100.
  package init(areaBytes: Int = 2 << 20) {
    let wanted = min(max(areaBytes, Self.pageBytes), Self.maxArea)
    self.areaBytes = (wanted + Self.pageBytes - 1) / Self.pageBytes * Self.pageBytes
  }

  /// The size of the file.
  package var fileBytes: Int { area(Self.areaCount) }

  /// Where the slot with a number begins.
  func slot(_ number: Int) -> Int {
    let page = number % Self.slotPages
    let place = number / Self.slotPages % Self.slotsInPage
    return self.page(page) + place * CheckpointSlot.byteCount
  }

  /// Where a page of slots begins, and behind those a page of notes.
  func page(_ number: Int) -> Int { Self.headerBytes + number * Self.pageBytes }

  /// Where the note with a number begins.
  func note(_ number: Int) -> Int {
    page(Self.slotPages + number % Self.notePages) + number / Self.notePages % Self.notesInPage
      * Self.notePitch
  }

  /// Where an area begins.
  func area(_ number: Int) -> Int { page(Self.slotPages + Self.notePages) + number * areaBytes }

  // The header. It is written once; a file without it is still understood if it has the standard layout.

  private static let magic: [UInt8] = Array("Swiftlet checkpoints\n".utf8)

  /// The written form of the header: a line of text, zeros to 32, version, area size, zeros, CRC-64.
  var header: [UInt8] {
    var writer = ByteWriter()
    writer.raw(Self.magic)
    writer.pad(to: 32)
    writer.number(UInt64(1), 8)
    writer.number(areaBytes, 8)
    writer.pad(to: CheckpointSlot.byteCount - 8)
    writer.number(Checksum.of(writer.bytes), 8)
    return writer.bytes
  }

  /// Reads a header; nil if it is none.
  init?(header bytes: [UInt8]) {
    guard bytes.count == CheckpointSlot.byteCount, bytes.starts(with: Self.magic) else { return nil }
    var reader = ByteReader(bytes, from: 32)
    var trailer = ByteReader(bytes, from: CheckpointSlot.byteCount - 8)
    guard let version = try? reader.number(8), version == 1, let areaBytes = try? reader.integer(8),
      let checksum = try? trailer.number(8),
      checksum == Checksum.of(bytes[..<(CheckpointSlot.byteCount - 8)]),
      areaBytes >= Self.pageBytes, areaBytes <= Self.maxArea, areaBytes % Self.pageBytes == 0
    else { return nil }
    self.areaBytes = areaBytes
  }
}
