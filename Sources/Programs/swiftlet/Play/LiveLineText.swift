// What the live line says in how many columns: the less room, the fewer its parts, the title to the last. Pure.

import Platform

/// The parts of the live line.
struct LiveLineText {
  /// What the player does, in words.
  var status: String
  var title = ""
  var artist = ""
  /// What the stream waits for; empty where it comes.
  var trouble = ""
  /// The track that is faded to.
  var next = ""
  /// Position and length as clocks.
  var time: String
  /// How far it is, 0 to 1.
  var progress: Double
  var volume: String
  /// The length of fades and their curve; empty where tracks are joined.
  var fade = ""
  var curve = ""
  var underruns: String

  private static let barColumns = 20

  /// The line in fewer than `columns` columns: terminals wrap after the last.
  func line(columns: Int) -> String {
    let room = columns - 1
    for dropped in 0...7 {
      let (left, right) = (left(without: dropped), right(without: dropped))
      if left.columns + right.columns <= room { return left + right }
      // The last title is cut, not dropped.
      if dropped == 7 {
        let rest = room - right.columns
        return rest >= 8 ? left.cut(toColumns: rest) + right : (left + right).cut(toColumns: room)
      }
    }
    return ""
  }

  /// What goes, in this order: underruns, curve, bar, fade, artist, volume, the status.
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
