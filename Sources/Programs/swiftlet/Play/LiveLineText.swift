// Layout of the status line of `swiftlet play`: omits parts to fit the terminal's width, the title last. Pure
// functions.

import Platform

/// The parts of the status line.
struct LiveLineText {
  /// State of the player as text.
  var status: String
  var title = ""
  var artist = ""
  /// State of a stream without data; empty while data arrives.
  var trouble = ""
  /// Title of the incoming track of a fade; empty without a fade.
  var next = ""
  /// Position and length, formatted as clock times.
  var time: String
  /// Progress through the track, 0 to 1.
  var progress: Double
  var volume: String
  /// Length of fades and name of the curve; empty if tracks are joined without a fade.
  var fade = ""
  var curve = ""
  var underruns: String

  private static let barColumns = 20

  /// The line, shorter than `columns`, because terminals wrap after the last column.
  func line(columns: Int) -> String {
    let room = columns - 1
    for dropped in 0...7 {
      let (left, right) = (left(without: dropped), right(without: dropped))
      if left.columns + right.columns <= room { return left + right }
      // The title itself is shortened rather than omitted.
      if dropped == 7 {
        let rest = room - right.columns
        return rest >= 8 ? left.cut(toColumns: rest) + right : (left + right).cut(toColumns: room)
      }
    }
    return ""
  }

  /// Parts are omitted in this order: underruns, curve, bar, fade, artist, volume, status.
  private func left(without dropped: Int) -> String {
    var name = title
    if !artist.utf8.isEmpty, dropped < 5 { name = artist + " – " + title }
    if !next.utf8.isEmpty, dropped < 5 { name += " → " + next }
    let status = trouble.utf8.isEmpty ? self.status : self.status + ", " + trouble
    if name.utf8.isEmpty { return status }
    return dropped < 7 ? status + "  " + name : name
  }

  private func right(without dropped: Int) -> String {
    var text = dropped < 3 ? " " + bar : ""
    text += " " + time
    if dropped < 6 { text += "  vol " + volume }
    if !fade.utf8.isEmpty, dropped < 4 { text += "  fade " + fade + (dropped < 2 ? " " + curve : "") }
    if dropped < 1 { text += "  xruns " + underruns }
    return text
  }

  private var bar: String {
    let done = Int(progress * Double(Self.barColumns))
    return String(repeating: "━", count: done) + String(repeating: "─", count: Self.barColumns - done)
  }
}
