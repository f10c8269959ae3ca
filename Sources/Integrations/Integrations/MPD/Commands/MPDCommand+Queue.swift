// MPD's commands that list and edit the queue. Entries are addressed by id in the daemon's commands, so that
// concurrent edits cannot hit the wrong entry. Pure.

import Console

extension MPDCommand {
  static let queue: [MPDCommand] = [
    MPDCommand("add", 1...2, needs: .add) { (call, _) throws(MPDRefusal) in
      try add(call.first(), at: call[1], "No such directory") { (_) throws(MPDRefusal) in .done }
    },
    MPDCommand("addid", 1...2, needs: .add) { (call, _) throws(MPDRefusal) in
      try add(call.first(), at: call[1], "No such song", isSong: true) { (fields) throws(MPDRefusal) in
        var lines = MPDLines()
        if let id = fields["id"] { lines.add("Id", id) }
        return .answer(lines)
      }
    },
    MPDCommand("clear") { (_, _) throws(MPDRefusal) in
      .orders([.queue(.edit(.clear))], then: .told(.playlist))
    },
    MPDCommand("delete", 1...1) { (call, _) throws(MPDRefusal) in
      let word = call.first()
      return .change { (facts) throws(MPDRefusal) in
        try remove(try MPDArguments.range(word, count: facts.queue.entries.count))
      }
    },
    MPDCommand("deleteid", 1...1) { (call, _) throws(MPDRefusal) in
      let id = try MPDArguments.count(call.first())
      return .change { (facts) throws(MPDRefusal) in
        let place = try facts.queue.index(of: id)
        return try remove(place..<place + 1)
      }
    },
    MPDCommand("move", 2...2) { (call, _) throws(MPDRefusal) in
      let (from, to) = (call.first(), call.second())
      guard from.utf8.last != 0x3A, from != "-1" else {
        throw MPDRefusal(.argument, "Open-ended range not supported")
      }
      return .change { (facts) throws(MPDRefusal) in
        try move(try MPDArguments.range(from, count: Int(Int32.max)), to: to, facts)
      }
    },
    MPDCommand("moveid", 2...2) { (call, _) throws(MPDRefusal) in
      let (id, to) = (try MPDArguments.count(call.first()), call.second())
      return .change { (facts) throws(MPDRefusal) in
        let place = try facts.queue.index(of: id)
        return try move(place..<place + 1, to: to, facts)
      }
    },
    MPDCommand("swap", 2...2) { (call, _) throws(MPDRefusal) in
      let places = (try MPDArguments.count(call.first()), try MPDArguments.count(call.second()))
      return .change { (facts) throws(MPDRefusal) in try swap(places.0, places.1, facts) }
    },
    MPDCommand("swapid", 2...2) { (call, _) throws(MPDRefusal) in
      let ids = (try MPDArguments.count(call.first()), try MPDArguments.count(call.second()))
      return .change { (facts) throws(MPDRefusal) in
        try swap(try facts.queue.index(of: ids.0), try facts.queue.index(of: ids.1), facts)
      }
    },
    MPDCommand("shuffle", 0...1) { (call, _) throws(MPDRefusal) in
      let word = call[0]
      return .change { (facts) throws(MPDRefusal) in
        let count = facts.queue.entries.count
        let range =
          try word.map { (word) throws(MPDRefusal) in try MPDArguments.range(word, count: count) }
          ?? 0..<count
        guard range.count > 1 else { return MPDQueueChange() }
        let (first, last) = try ends(range)
        return MPDQueueChange(edits: [.mix(from: first, through: last)], isAlwaysTold: true)
      }
    },
    MPDCommand("playlistinfo", 0...1, needs: .read) { (call, session) throws(MPDRefusal) in
      let (word, tags) = (call[0], session.tags)
      return listing { (facts) throws(MPDRefusal) in
        let count = facts.queue.entries.count
        let range =
          try word.map { (word) throws(MPDRefusal) in try MPDArguments.range(word, count: count) }
          ?? 0..<count
        return songs(Array(range), facts, tags)
      }
    },
    MPDCommand("playlistid", 0...1, needs: .read) { (call, session) throws(MPDRefusal) in
      let tags = session.tags
      let id = try call[0].map { (word) throws(MPDRefusal) in try MPDArguments.count(word) }
      return listing { (facts) throws(MPDRefusal) in
        songs(
          try id.map { (id) throws(MPDRefusal) in [try facts.queue.index(of: id)] }
            ?? Array(facts.queue.entries.indices), facts,
          tags)
      }
    },
    MPDCommand("playlist", needs: .read) { (_, _) throws(MPDRefusal) in
      listing { (facts) throws(MPDRefusal) in
        var lines = MPDLines()
        for (i, entry) in facts.queue.entries.enumerated() {
          lines.add("\(i):file", facts.media.name(of: entry.path))
        }
        return lines
      }
    },
    MPDCommand("plchanges", 1...2, needs: .read) { (call, session) throws(MPDRefusal) in
      let (version, window, tags) = (try MPDArguments.count(call.first()), call[1], session.tags)
      return listing { (facts) throws(MPDRefusal) in songs(try changes(facts, version, window), facts, tags) }
    },
    MPDCommand("plchangesposid", 1...2, needs: .read) { (call, _) throws(MPDRefusal) in
      let (version, window) = (try MPDArguments.count(call.first()), call[1])
      return listing { (facts) throws(MPDRefusal) in
        var lines = MPDLines()
        for place in try changes(facts, version, window) {
          lines.add("cpos", place)
          lines.add("Id", facts.queue.entries[place].id)
        }
        return lines
      }
    },
  ]

