// MPD's commands for cover art (albumart, readpicture), which clients fetch in chunks. Pure.

import Console
import Platform

extension MPDCommand {
  static let pictures: [MPDCommand] = [
    MPDCommand("albumart", 2...2, needs: .read) { (call, session) throws(MPDRefusal) in
      try picture(call, .folder, "No file exists", min(session.binaryLimit, MPDSession.maxBinaryBytes)) {
        picture throws(MPDRefusal) in
        guard let picture else { throw MPDRefusal(.noSuchThing, "No file exists") }
        return .answer(picture.lines(withType: false))
      }
    },
    MPDCommand("readpicture", 2...2, needs: .read) { (call, session) throws(MPDRefusal) in
      try picture(call, .track, "No such song", min(session.binaryLimit, MPDSession.maxBinaryBytes)) {
        picture throws(MPDRefusal) in
        .answer(picture?.lines(withType: true) ?? MPDLines())
      }
    },
  ]

  /// A chunk of a picture.
  private struct Piece {
    let size: Int
    let type: String?
    var bytes: [UInt8] = []

    func lines(withType: Bool) -> MPDLines {
      var lines = MPDLines()
      lines.add("size", size)
      if withType, let type { lines.add("type", type) }
      lines.add(binary: bytes)
      return lines
    }
  }

  private static func picture(
    _ call: MPDCall, _ place: PictureCommand.Place, _ text: String, _ limit: Int,
    then: @escaping (Piece?) throws(MPDRefusal) -> MPDPlan
  ) throws(MPDRefusal) -> MPDPlan {
    let path = try asked(call.first())
    let offset = try MPDArguments.count(call.second())
    return more(of: path, place, text, offset..<offset + limit, nil, then)
  }

  /// Queries the daemon until the requested range is complete or the picture ends, since the length of each answer is
  /// limited.
  private static func more(
    of path: String, _ place: PictureCommand.Place, _ text: String, _ wanted: Range<Int>, _ found: Piece?,
    _ then: @escaping (Piece?) throws(MPDRefusal) -> MPDPlan
  ) -> MPDPlan {
    let start = wanted.lowerBound + (found?.bytes.count ?? 0)
    let command = PictureCommand(path: path, place: place, bytes: start..<max(start, wanted.upperBound))
    return .ask(.picture(command)) { (answer) throws(MPDRefusal) in
      switch answer {
      case .refused(let sentence), .outdated(let sentence): throw .box(sentence, .noSuchThing, text)
      case .gone: throw .gone
      case .done(let fields, let rows):
        guard let size = fields.integer("size") else { return try then(nil) }
        guard wanted.lowerBound <= size else {
          throw MPDRefusal(.argument, place == .folder ? "Offset too large" : "Bad file offset")
        }
        var piece = found ?? Piece(size: size, type: fields["type"])
        // The picture was replaced while it was being fetched.
        guard piece.size == size else {
          throw MPDRefusal(.system, "the picture has changed; ask for it again")
        }
        for row in rows { piece.bytes += row["data"].flatMap { Base64.bytes($0.utf8) } ?? [] }
        let isComplete = rows.isEmpty || wanted.lowerBound + piece.bytes.count >= min(size, wanted.upperBound)
        return isComplete ? try then(piece) : more(of: path, place, text, wanted, piece, then)
      }
    }
  }
}
