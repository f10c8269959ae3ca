// Collects the music files of a folder and its subfolders. Runs on any thread that may block on storage. It reads only
// names; a sandboxed worker reads cue sheets.

import Decoding
import PlaybackModel
import Platform
import Playlists

/// Result of scanning a folder.
struct FolderContents {
  let roots: MediaRoots
  let executable: String
  /// Lists a folder; replaceable by tests.
  var list: (String) throws(SystemError) -> DirectoryListing = { (path) throws(SystemError) in
    try Directory.listing(of: path)
  }
  /// The tracks in order.
  private(set) var tracks: [Track] = []
  /// What was found and left out.
  private(set) var leftOut = LeftOut()
  private var cueSheets = 0
  /// Number of files that were searched for an embedded cue sheet.
  private var looks = 0
  /// Identities of the visited folders; a link may lead to one again.
  private var seen: Set<FileIdentity> = []

  init(roots: MediaRoots, executable: String) {
    self.roots = roots
    self.executable = executable
  }

  /// Adds the tracks of a folder and its subfolders. Unreadable subfolders are left out.
  ///
  /// - Throws: If the folder itself cannot be read.
  mutating func collect(_ folder: String) throws(SystemError) {
    guard let listing = try listing(of: folder) else { return }
    collect(folder, listing, depth: 0)
  }

  /// Entries of a folder; nil if it was already visited.
  private mutating func listing(of folder: String) throws(SystemError) -> DirectoryListing? {
    if let status = try FileStatus.of(folder) {
      guard seen.insert(status.identity).inserted else { return nil }
    }
    return try list(folder)
  }

  private mutating func collect(_ folder: String, _ listing: DirectoryListing, depth: Int) {
    if listing.isCut { leftOut.namesOf = leftOut.namesOf ?? folder }
    let entries = listing.entries.sorted { NaturalOrder.isBefore($0.name, $1.name) }
    collect(entries.filter { !$0.isDirectory }, in: folder)
    for entry in entries where entry.isDirectory {
      // The first track beyond the limit ends the scan.
      guard leftOut.lastTrack == nil else { return }
      let inner = Directory.path(of: entry.name, in: folder)
      guard depth + 1 < MediaList.deepestFolder else {
        leftOut.tooDeep = leftOut.tooDeep ?? inner
        continue
      }
      do throws(SystemError) {
        guard let listing = try self.listing(of: inner) else { continue }
        collect(inner, listing, depth: depth + 1)
      } catch {
        leftOut.noteUnreadable(inner, error.reason)
      }
    }
  }

  private mutating func collect(_ files: [DirectoryEntry], in folder: String) {
    let sheets = sheets(among: files, in: folder)
    // A disc image is the only music file of its folder, or one of two.
    let mayHoldSheets = files.reduce(0) { $0 + (MediaList.isMedia($1.name) ? 1 : 0) } <= 2
    for file in files where leftOut.lastTrack == nil {
      if let sheet = sheets.first(where: { $0.name == file.name }) {
        add(sheet.tracks)
      } else if MediaList.isMedia(file.name) {
        let path = Directory.path(of: file.name, in: folder)
        let isIndexed = sheets.contains { $0.tracks.contains { $0.path == path } }
        if !isIndexed { add(mayHoldSheets ? tracks(of: path) : [Track(id: 0, path: path)]) }
      } else if MediaList.isForeignMedia(file.name) {
        leftOut.noteForeign(Directory.path(of: file.name, in: folder))
      }
    }
  }

  /// A file, or the tracks of its embedded cue sheet.
  private mutating func tracks(of path: String) -> [Track] {
    guard looks < MediaList.maxDiscs, MediaList.mayBeDisc(path) else { return [Track(id: 0, path: path)] }
    looks += 1
    let held = MediaList.heldTracks(path, within: roots, executable)
    return held.isEmpty ? [Track(id: 0, path: path)] : held
  }

  private mutating func add(_ more: [Track]) {
    let room = PlayQueue.limit - tracks.count
    tracks += more.prefix(room)
    if more.count > room { leftOut.lastTrack = tracks.last?.path }
  }

