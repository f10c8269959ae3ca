// Names of files, folders and playlists: the storage is asked on another thread, and whoever asks is answered when it
// has answered. Control thread, but for what says that it waits for the storage.

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
    case tracks([Track])
    case refused(ConsoleError)
  }

  private let reader: StorageReader
  private let media: any MediaLookup
  private let configuration: ConfigurationStore

  /// A controller with a background worker of its own. `onLook` is told of each look: whether it came to an end, and
  /// how many nanoseconds it took. Throws where no thread can be had.
  init(
    _ configuration: ConfigurationStore, on machine: any Machine,
    onLook: @escaping (_ isOK: Bool, _ took: UInt64) -> Void
  ) throws(SystemError) {
    self.configuration = configuration
    media = machine.media
    reader = StorageReader(try machine.backgroundWorker(), scheduler: machine.scheduler)
    reader.onJob = onLook
  }

  /// Looks for nothing any more, and answers nobody.
  func end() { reader.end() }

  /// Looks for the tracks of some names; `then` gets them, or why not, within half a minute.
  func find(_ names: [String], then: @escaping (Lookup) -> Void) {
    let (media, roots, own) = (media, configuration.roots, self.roots)
    reader.read({ Self.find(names, in: media, within: roots, own) }) { (lookup: Lookup?) in
      then(lookup ?? .refused(Self.tooSlow))
    }
  }

  /// Lists a folder.
  func list(_ name: String, _ answer: @escaping (Reply) -> Void) {
    let (media, roots) = (media, configuration.roots)
    reader.read({ Self.entries(of: name, in: media, within: roots) }) { (reply: Reply?) in
      answer(reply ?? .error(Self.tooSlow))
    }
  }

  /// The folders with the music, without sticks.
  var roots: [String] { configuration.settings.mediaRoots }

  /// Looks for everything that some folders hold; `then` gets the tracks, or why there are none.
  func findAll(in folders: [String], then: @escaping (Lookup) -> Void) {
    let (media, roots) = (media, configuration.roots)
    reader.read({ Self.findAll(folders, in: media, within: roots) }) { (lookup: Lookup?) in
      then(lookup ?? .refused(Self.tooSlow))
    }
  }

  /// Lists the folders that media may come from, and these sticks; of one alone, what is in it.
  func listAll(_ sticks: [String], _ answer: @escaping (Reply) -> Void) {
    let folders = roots + sticks
    if folders.count == 1 { return list(folders[0], answer) }
    answer(.ok(Answer(rows: folders.map { Row($0, [Field("path", $0)]) })))
  }

  private static var tooSlow: ConsoleError {
    ConsoleError(
      .failed, "the storage does not answer; try again, or check that the stick is plugged in properly")
  }

  /// Waits for the storage.
  private static func find(
    _ names: [String], in media: any MediaLookup, within roots: MediaRoots, _ own: [String]
  ) -> Lookup {
    var tracks: [Track] = []
    for name in names {
      // All of the music, and no stick in its place.
      if name == "." {
        switch findAll(own, in: media, within: roots) {
        case .tracks(let found): tracks += found
        case .refused(let error): return .refused(error)
        }
        continue
      }
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

  /// Waits for the storage.
  private static func findAll(
    _ folders: [String], in media: any MediaLookup, within roots: MediaRoots
  ) -> Lookup {
    var tracks: [Track] = []
    for folder in folders {
      guard let path = media.locate(folder, within: roots) else { continue }
      tracks += (try? media.expand(path, within: roots)) ?? []
    }
    guard tracks.isEmpty else { return .tracks(tracks) }
    var names = ""
    for (i, folder) in folders.enumerated() { names += (i > 0 ? " or " : "") + folder }
    return .refused(
      ConsoleError(.failed, "there is no music in \(names) yet; put some there, or plug in a stick"))
  }

  private static func notFound(_ name: String, _ roots: MediaRoots) -> ConsoleError {
    var folders = ""
    for (i, folder) in roots.folders.enumerated() { folders += (i > 0 ? " or " : "") + folder }
    return ConsoleError(.failed, "there is no '\(name)' in \(folders); 'media' lists what there is")
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

  /// Names of files and folders that a path which is being typed may become. Waits for the storage.
  func paths(beginning text: String) -> [String] {
    let bytes = Array(text.utf8)
    let slash = bytes.lastIndex(of: 0x2F)
    let folder = slash.map { String(decoding: bytes[...$0], as: UTF8.self) } ?? ""
    let places =
      bytes.first == 0x2F
      ? [folder] : configuration.settings.mediaRoots.map { folder.utf8.isEmpty ? $0 : $0 + "/" + folder }
    let roots = configuration.roots
    var found: [String] = []
    for place in places where media.locate(place, within: roots) != nil {
      guard let entries = try? media.entries(of: place) else { continue }
      for entry in entries where entry.isDirectory || MediaList.isPlayable(entry.name) {
        let path = folder + entry.name + (entry.isDirectory ? "/" : "")
        if path.utf8.starts(with: bytes), found.count < Completion.mostCandidates { found.append(path) }
      }
    }
    return found.sorted { NaturalOrder.isBefore($0, $1) }
  }
}
