// Entry point for a coverage-guided fuzzer. Not used in production.

/// Feeds arbitrary bytes to the picture search and to the parser of picture processes' answers.
package enum PicturesFuzzing {
  /// Searches a file with these bytes for a picture.
  package static func picture(_ bytes: [UInt8]) {
    if let answer = PictureAnswer(bytes) {
      precondition(PictureAnswer(answer.bytes) == answer, "an answer is read as it was written")
    }
    let input = PictureInput(.memory(bytes), length: Int64(bytes.count))
    guard let found = try? EmbeddedPicture.find(in: input) else { return }
    precondition(!found.isEmpty && found.count <= bytes.count, "a picture is a part of its file")
  }
}