  private static func listing(
    _ lines: @escaping (MPDFacts) throws(MPDRefusal) -> MPDLines
  ) -> MPDPlan {
    .withSettings { (_) throws(MPDRefusal) in
      .withTags { (facts) throws(MPDRefusal) in .answer(try lines(facts)) }
    }
  }

  private static func songs(_ places: [Int], _ facts: MPDFacts, _ tags: [MPDTag]) -> MPDLines {
    var lines = MPDLines()
    for place in places { lines.add(MPDStatus.song(facts.queue.entries[place], at: place, facts, tags)) }
    return lines
  }

  private static func changes(
    _ facts: MPDFacts, _ version: Int, _ window: String?
  ) throws(MPDRefusal) -> [Int] {
    let places = facts.queue.changes(since: version)
    guard let window else { return places }
    let range = try MPDArguments.range(window, count: facts.queue.entries.count)
    return places.filter { range.contains($0) }
  }

  /// Adds a file, folder or playlist at the end or at a position, which may be relative to the current song.
  private static func add(
    _ name: String, at place: String?, _ text: String, isSong: Bool = false,
    then: @escaping (BoxFields) throws(MPDRefusal) -> MPDPlan
  ) throws(MPDRefusal) -> MPDPlan {
    let path = try asked(name)
    func adding(_ command: QueueCommand) throws(MPDRefusal) -> MPDPlan {
      let plan = MPDPlan.adding(command, text: text, then: then)
      guard isSong else { return plan }
      guard path != ".", title(ofPlaylist: path) == nil else {
        throw name.utf8.first == 0x2F ? .accessDenied : .noSuchSong
      }
      // A name without a song's extension may be a folder.
      guard !MediaPath.isSong(path) else { return plan }
      return .ask(.media(path: path)) { (answer) throws(MPDRefusal) in
        if case .done(_, let rows) = answer, !rows.isEmpty { throw .noSuchSong }
        return plan
      }
    }
    return reachable(path) { () throws(MPDRefusal) in
      guard let place else { return try adding(.add(paths: [path])) }
      return .withQueue { (facts) throws(MPDRefusal) in
        let position = try QueuePosition(
          index: try target(place, moving: nil, facts), orRefuse: .noSuchThing, text)
        return try adding(.insert(position, path: path, part: nil))
      }
    }
  }

  /// Converts a client's name to a path for the daemon. Empty and `/` mean all music.
  static func asked(_ name: String) throws(MPDRefusal) -> String {
    guard CommandLineText.canHold(name) else { throw .noSuchDirectory }
    let path = MediaPath.asked(name)
    return path.utf8.isEmpty || path == "/" ? "." : path
  }

