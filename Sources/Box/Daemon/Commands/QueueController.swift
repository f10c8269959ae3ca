// Queue commands: add, insert, remove, move, shuffle and so on. Control thread.

import Console
import Library
import PlaybackModel
import Platform
import Player
import SwiftletEngine

/// Lists and changes the queue of the current player.
final class QueueController {
  private let configuration: ConfigurationStore
  private let outputs: OutputController
  private let places: TagPlaces
  let library: LibraryController
  let scheduler: any Scheduler

  init(
    _ configuration: ConfigurationStore, _ outputs: OutputController, _ places: TagPlaces,
    _ library: LibraryController, _ scheduler: any Scheduler
  ) {
    self.configuration = configuration
    self.outputs = outputs
    self.places = places
    self.library = library
    self.scheduler = scheduler
  }

  var player: Player { outputs.player }

  /// Carries out a queue command that needs no storage.
  ///
  /// - Parameters:
  ///   - command: The command.
  ///   - skip: Starts playing a queue entry, for `jump`.
  /// - Returns: The reply.
  func perform(_ command: QueueCommand, skip: (Track) -> Reply) -> Reply {
    if case .list(let from, let count) = command {
      return list(from: from?.index ?? 0, count: count ?? Answer.pageRows)
    }
    return changing { () throws(ConsoleError) in try change(command, skip) }
  }

  /// Runs a change of the queue and posts the queue event.
  private func changing(_ change: () throws(ConsoleError) -> Reply) -> Reply {
    do throws(ConsoleError) {
      let reply = try change()
      outputs.noteQueue()
      return reply
    } catch {
      return .error(error)
    }
  }

  private func change(_ command: QueueCommand, _ skip: (Track) -> Reply) throws(ConsoleError) -> Reply {
    switch command {
    case .list, .add, .insert: preconditionFailure("these change nothing, or need the storage")
    case .edit(let edit): return .ok(try Self.carryOut(edit, on: &player.queue))
    case .edits(let edits, let version):
      guard player.queue.revision == version else {
        throw ConsoleError(
          .outdated, "the queue has changed since version \(version); 'status' has the present one")
      }
      // All or none: a change that is not possible leaves the queue as it was.
      var changed = player.queue
      for edit in edits { _ = try Self.carryOut(edit, on: &changed) }
      player.queue = changed
      return .ok("\(edits.count) \(edits.count == 1 ? "change" : "changes"), \(changed.count) entries")
    // Shuffle and repeat are also settings, so that `save` stores them.
    case .shuffle(let isOn):
      player.queue.shuffle(isOn)
      try set(.queueShuffle, isOn ? "on" : "off")
      return .ok(isOn ? "shuffled" : "in order")
    case .repeat(let mode):
      player.queue.repeatMode = mode
      try set(.queueRepeat, mode.name)
      return .ok("repeats \(mode.name)")
    case .jump(let place):
      let track = try track(place)
      try attempt { (queue) throws(QueueError) in _ = try queue.select(track.id) }
      return skip(track)
    case .cue(let place, let time):
      let track = try track(place)
      try attempt { (queue) throws(QueueError) in _ = try queue.select(track.id) }
      return player.cue(track, at: time ?? .zero)
    }
  }

  private func set(_ setting: Setting, _ word: String) throws(ConsoleError) {
    try configuration.set(setting) { (settings) throws(ConsoleError) in try settings.set(setting.key, word) }
  }

  private func attempt(_ change: (inout PlayQueue) throws(QueueError) -> Void) throws(ConsoleError) {
    do throws(QueueError) {
      try change(&player.queue)
    } catch {
      throw ConsoleError(.failed, error.sentence)
    }
  }

  private func track(_ place: QueuePlace) throws(ConsoleError) -> Track {
    player.queue.tracks[try player.queue.index(of: place)]
  }

  // MARK: Adding tracks

