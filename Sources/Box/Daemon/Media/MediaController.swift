// Resolves names of music to tracks, folder listings and completions. Each media root has its own worker, with a
// timeout. Control thread, except where stated.

import Console
import Decoding
import Media
import PlaybackModel
import Platform
import Player

extension ConsoleError {
  /// The error for the address of a stream to which no connection is possible.
  static func badAddress(_ name: String, _ problem: String) -> ConsoleError {
    ConsoleError(.badValue, "'" + name + "' is no address of a stream: " + problem)
  }
}

/// Looks up music by the names given in commands.
final class MediaController {
  /// Result of a lookup.
  enum Lookup: Sendable {
    case tracks(ExpandedMedia)
    case refused(ConsoleError)
  }

  /// Background workers of the media roots.
  let readers: RootReaders
  let scheduler: any Scheduler
  let media: any MediaLookup
  let configuration: ConfigurationStore
  let playlists: PlaylistBook

  /// Creates a controller with its own background workers.
  ///
  /// - Parameters:
  ///   - configuration: Settings with the media roots.
  ///   - playlists: The stored playlists.
  ///   - machine: Access to storage.
  ///   - onLook: Called after each storage request with its success and duration in nanoseconds.
  init(
    _ configuration: ConfigurationStore, _ playlists: PlaylistBook, on machine: any Machine,
    onLook: @escaping (_ isOK: Bool, _ took: UInt64) -> Void
  ) {
    self.configuration = configuration
    self.playlists = playlists
    media = machine.media
    scheduler = machine.scheduler
    readers = RootReaders(on: machine, onLook: onLook)
  }

  /// Drops pending lookups without answering them.
  func end() { readers.end() }

  /// Looks up the tracks of files, folders, playlists and stream URLs.
  ///
  /// - Parameters:
  ///   - names: Their names.
  ///   - cancellation: Ends the lookup early.
  ///   - then: Receives all tracks, or the first error; within 30 s for each media root queried.
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
    if MediaList.isStream(name), let problem = AddressText(name)?.problem {
      return next(.refused(.badAddress(name, problem)))
    }
    if MediaList.isStream(name) { return next(.tracks(ExpandedMedia([Track(id: 0, path: name)]))) }
    if let saved = PlaylistName(path: name) { return playlists.tracks(of: saved, then: next) }
    // "." means all music below the media roots, without sticks.
    if name == "." { return findAll(in: roots, until: cancellation, then: next) }
    let (media, roots) = (media.heeding(cancellation), configuration.roots)
    ask(name, media, { path in Self.tracks(of: path, in: media, within: roots) }) { next($0 ?? .refused($1)) }
  }

  /// Lists a folder for `media NAME`.
  func list(_ name: String, until cancellation: Cancellation, _ answer: @escaping (Reply) -> Void) {
    let (media, roots) = (media.heeding(cancellation), configuration.roots)
    ask(name, media, { path in Self.entries(of: path, in: media, within: roots) }) {
      answer($0 ?? .error($1))
    }
  }

  /// Whether a media root has any entry now; false if its storage does not respond.
  func holdsSomething(_ root: String, then: @escaping (Bool) -> Void) {
    let (media, roots) = (media, configuration.roots)
    readers.read(root, { (try? media.entries(of: root, within: roots))?.isEmpty == false }) {
      (found: Bool?) in
      then(found == true)
    }
  }

  /// The configured media roots, without sticks.
  var roots: [String] { configuration.settings.mediaRoots }

  /// Finds all music below some folders.
  ///
  /// - Parameters:
  ///   - folders: The folders; those that time out are left out if another one has music.
  ///   - cancellation: Ends the search early.
  ///   - then: Receives the tracks, or why there are none.
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

  /// Lists media roots and sticks; if there is only one, lists its contents.
  func listAll(_ sticks: [String], until cancellation: Cancellation, _ answer: @escaping (Reply) -> Void) {
    let folders = roots + sticks
    if folders.count == 1 { return list(folders[0], until: cancellation, answer) }
    answer(.ok(Answer(rows: folders.map { Row($0, [Field("path", $0)]) })))
  }

  /// Completions for a path being typed.
  ///
  /// - Parameters:
  ///   - text: The beginning of the path.
  ///   - then: Receives names of files and folders; none if no root responds in time.
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

  /// Resolves a name and processes its path in the background. An absolute path is looked up in its own root, any other
  /// name in the first root that has it.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - media: Access to the storage.
  ///   - work: Runs in the background with the path.
  ///   - then: Receives the result of `work`, or nil and the error.
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

  /// Repeats a lookup with the path that differs from the name in letter case or accent encoding only.
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

  /// Blocks on storage.
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

  /// Blocks on storage.
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