  /// Continues with a path, unless it is absolute and outside the music folders.
  static func reachable(
    _ path: String, then: @escaping () throws(MPDRefusal) -> MPDPlan
  ) -> MPDPlan {
    guard path.utf8.first == 0x2F else { return .withSettings { (_) throws(MPDRefusal) in try then() } }
    return .withSettings { (facts) throws(MPDRefusal) in
      guard facts.media.name(of: path).utf8.first != 0x2F else { throw .accessDenied }
      return try then()
    }
  }

  /// The first and the last position of a range that is not empty.
  static func ends(_ range: Range<Int>) throws(MPDRefusal) -> (first: QueuePosition, last: QueuePosition) {
    (
      try QueuePosition(index: range.lowerBound, orRefuse: .player),
      try QueuePosition(index: range.upperBound - 1, orRefuse: .player)
    )
  }

  private static func remove(_ range: Range<Int>) throws(MPDRefusal) -> MPDQueueChange {
    guard !range.isEmpty else { return MPDQueueChange() }
    let (first, last) = try ends(range)
    return MPDQueueChange(edits: [.remove(.position(first), through: last)])
  }

  private static func move(
    _ range: Range<Int>, to: String, _ facts: MPDFacts
  ) throws(MPDRefusal) -> MPDQueueChange {
    let count = facts.queue.entries.count
    let index = try target(to, moving: range, facts)
    guard !range.isEmpty else {
      // MPD accepts an empty range: it moves nothing, but still checks the positions.
      guard range.lowerBound > 0, range.lowerBound < count, index > 0, index <= count else {
        throw .badSongIndex
      }
      return MPDQueueChange(isAlwaysTold: index != range.lowerBound)
    }
    guard range.upperBound <= count else { throw .badSongIndex }
    guard index != range.lowerBound else { return MPDQueueChange() }
    let (first, last) = try ends(range)
    let position = try QueuePosition(index: index, orRefuse: .player)
    return MPDQueueChange(edits: [.move(.position(first), through: last, to: position)])
  }

  private static func swap(_ one: Int, _ other: Int, _ facts: MPDFacts) throws(MPDRefusal) -> MPDQueueChange {
    let entries = facts.queue.entries
    guard entries.indices.contains(one), entries.indices.contains(other) else { throw .badSongIndex }
    guard one != other else { return MPDQueueChange(isAlwaysTold: true) }
    let positions = (
      try QueuePosition(index: one, orRefuse: .player), try QueuePosition(index: other, orRefuse: .player)
    )
    return MPDQueueChange(edits: [.swap(.position(positions.0), .position(positions.1))])
  }

  /// Parses a position: absolute, or relative to the current song (`+0` is right after it, `-0` right before it).
  static func target(
    _ word: String, moving range: Range<Int>?, _ facts: MPDFacts
  ) throws(MPDRefusal) -> Int {
    let count = facts.queue.entries.count
    let moved = range?.count ?? 0
    // Whether the range is within the queue is checked later.
    let most = moved <= count ? count - moved : MPDArguments.maximum
    guard let sign = word.utf8.first, sign == 0x2B || sign == 0x2D else {
      return try MPDArguments.count(word, most: most)
    }
    let digits = String(decoding: word.utf8.dropFirst(), as: UTF8.self)
    guard let id = facts.current, var current = try? facts.queue.index(of: id) else {
      throw MPDRefusal(.player, "No current song")
    }
    if let range {
      guard !range.contains(current) else {
        throw MPDRefusal(.argument, "Cannot move current song relative to itself")
      }
      if range.upperBound <= current { current -= range.count }
    }
    // As in MPD, the limit is looser when songs are moved; positions outside the queue are refused below.
    let room = range != nil ? count - current - moved : sign == 0x2B ? count - current - 1 : current
    let distance = try MPDArguments.count(digits, most: max(0, room))
    let index = sign == 0x2B ? current + 1 + distance : current - distance
    guard index >= 0, index + moved <= count || range == nil else { throw .badSongIndex }
    return index
  }
}