  /// Replaces the queue with tracks and plays them.
  ///
  /// - Parameters:
  ///   - tracks: The new queue; tracks beyond the queue's capacity are dropped.
  ///   - beginning: Where to start, if that is in one of the tracks; nil: at the first one.
  /// - Returns: The reply to the user.
  func play(_ tracks: [Track], from beginning: TagPlaces.Beginning? = nil) -> Reply {
    changing { () throws(ConsoleError) in
      let taken = tracks.prefix(PlayQueue.limit)
      guard !taken.isEmpty else { return .failed("there is nothing to play") }
      // The place in a former tag's music is kept before that music leaves the queue.
      places.leave()
      places.begin(at: beginning)
      var first: Track?
      do throws(QueueError) {
        _ = try player.playInstead { (queue) throws(QueueError) in
          try queue.add(Array(taken))
          first = Self.begin(&queue, at: beginning)
          return first
        }
      } catch {
        throw ConsoleError(.failed, error.sentence)
      }
      return .ok(
        "\(taken.count) \(taken.count == 1 ? "track" : "tracks"): \(first?.displayName ?? "")"
          + said(tracks.count - taken.count))
    }
  }

  /// Makes the track at `beginning` the current one, or else the first.
  private static func begin(_ queue: inout PlayQueue, at beginning: TagPlaces.Beginning?) -> Track? {
    if case .place(let place)? = beginning, let track = queue.tracks.first(where: { place.isIn($0) }) {
      do throws(QueueError) { return try queue.select(track.id) } catch {}
    }
    return queue.pass()
  }

  /// Appends tracks to the queue.
  func add(_ tracks: [Track]) -> Reply {
    changing { () throws(ConsoleError) in
      let leftOut = try put(tracks, at: player.queue.count)
      player.cueIfIdle()
      return .ok(
        Answer(
          "\(tracks.count - leftOut) added, \(player.queue.count) in all" + said(leftOut),
          fields: ids(tracks.count - leftOut, at: player.queue.count - (tracks.count - leftOut))
            + Self.leftOut(leftOut)))
    }
  }

  /// Inserts tracks into the queue.
  ///
  /// - Parameters:
  ///   - found: The tracks.
  ///   - part: Which of them to insert; nil: all.
  ///   - position: Position of the first one; nil: after the current entry.
  func insert(_ found: [Track], _ part: TrackRange?, at position: QueuePosition?) -> Reply {
    changing { () throws(ConsoleError) in
      let tracks = try part.map { (part) throws(ConsoleError) in try Self.tracks(part, of: found) } ?? found
      let place =
        try position.map { (place) throws(ConsoleError) in try player.queue.index(place, orEnd: true) }
        ?? player.queue.currentIndex.map { $0 + 1 } ?? player.queue.count
      let leftOut = try put(tracks, at: place)
      player.cueIfIdle()
      return .ok(
        Answer(
          "\(player.queue.count) in all" + said(leftOut),
          fields: ids(tracks.count - leftOut, at: place) + Self.leftOut(leftOut)))
    }
  }

  private static func tracks(_ part: TrackRange, of found: [Track]) throws(ConsoleError) -> [Track] {
    guard let range = part.indices(of: found.count) else {
      throw ConsoleError(
        .failed, "there is no track \(part.first.number): there are \(found.count)")
    }
    return Array(found[range])
  }

  /// Number of tracks that did not fit, as a field for programs.
  private static func leftOut(_ count: Int) -> [Field] { count > 0 ? [Field("left-out", count)] : [] }

  /// First id and number of inserted entries, as fields for programs.
  private func ids(_ count: Int, at place: Int) -> [Field] {
    guard count > 0, place < player.queue.count else { return [] }
    return [Field("id", Int(clamping: player.queue.tracks[place].id)), Field("added", count)]
  }

