// Names of media: the storage is asked elsewhere, each root by itself, and whoever asks is answered when it has answered, or is
// given up. Control thread, but for what says that it waits for the storage.

import Console
import Decoding
import Media
import PlaybackModel
import Platform
import Player

/// Looks for media by the names that commands give.
final class MediaController {
  /// What a look-up comes to.
  enum Lookup: Sendable {
    case tracks(ExpandedMedia)
    case refused(ConsoleError)
  }

  /// Looks for the tracks of a playlist that the box keeps.
  var playlist: (PlaylistName, @escaping (Lookup) -> Void) -> Void = { _, _ in }

  /// The roots' readers.
  let readers: RootReaders
  let scheduler: any Scheduler
  let media: any MediaLookup
  let configuration: ConfigurationStore

  /// A controller with background workers of its own. `onLook` is told of each look: whether it came to an end, and
  /// how many nanoseconds it took.
  init(
    _ configuration: ConfigurationStore, on machine: any Machine,
    onLook: @escaping (_ isOK: Bool, _ took: UInt64) -> Void
  ) {
    self.configuration = configuration
    media = machine.media
    scheduler = machine.scheduler
    readers = RootReaders(on: machine, onLook: onLook)
  }

  /// Looks for nothing any more, and answers nobody.
  func end() { readers.end() }

  /// Looks for the tracks of some names, paths or URLs of streams; `then` gets them, or why not, within half a minute for each root that is asked, and soon
  /// where it is given up.
  func find(
    _ names: [String], until cancellation: Cancellation = Cancellation(), then: @escaping (Lookup) -> Void
  ) {
    find(names[...], cancellation, after: ExpandedMedia([]), then: then)
  }

  private func find(
    _ names: ArraySlice<String>, _ cancellation: Cancellation, after tracks: ExpandedMedia,
    then: @escaping (Lookup) -> Void
  ) {
    guard let name = names.first else { return then(.tracks(tracks)) }
    let next: (Lookup) -> Void = { [unowned(unsafe) self] lookup in
      switch lookup {
      case .tracks(let found):
        var all = tracks
        all.append(found)
        find(names.dropFirst(), cancellation, after: all, then: then)
      case .refused: then(lookup)
      }
    }
    if MediaList.isStream(name) { return next(.tracks(ExpandedMedia([Track(id: 0, path: name)]))) }
    if let saved = PlaylistName(path: name) { return playlist(saved, next) }
    // All of the music, and no stick in its place.
    if name == "." { return findAll(in: roots, until: cancellation, then: next) }
    let (media, roots) = (media.heeding(cancellation), configuration.roots)
    ask(name, media, { path in Self.tracks(of: path, in: media, within: roots) }) { next($0 ?? .refused($1)) }
  }

  /// Lists a folder.
  func list(_ name: String, until cancellation: Cancellation, _ answer: @escaping (Reply) -> Void) {
    let (media, roots) = (media.heeding(cancellation), configuration.roots)
    ask(name, media, { path in Self.entries(of: path, in: media, within: roots) }) {
      answer($0 ?? .error($1))
    }
  }

  /// Whether a folder with music holds anything at present, as far as its storage answers.
  func holdsSomething(_ root: String, then: @escaping (Bool) -> Void) {
    let (media, roots) = (media, configuration.roots)
    readers.read(root, { (try? media.entries(of: root, within: roots))?.isEmpty == false }) {
      (found: Bool?) in
      then(found == true)
    }
  }

  /// The folders with the music, without sticks.
  var roots: [String] { configuration.settings.mediaRoots }

  /// Looks for everything that some folders hold; `then` gets the tracks, or why there are none. A folder that does not answer
  /// soon is left out where another has music.
  func findAll(
    in folders: [String], until cancellation: Cancellation = Cancellation(), then: @escaping (Lookup) -> Void
  ) {
    let (media, roots) = (media.heeding(cancellation), configuration.roots)
    RootSearch(
      folders, in: readers, scheduler, wantsAll: true,
      { folder in
        guard let path = media.locate(folder, within: roots) else { return nil }
        do throws(PlaybackError) {
          return try media.expand(path, within: roots)
        } catch {
          return ExpandedMedia([], note: error.sentence)
        }
      }
    ) { (search: RootSearch<ExpandedMedia>) in
      var all = ExpandedMedia([])
      for found in search.found { all.append(found) }
      guard all.tracks.isEmpty else { return then(.tracks(all)) }
      if let silent = search.silentRoots.first { return then(.refused(.noAnswer(of: silent))) }
      let none =
        "there is no music in \(folders.joined(separator: " or ")) yet; put some there, or plug in a stick"
      then(.refused(ConsoleError(.failed, all.note.map { none + ". " + $0 } ?? none)))
    }
  }

