// Decompression by zlib (RFC 1950). Pure.

import CZlib

/// Decompresses data in zlib format.
///
/// - Parameters:
///   - bytes: The compressed data.
///   - limit: Maximum size of the result in bytes.
/// - Returns: Nil if the data is damaged, cut, or longer than `limit`.
func inflated(_ bytes: [UInt8], atMost limit: Int) -> [UInt8]? {
  var input = bytes
  var stream = z_stream()
  guard inflateInit_(&stream, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return nil }
  defer { inflateEnd(&stream) }
  var output: [UInt8] = []
  return input.withUnsafeMutableBufferPointer { input -> [UInt8]? in
    stream.next_in = input.baseAddress
    stream.avail_in = uInt(input.count)
    var piece = [UInt8](repeating: 0, count: 16_384)
    while true {
      let room = piece.count
      let result = piece.withUnsafeMutableBufferPointer { piece -> Int32 in
        stream.next_out = piece.baseAddress
        stream.avail_out = uInt(room)
        return inflate(&stream, Z_NO_FLUSH)
      }
      let got = room - Int(stream.avail_out)
      guard result == Z_OK || result == Z_STREAM_END, output.count + got <= limit else { return nil }
      output += piece[..<got]
      if result == Z_STREAM_END { return output }
      guard got > 0 || stream.avail_in > 0 else { return nil }
    }
  }
}