  /// Inserts as many tracks as the queue has room for.
  ///
  /// - Returns: The number of tracks left out.
  /// - Throws: `ConsoleError` if the queue is full.
  private func put(_ tracks: [Track], at index: Int) throws(ConsoleError) -> Int {
    let room = max(0, PlayQueue.limit - player.queue.count)
    let taken = tracks.prefix(max(1, room))
    do throws(QueueError) {
      try player.queue.insert(Array(taken), at: index)
    } catch {
      throw ConsoleError(.failed, error.sentence)
    }
    return tracks.count - taken.count
  }

  private func said(_ leftOut: Int) -> String {
    leftOut > 0 ? "; the queue is full, \(leftOut) left out" : ""
  }
}

// MARK: Changes of the entries

extension QueueController {
  /// Carries out a change.
  ///
  /// - Returns: The text of the reply.
  /// - Throws: `failed` or `badValue` for a position that does not exist; the queue is unchanged then.
  fileprivate static func carryOut(_ edit: QueueEdit, on queue: inout PlayQueue) throws(ConsoleError)
    -> String
  {
    switch edit {
    case .remove(let place, through: nil):
      let index = try queue.index(of: place)
      let name = queue.tracks[index].displayName
      queue.remove(index..<index + 1)
      return "removed " + name
    case .remove(let place, let last?):
      let range = try queue.range(from: try queue.index(of: place), through: last)
      queue.remove(range)
      return "removed \(range.count), \(queue.count) left"
    case .move(let place, let last, let to):
      let first = try queue.index(of: place)
      let range = try last.map { (last) throws(ConsoleError) in try queue.range(from: first, through: last) }
      let target = try queue.index(to)
      guard let range else {
        let name = queue.tracks[first].displayName
        queue.move(first..<first + 1, to: target)
        return "moved " + name
      }
      guard target <= queue.count - range.count else {
        throw ConsoleError(
          .badValue, "\(range.count) entries begin at position \(queue.count - range.count + 1) at the latest"
        )
      }
      queue.move(range, to: target)
      return "moved \(range.count)"
    case .swap(let one, let other):
      queue.swapAt(try queue.index(of: one), try queue.index(of: other))
      return "swapped"
    case .clear:
      queue.clear()
      return "the queue is empty"
    case .clearUpcoming:
      queue.removeUpcoming()
      return "\(queue.count) left"
    case .mix(let first, let last):
      guard !queue.isEmpty else { return "the queue is empty" }
      let start = try first.map { (first) throws(ConsoleError) in try queue.index(first) } ?? 0
      queue.mix(try queue.range(from: start, through: last))
      return "mixed"
    case .prioritize(let place, let last, let priority):
      let first = try queue.index(of: place)
      let range = try last.map { (last) throws(ConsoleError) in try queue.range(from: first, through: last) }
      queue.prioritize(range ?? first..<first + 1, priority)
      return queue.isShuffled ? "priority \(priority)" : "priority \(priority), for a shuffle"
    }
  }
}

extension PlayQueue {
  fileprivate func index(of place: QueuePlace) throws(ConsoleError) -> Int {
    switch place {
    case .position(let position): return try index(position)
    case .id(let id):
      guard let index = tracks.firstIndex(where: { $0.id == id }) else {
        throw ConsoleError(.failed, QueueError.noSuchEntry(id).sentence)
      }
      return index
    }
  }

  /// Index range between two entries, both included.
  ///
  /// - Parameter last: Last entry; nil: the end of the queue.
  fileprivate func range(from first: Int, through last: QueuePosition?) throws(ConsoleError) -> Range<Int> {
    let end = try last.map { (last) throws(ConsoleError) in try index(last) } ?? count - 1
    guard first <= end else {
      throw ConsoleError(
        .badValue, "the last position, \(end + 1), comes before the first, \(first + 1)")
    }
    return first..<end + 1
  }

  fileprivate func index(_ position: QueuePosition, orEnd: Bool = false) throws(ConsoleError) -> Int {
    guard position.index < count || (orEnd && position.index == count) else {
      throw ConsoleError(.failed, QueueError.noSuchPosition(position.number, count: count).sentence)
    }
    return position.index
  }
}
