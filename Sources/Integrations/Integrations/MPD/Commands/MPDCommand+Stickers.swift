// MPD's sticker command: name/value pairs that clients attach to songs. Pure.

import Console

extension MPDCommand {
  static let stickers: [MPDCommand] = [
    MPDCommand("sticker", 3...6) { (call, _) throws(MPDRefusal) in
      guard call.second() == "song" else { throw MPDRefusal(.argument, "unknown sticker domain") }
      switch (call.first(), call.arguments.count) {
      case ("get", 4):
        let name = call.arguments[3]
        return try stickers(of: call) { (rows) throws(MPDRefusal) in
          guard let row = rows.first(where: { $0["name"] == name }) else { throw noSuchSticker }
          return .answer(lines([row]))
        }
      case ("list", 3): return try stickers(of: call) { .answer(lines($0)) }
      case ("set", 5):
        let (name, value) = (try word(call.arguments[3]), try word(call.arguments[4], canBeEmpty: true))
        return try song(call) { .order(.sticker(.set(path: $0, name: name, value: value)), fault: .system) }
      case ("delete", 3): return try change(call) { .delete(path: $0, name: nil) }
      case ("delete", 4):
        let name = try word(call.arguments[3])
        return try change(call) { .delete(path: $0, name: name) }
      case ("find", 4), ("find", 6): return try find(call)
      default: throw MPDRefusal(.argument, "bad request")
      }
    }
  ]

  private static let noSuchSticker = MPDRefusal(.noSuchThing, "no such sticker")

  /// Checks that a name or value can be passed to the daemon.
  private static func word(_ text: String, canBeEmpty: Bool = false) throws(MPDRefusal) -> String {
    guard canBeEmpty || !text.utf8.isEmpty, CommandLineText.canHold(text) else {
      throw MPDRefusal(.argument, "stickers have no ends of line, and no empty names")
    }
    return text
  }

  /// Continues with the song's name relative to the music folder.
  private static func song(
    _ call: MPDCall, then: @escaping (_ name: String) throws(MPDRefusal) -> MPDPlan
  ) throws(MPDRefusal) -> MPDPlan {
    let path = try asked(call.arguments[2])
    return .withSettings { (facts) throws(MPDRefusal) in
      try then(path == "." ? "" : facts.media.name(of: path))
    }
  }

  private static func stickers(
    of call: MPDCall, then: @escaping ([BoxFields]) throws(MPDRefusal) -> MPDPlan
  ) throws(MPDRefusal) -> MPDPlan {
    try song(call) { .list(.sticker(.list(path: $0)), then: then) }
  }

  private static func change(
    _ call: MPDCall, _ command: @escaping (_ name: String) -> StickerCommand
  ) throws(MPDRefusal) -> MPDPlan {
    try song(call) { .order(.sticker(command($0)), fault: .noSuchThing, text: "no such sticker") }
  }

  private static func lines(_ rows: [BoxFields]) -> MPDLines {
    var lines = MPDLines()
    for row in rows { lines.add("sticker", (row["name"] ?? "") + "=" + (row["value"] ?? "")) }
    return lines
  }

  // MARK: Searching

  private static func find(_ call: MPDCall) throws(MPDRefusal) -> MPDPlan {
    let name = try word(call.arguments[3])
    let condition = call[4].map { (sign: $0, value: call.arguments[5]) }
    if let condition, !["=", "<", ">"].contains(condition.sign) {
      throw MPDRefusal(.argument, "bad operator")
    }
    return try song(call) { folder in found(name, folder, MPDLines(), from: 1, condition) }
  }

  /// Queries matching stickers page by page.
  private static func found(
    _ name: String, _ folder: String, _ lines: MPDLines, from place: Int,
    _ condition: (sign: String, value: String)?
  ) -> MPDPlan {
    .list(.sticker(.find(name: name, folder: folder, from: place))) { (rows) throws(MPDRefusal) in
      guard !rows.isEmpty else { return .answer(lines) }
      var lines = lines
      for row in rows where isMet(row["value"] ?? "", condition) {
        lines.add("file", row["path"] ?? "")
        lines.add("sticker", name + "=" + (row["value"] ?? ""))
      }
      return found(name, folder, lines, from: place + rows.count, condition)
    }
  }

  /// Compares as strings, as MPD 0.23 does.
  private static func isMet(_ value: String, _ condition: (sign: String, value: String)?) -> Bool {
    switch condition?.sign {
    case "=": value == condition?.value
    case "<": value.utf8.lexicographicallyPrecedes((condition?.value ?? "").utf8)
    case ">": (condition?.value ?? "").utf8.lexicographicallyPrecedes(value.utf8)
    default: true
    }
  }
}
