// The text file with the time for which music was played today. Pure; control thread.

import PlaybackModel

extension HeardTime: KeptContents {
  package static var noun: String { "time heard" }
  /// The most bytes of a file.
  package static var maxFileBytes: Int { 256 }

  /// Creates a record that is earlier than any day.
  package init() { self.init(day: Int(Int32.min)) }

  /// The file's contents: a comment and one line.
  package var text: [UInt8] {
    Array(
      "# Swiftlet: days since 1970, seconds of music that were heard on that day.\n\(day) \(seconds)\n".utf8)
  }

  package mutating func take(line: ArraySlice<UInt8>) -> Bool {
    let words = line.split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
    guard words.count == 2, let day = Int32(words[0]), let seconds = Int32(words[1]), seconds >= 0 else {
      return false
    }
    self = HeardTime(day: Int(day), seconds: Int(seconds))
    return true
  }
}
