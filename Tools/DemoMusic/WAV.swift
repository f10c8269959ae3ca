// Writes 16-bit stereo WAV files with title, artist, album and track number in a LIST INFO chunk.

import Foundation

/// Metadata of a file.
struct Tags {
  var title: String
  var artist: String
  var album: String
  var track: Int
}

enum WAV {
  /// Encodes interleaved stereo as a WAV file.
  static func file(_ samples: ArraySlice<Int16>, rate: Int, tags: Tags?) -> Data {
    var body = Data("WAVE".utf8)
    var format = Data()
    format.append(little: UInt16(1))
    format.append(little: UInt16(2))
    format.append(little: UInt32(rate))
    format.append(little: UInt32(rate * 4))
    format.append(little: UInt16(4))
    format.append(little: UInt16(16))
    body.append(chunk: "fmt ", format)
    if let tags {
      var list = Data("INFO".utf8)
      list.append(chunk: "INAM", Data(tags.title.utf8) + [0])
      list.append(chunk: "IART", Data(tags.artist.utf8) + [0])
      list.append(chunk: "IPRD", Data(tags.album.utf8) + [0])
      list.append(chunk: "ITRK", Data(String(tags.track).utf8) + [0])
      body.append(chunk: "LIST", list)
    }
    var data = Data(capacity: samples.count * 2)
    for sample in samples { data.append(little: sample) }
    body.append(chunk: "data", data)
    var file = Data()
    file.append(chunk: "RIFF", body)
    return file
  }
}

extension Data {
  fileprivate mutating func append(little value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }

  fileprivate mutating func append(chunk name: String, _ content: Data) {
    append(contentsOf: name.utf8)
    append(little: UInt32(content.count))
    append(content)
    if content.count % 2 == 1 { append(0) }
  }
}