  /// Lists the folders that media may come from, and these sticks; of one alone, what is in it.
  func listAll(_ sticks: [String], until cancellation: Cancellation, _ answer: @escaping (Reply) -> Void) {
    let folders = roots + sticks
    if folders.count == 1 { return list(folders[0], until: cancellation, answer) }
    answer(.ok(Answer(rows: folders.map { Row($0, [Field("path", $0)]) })))
  }

  /// Names of files and folders that a path which is being typed may become; `then` gets none where no root answers soon.
  func paths(beginning text: String, then: @escaping ([String]) -> Void) {
    let bytes = Array(text.utf8)
    let slash = bytes.lastIndex(of: 0x2F)
    let folder = slash.map { String(decoding: bytes[...$0], as: UTF8.self) } ?? ""
    let (media, roots) = (media, configuration.roots)
    let isAbsolute = bytes.first == 0x2F
    RootSearch(
      isAbsolute ? roots.root(of: folder).map { [$0] } ?? [] : self.roots, in: readers, scheduler,
      wantsAll: true,
      { root in
        let place = isAbsolute ? folder : folder.utf8.isEmpty ? root : root + "/" + folder
        guard media.locate(place, within: roots) != nil,
          let entries = try? media.entries(of: place, within: roots)
        else {
          return nil
        }
        var found: [String] = []
        for entry in entries where entry.isDirectory || MediaList.isPlayable(entry.name) {
          let path = folder + entry.name + (entry.isDirectory ? "/" : "")
          if path.utf8.starts(with: bytes), found.count < Completion.maxCandidates { found.append(path) }
        }
        return found
      }
    ) { (search: RootSearch<[String]>) in
      var found: [String] = []
      for paths in search.found { found += paths }
      then(Array(found.sorted { NaturalOrder.isBefore($0, $1) }.prefix(Completion.maxCandidates)))
    }
  }

  /// Finds what a person named, and does something with its path, in the background: an absolute path in its own root, any other
  /// in the first that has it. `then` gets what that comes to, or nil and why not.
  private func ask<Value: Sendable>(
    _ name: String, _ media: any MediaLookup, _ work: @escaping @Sendable (_ path: String) -> Value,
    then: @escaping (Value?, ConsoleError) -> Void
  ) {
    RootSearch(
      named: name, within: configuration.roots, in: readers, scheduler,
      { media.locate(name, within: $0).map(work) }
    ) { [unowned(unsafe) self] (found: Value?, error: ConsoleError) in
      guard found == nil, error == .notFound(name, in: configuration.roots) else { return then(found, error) }
      askAlike(name, media, work, error, then: then)
    }
  }

  /// Asks again for the one path that differs from a name in the case of letters or the encoding of accents only.
  private func askAlike<Value: Sendable>(
    _ name: String, _ media: any MediaLookup, _ work: @escaping @Sendable (_ path: String) -> Value,
    _ missing: ConsoleError, then: @escaping (Value?, ConsoleError) -> Void
  ) {
    findAlike(name, media) { [unowned(unsafe) self] path, sentence in
      guard let path else { return then(nil, sentence.map { ConsoleError(.failed, $0) } ?? missing) }
      RootSearch(
        named: path, within: configuration.roots, in: readers, scheduler, { _ in work(path) }, then: then)
    }
  }

  /// Waits for the storage.
  private static func tracks(
    of path: String, in media: any MediaLookup, within roots: MediaRoots
  ) -> Lookup {
    do throws(PlaybackError) {
      let found = try media.expand(path, within: roots)
      guard !found.tracks.isEmpty else {
        throw PlaybackError(.missing, path: path, detail: "it holds nothing that can be played")
      }
      return .tracks(found)
    } catch {
      return .refused(ConsoleError(.failed, error.sentence + " " + error.remedy))
    }
  }

  /// Waits for the storage.
  private static func entries(
    of folder: String, in media: any MediaLookup, within roots: MediaRoots
  ) -> Reply {
    do throws(SystemError) {
      let entries = try media.entries(of: folder, within: roots).filter {
        $0.isDirectory || MediaList.isPlayable($0.name)
      }
      .sorted { NaturalOrder.isBefore($0.name, $1.name) }
      return .ok(
        Answer(
          "\(entries.count) entries",
          rows: entries.map { entry in
            Row(
              entry.name + (entry.isDirectory ? "/" : ""),
              [
                Field("name", entry.name), Field("folder", entry.isDirectory),
                Field("modified", entry.modified.map { .text(UTCTime.text($0)) } ?? .none),
              ])
          }))
    } catch {
      return .failed(error.description)
    }
  }
}