  /// The cue sheets that replace files.
  private mutating func sheets(
    among files: [DirectoryEntry], in folder: String
  ) -> [(name: String, tracks: [Track])] {
    var sheets: [(name: String, tracks: [Track])] = []
    guard tracks.count < PlayQueue.limit, files.contains(where: { MediaList.isCueSheet($0.name) }) else {
      return sheets
    }
    let paths = Set(files.map { Directory.path(of: $0.name, in: folder) })
    var taken: Set<String> = []
    for file in files where MediaList.isCueSheet(file.name) {
      let path = Directory.path(of: file.name, in: folder)
      guard cueSheets < MediaList.maxCueSheets else {
        leftOut.cueSheet = leftOut.cueSheet ?? path
        break
      }
      cueSheets += 1
      let found = try? MediaList.tracks(
        ofSheet: path, among: paths, apartFrom: taken, within: roots, executable: executable)
      guard let found, !found.isEmpty else { continue }
      for track in found { taken.insert(track.path) }
      sheets.append((file.name, found))
    }
    return sheets
  }
}

/// What was left out, for a note to the user.
struct LeftOut {
  /// The last track within the limit.
  var lastTrack: String?
  /// A playlist that exceeds the limit.
  var playlist: String?
  /// The first folder with more names than the limit.
  var namesOf: String?
  /// The first folder beyond the maximum depth.
  var tooDeep: String?
  /// The first cue sheet beyond the limit.
  var cueSheet: String?
  /// The first unreadable folder or playlist, with the reason.
  private var unreadable: (path: String, reason: String)?
  private var unreadableCount = 0

  mutating func noteUnreadable(_ path: String, _ reason: String) {
    unreadable = unreadable ?? (path, reason)
    unreadableCount += 1
  }

  /// The first directory without music that a playlist names, and the number of such directories.
  private var empty: (path: String, count: Int)?

  mutating func noteEmpty(_ path: String) { empty = (empty?.path ?? path, (empty?.count ?? 0) + 1) }

  /// Adds the losses of a folder that a playlist names; the first one of each kind stays.
  mutating func add(_ other: LeftOut) {
    lastTrack = lastTrack ?? other.lastTrack
    playlist = playlist ?? other.playlist
    namesOf = namesOf ?? other.namesOf
    tooDeep = tooDeep ?? other.tooDeep
    cueSheet = cueSheet ?? other.cueSheet
    unreadable = unreadable ?? other.unreadable
    unreadableCount += other.unreadableCount
    if let (path, count) = other.empty { empty = (empty?.path ?? path, (empty?.count ?? 0) + count) }
    if let (path, count) = other.foreign { foreign = (foreign?.path ?? path, (foreign?.count ?? 0) + count) }
  }

  /// The first audio file without a codec, and the number of such files.
  private var foreign: (path: String, count: Int)?

  mutating func noteForeign(_ path: String) { foreign = (foreign?.path ?? path, (foreign?.count ?? 0) + 1) }

  /// All of it as sentences; nil if nothing was left out.
  var note: String? {
    var sentences: [String] = []
    if let (path, reason) = unreadable {
      sentences.append(
        unreadableCount == 1
          ? "\(path) cannot be read (\(reason)) and was left out."
          : "\(unreadableCount) folders or playlists cannot be read and were left out, the first of them \(path) (\(reason))."
      )
    }
    if let (path, count) = empty {
      sentences.append(
        count == 1
          ? "\(path) is a directory without music, and was left out."
          : "\(count) directories without music were left out, the first of them \(path).")
    }
    if let (path, count) = foreign {
      sentences.append(
        (count == 1 ? "\(path) was" : "\(count) files were")
          + " left out, because no codec of Swiftlet reads "
          + (count == 1 ? "its format" : "their format, the first of them \(path)")
          + "; 'swiftlet codecs' lists what can be played.")
    }
    if let lastTrack {
      sentences.append(
        "There is room for \(PlayQueue.limit) tracks: the tracks after \(lastTrack) were left out.")
    }
    if let playlist {
      sentences.append(
        "\(playlist) is longer than there is room for, \(PlaylistContents.maxCount) entries or 1 MiB: the rest was left out."
      )
    }
    if let namesOf {
      sentences.append("\(namesOf) holds more than \(Directory.limit) names: the others were left out.")
    }
    if let tooDeep {
      sentences.append("\(tooDeep) was left out: folders are looked into \(MediaList.deepestFolder) deep.")
    }
    if let cueSheet {
      sentences.append(
        "\(cueSheet) and those after it were not looked at: there is room for \(MediaList.maxCueSheets) cue sheets."
      )
    }
    return sentences.isEmpty ? nil : sentences.joined(separator: " ")
  }
}
