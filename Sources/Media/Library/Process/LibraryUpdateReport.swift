// The result of an update process, encoded as bytes. Any thread.

import Platform

/// Result of an update process.
package enum LibraryUpdateReport: HelperAnswer, Hashable {
  case done(LibraryUpdateSummary)
  /// An error, as the end of a sentence.
  case fault(String)

  package var bytes: [UInt8] {
    var writer = FieldWriter()
    switch self {
    case .done(let summary):
      writer.put("done")
      for number in [summary.tracks, summary.read, summary.removed, summary.faults] {
        writer.put(String(number))
      }
      writer.put(summary.note)
    case .fault(let sentence):
      writer.put("fault")
      writer.put(sentence)
    }
    writer.put("end")
    return writer.bytes
  }

  /// Decodes a report after any progress bytes; nil if it is invalid or truncated.
  package init?(_ bytes: [UInt8]) {
    var reader = FieldReader(Array(bytes.drop { $0 == 0 }))
    switch reader.next() {
    case "done":
      var numbers: [Int] = []
      while numbers.count < 4, let number = reader.next().flatMap({ Int($0) }) { numbers.append(number) }
      guard numbers.count == 4, let note = reader.next() else { return nil }
      self = .done(
        LibraryUpdateSummary(
          tracks: numbers[0], read: numbers[1], removed: numbers[2], faults: numbers[3], note: note))
    case "fault":
      guard let sentence = reader.next() else { return nil }
      self = .fault(sentence)
    default: return nil
    }
    guard reader.left == 1, reader.next() == "end" else { return nil }
  }
}
