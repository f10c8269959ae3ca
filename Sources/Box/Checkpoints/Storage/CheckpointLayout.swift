// The layout of a checkpoint file. A pure value.

import PlaybackModel

/// The layout of a checkpoint file: one page for the header, six pages of slots, two of notes, and two areas
/// for queues.
///
/// Each slot has its own sector. Successive slots are in different 4 KiB pages, because the kernel writes and
/// flash programs whole pages: a page damaged by a power loss contains only one of the last six slots, and no
/// notes. Successive notes are in different pages for the same reason. Version 0.1 had slots in the pages for
/// notes.
package struct CheckpointLayout: Hashable, Sendable {
  /// The largest queue area, in bytes.
  package static let maxArea = 64 << 20
  static let pageBytes = 4096
  static let slotPages = 6
  static let notePages = 2
  /// The distance between notes in bytes, chosen so that no note crosses a sector boundary.
  static let notePitch = 32
  static let notesInPage = pageBytes / notePitch
  static let noteCount = notePages * notesInPage
  static let slotsInPage = pageBytes / CheckpointSlot.byteCount
  static let slotCount = slotPages * slotsInPage
  static let areaCount = 2
  static let headerBytes = pageBytes

  /// Bytes of one queue area; there are two.
  package let areaBytes: Int

  /// Creates a layout.
  ///
  /// - Parameter areaBytes: The least bytes of a queue area, rounded up to whole pages. 2 MiB hold 10 000
  ///   entries with 200 bytes each that they do not share with the previous entry; real libraries need 60 to
  ///   100.
  package init(areaBytes: Int = 2 << 20) {
    let wanted = min(max(areaBytes, Self.pageBytes), Self.maxArea)
    self.areaBytes = (wanted + Self.pageBytes - 1) / Self.pageBytes * Self.pageBytes
  }

  /// The size of the file.
  package var fileBytes: Int { area(Self.areaCount) }

  /// The offset of a slot.
  func slot(_ number: Int) -> Int {
    let page = number % Self.slotPages
    let place = number / Self.slotPages % Self.slotsInPage
    return self.page(page) + place * CheckpointSlot.byteCount
  }

  /// The offset of a page: slots first, then notes.
  func page(_ number: Int) -> Int { Self.headerBytes + number * Self.pageBytes }

  /// The offset of a note.
  func note(_ number: Int) -> Int {
    page(Self.slotPages + number % Self.notePages) + number / Self.notePages % Self.notesInPage
      * Self.notePitch
  }

  /// The offset of a queue area.
  func area(_ number: Int) -> Int { page(Self.slotPages + Self.notePages) + number * areaBytes }

  // The header is written once. A file without a valid one is read with the standard layout.

  private static let magic: [UInt8] = Array("Swiftlet checkpoints\n".utf8)

  /// The encoded header: a line of text, zeros up to byte 32, version, area size, zeros, CRC-64.
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

  /// Decodes a header; nil if it is invalid.
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
