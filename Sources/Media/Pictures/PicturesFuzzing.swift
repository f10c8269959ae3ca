// An entry for a coverage-guided fuzzer. Not used by a box.

/// Feeds arbitrary bytes to what looks for pictures, and to what reads the answers of picture processes.
package enum PicturesFuzzing {
  /// Looks for the picture of a file with these bytes.
  package static func picture(_ bytes: [UInt8]) {
    if let answer = PictureAnswer(bytes) {
      precondition(PictureAnswer(answer.bytes) == answer, "an answer is read as it was written")
    }
    let input = PictureInput(.memory(bytes), length: Int64(bytes.count))
    guard let found = try? EmbeddedPicture.find(in: input) else { return }
    precondition(!found.isEmpty && found.count <= bytes.count, "a picture is a part of its file")
  }
}
