// Commands that name files, folders and playlists: the storage is asked on another thread, and whoever gave the
// command is answered when it has answered. Control thread.

import Console
import Decoding
import Media
import PlaybackModel
import Platform
import Player

/// What the storage holds under the names of a command.
private enum Finding: Sendable {
  case tracks([Track])
  case refused(ConsoleError)
}

extension Box {
  func perform(_ command: Command, then answer: @escaping (Reply) -> Void) {
    switch command {
    case .play(let name?):
      find([name], answer) { [unowned(unsafe) self] in play($0) }
    case .queue(.add(let names)):
      find(names, answer) { [unowned(unsafe) self] in add($0) }
    case .queue(.insert(let position, let name)):
      find([name], answer) { [unowned(unsafe) self] in insert($0, at: position) }
    case .media(let name?):
      list(name, answer)
    default:
      answer(perform(command))
    }
  }

  /// As `perform(_:then:)`, for those who do not wait: what goes wrong later is logged.
  func performLater(_ command: Command) -> Reply {
    perform(command) { [unowned(unsafe) self] reply in
      if case .error(let error) = reply { log.write(.warning, error.sentence) }
    }
    return .ok("looking for it")
  }

  private func find(
    _ names: [String], _ answer: @escaping (Reply) -> Void, use: @escaping ([Track]) -> Reply
  ) {
    let (media, roots) = (machine.media, roots)
    reader.read({ Self.find(names, in: media, within: roots) }) {
      [unowned(unsafe) self] (finding: Finding?) in
      switch finding {
      case .tracks(let tracks)?: answer(isOverloaded ?? use(tracks))
      case .refused(let error)?: answer(.error(error))
      case nil: answer(Self.tooSlow)
      }
    }
  }

  private static var tooSlow: Reply {
    .failed("the storage does not answer; try again, or look whether the stick is well seated")
  }

  /// Waits for the storage.
  private static func find(
    _ names: [String], in media: any MediaLookup, within roots: MediaRoots
  ) -> Finding {
    var tracks: [Track] = []
    for name in names {
      guard let path = media.locate(name, within: roots) else { return .refused(notFound(name, roots)) }
      do throws(PlaybackError) {
        let found = try media.expand(path, within: roots)
        guard !found.isEmpty else {
          throw PlaybackError(.missing, path: path, detail: "it holds nothing that can be played")
        }
        tracks += found
      } catch {
        return .refused(ConsoleError(.failed, error.sentence + " " + error.remedy))
      }
    }
    return .tracks(tracks)
  }

  private static func notFound(_ name: String, _ roots: MediaRoots) -> ConsoleError {
    var folders = ""
    for (i, folder) in roots.folders.enumerated() { folders += (i > 0 ? " or " : "") + folder }
    return ConsoleError(.failed, "there is no '\(name)' in \(folders); 'media' lists what there is")
  }

  private func list(_ name: String, _ answer: @escaping (Reply) -> Void) {
    let (media, roots) = (machine.media, roots)
    reader.read({ Self.entries(of: name, in: media, within: roots) }) { (reply: Reply?) in
      answer(reply ?? Self.tooSlow)
    }
  }

  /// Waits for the storage.
  private static func entries(
    of name: String, in media: any MediaLookup, within roots: MediaRoots
  ) -> Reply {
    guard let folder = media.locate(name, within: roots) else { return .error(notFound(name, roots)) }
    do throws(SystemError) {
      let entries = try media.entries(of: folder).filter {
        $0.isDirectory || MediaList.isPlayable($0.name)
      }
      .sorted { NaturalOrder.isBefore($0.name, $1.name) }
      return .ok(
        Answer(
          "\(entries.count) entries",
          rows: entries.map { entry in
            Row(
              entry.name + (entry.isDirectory ? "/" : ""),
              [Field("name", entry.name), Field("folder", entry.isDirectory)])
          }))
    } catch {
      return .failed(error.description)
    }
  }

  // MARK: What is done with the tracks

  private func play(_ tracks: [Track]) -> Reply {
    do throws(ConsoleError) {
      player.queue.clear()
      try put(tracks, at: 0)
      guard let first = player.queue.advance() else { return .failed("there is nothing to play") }
      player.handle(.skip(to: first))
      player.handle(.play)
      checkpoints?.noteQueue()
      return .ok("\(tracks.count) \(tracks.count == 1 ? "track" : "tracks"): \(first.displayName)")
    } catch {
      return .error(error)
    }
  }

  private func add(_ tracks: [Track]) -> Reply {
    changeQueue { () throws(ConsoleError) in
      try put(tracks, at: player.queue.count)
      player.cueIfIdle()
      return .ok("\(tracks.count) added, \(player.queue.count) in all")
    }
  }

  private func insert(_ tracks: [Track], at position: QueuePosition?) -> Reply {
    changeQueue { () throws(ConsoleError) in
      let place =
        try position.map { (place) throws(ConsoleError) in try index(place, orEnd: true) }
        ?? player.queue.currentIndex.map { $0 + 1 } ?? player.queue.count
      try put(tracks, at: place)
      player.cueIfIdle()
      return .ok("\(player.queue.count) in all")
    }
  }

  private func put(_ tracks: [Track], at index: Int) throws(ConsoleError) {
    do throws(QueueError) {
      for (i, track) in tracks.enumerated() { try player.queue.insert(track, at: index + i) }
    } catch {
      throw ConsoleError(.failed, error.sentence)
    }
  }
}
