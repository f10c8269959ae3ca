// A table of numbers in an MP4 box, read through a small window, because tables of long files take megabytes.
// Worker process only.

import CodecSupport
import MediaFormats

/// Rows of fixed width, after a box's version, flags and other fields.
struct BoxTable {
  private let reader: BoxReader
  private let start: Int64
  private let width: Int
  let count: Int64
  private var window: [UInt8] = []
  private var windowStart: Int64 = 0
  private static let windowRows: Int64 = 512

  /// Opens a table. The whole table must be inside the box.
  ///
  /// - Parameters:
  ///   - reader: Reads the file.
  ///   - box: The table's box.
  ///   - width: Size of a row in bytes.
  ///   - countOffset: Offset of the number of rows in the box's content; the rows follow it.
  init(
    _ reader: BoxReader, _ box: MP4Box, width: Int, countOffset: Int = 4
  ) throws(CodecFailure) {
    let head = try reader.fields(box, countOffset + 4)
    self.reader = reader
    self.width = width
    start = box.start + Int64(countOffset) + 4
    count = Int64(BoxReader.big(head, countOffset, 4))
    guard count * Int64(width) <= box.end - start else { throw reader.broken(at: box.offset) }
  }

  /// Reads a big-endian number of `bytes` bytes at a byte column of a row.
  mutating func number(_ row: Int64, column: Int = 0, bytes: Int = 4) throws(CodecFailure) -> Int64 {
    guard row >= 0, row < count else { throw reader.broken(at: start) }
    var place = row - windowStart
    if place < 0 || place >= Int64(window.count / width) {
      let rows = min(Self.windowRows, count - row)
      window = try reader.bytes(at: start + row * Int64(width), count: Int(rows) * width)
      guard window.count == Int(rows) * width else { throw reader.broken(at: start) }
      (windowStart, place) = (row, 0)
    }
    return Int64(clamping: BoxReader.big(window, Int(place) * width + column, bytes))
  }
}
