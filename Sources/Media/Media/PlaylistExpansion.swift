// Expands a playlist, with the playlists and folders that it names. Runs on any thread that may block on storage. It
// reads only names; a sandboxed worker reads playlists.

import CLinux
import Decoding
import PlaybackModel
import Platform

/// The expansion of one playlist.
struct PlaylistExpansion {
  /// Maximum depth of playlists that name playlists.
  static let maxDepth = 8
  /// Maximum number of playlists within a playlist; reading each takes a process.
  static let maxLists = 200

  private let roots: MediaRoots
  private let executable: String
  private var tracks: [Track] = []
  private var leftOut = LeftOut()
  private var entries = 0
  private var missing = 0
  private var lists = 0
  /// Paths of the playlists that are being expanded, from the first one inwards.
  private var open: [String] = []

  /// Creates an expansion.
  ///
  /// - Parameters:
  ///   - roots: Folders from which playlists may be read.
  ///   - executable: The program that reads playlists.
  init(within roots: MediaRoots, executable: String) {
    self.roots = roots
    self.executable = executable
  }

  /// Expands a playlist or cue sheet. Must be called once.
  ///
  /// - Throws: The worker's failure, or `missing` if none of its entries exists.
  mutating func expand(_ path: String) throws(PlaybackError) -> ExpandedMedia {
    do throws(WorkerFailure) {
      try collect(path)
    } catch {
      throw PlaybackError(error, path: path)
    }
    guard missing == 0 || missing < entries else {
      throw PlaybackError(
        .missing, path: path,
        detail: entries == 1 ? "its one entry is not there" : "none of its \(entries) entries is there")
    }
    let name = Track(id: 0, path: path).displayName + (lists == 0 ? "" : " and the playlists in it")
    var found = ExpandedMedia(
      tracks,
      note: missing == 0
        ? nil : "\(missing) of \(entries) entries of \(name) \(missing == 1 ? "does" : "do") not exist.")
    found.append(ExpandedMedia([], note: leftOut.note))
    return found
  }

  private mutating func collect(_ path: String) throws(WorkerFailure) {
    let found = try MediaList.entries(ofPlaylist: path, within: roots, executable)
    if found.isCut { leftOut.playlist = leftOut.playlist ?? path }
    open.append(path)
    defer { open.removeLast() }
    let folder = String(decoding: Track(id: 0, path: path).folder, as: UTF8.self)
    let roots = roots
    var names = ForeignNames { roots.locate($0) != nil }
    for entry in found.tracks where leftOut.lastTrack == nil {
      entries += 1
      var entry = entry
      if isMissing(entry.path, of: path) || ForeignNames.hasDrive(entry.path) {
        guard let meant = names.path(for: entry.path, in: folder) else {
          missing += 1
          continue
        }
        entry.path = meant
      }
      add(entry)
    }
  }

  /// Whether an entry is missing on the playlist's own storage. Other storage may just be unmounted.
  private func isMissing(_ entry: String, of playlist: String) -> Bool {
    guard !entry.isURI, let place = roots.place(of: entry), roots.root(of: entry) == roots.root(of: playlist)
    else { return false }
    do throws(SystemError) {
      _ = try place.open(CLINUX_O_PATH)
      return false
    } catch {
      // A track of a cue sheet is not a file.
      return (error.code == ENOENT || error.code == ENOTDIR) && roots.locate(entry) == nil
    }
  }

  /// Adds an entry, or the tracks of the playlist, cue sheet or folder that it names.
  private mutating func add(_ entry: Track) {
    guard entry.section == nil, !entry.path.isURI else { return append([entry]) }
    let isFolder = Directory.isDirectory(entry.path)
    let sheet = isFolder ? nil : SheetTrack(entry.path)
    guard isFolder || sheet != nil || MediaList.isPlaylist(entry.path) else { return append([entry]) }
    guard roots.locate(entry.path) != nil else {
      let isThere = (try? FileStatus.of(entry.path)) != nil
      return leftOut.noteUnreadable(
        entry.path, isThere ? "it is outside the music folders" : "it does not exist")
    }
    do throws(PlaybackError) {
      if isFolder {
        try addFolder(entry.path)
      } else if let sheet {
        append([try MediaList.track(sheet, within: roots, executable)])
      } else {
        try addList(entry.path)
      }
    } catch {
      let reason = error.detail.utf8.isEmpty ? error.sentence : error.detail
      leftOut.noteUnreadable(entry.path, reason.hasSuffix(".") ? String(reason.dropLast()) : reason)
    }
  }

  private mutating func addFolder(_ path: String) throws(PlaybackError) {
    var contents = FolderContents(roots: roots, executable: executable)
    do throws(SystemError) {
      try contents.collect(path)
    } catch {
      throw PlaybackError(.unreadable, path: path, detail: error.reason)
    }
    leftOut.add(contents.leftOut)
    if contents.tracks.isEmpty && contents.leftOut.note == nil { leftOut.noteEmpty(path) }
    append(contents.tracks)
  }

  private mutating func addList(_ path: String) throws(PlaybackError) {
    lists += 1
    guard !open.contains(path) else {
      throw PlaybackError(.corrupt, path: path, detail: "it names itself")
    }
    guard open.count < Self.maxDepth, lists <= Self.maxLists else {
      throw PlaybackError(
        .corrupt, path: path,
        detail: "playlists within playlists are read \(Self.maxDepth) deep, and \(Self.maxLists) at most")
    }
    do throws(WorkerFailure) {
      try collect(path)
    } catch {
      throw PlaybackError(error, path: path)
    }
  }

  private mutating func append(_ more: [Track]) {
    let room = PlayQueue.limit - tracks.count
    tracks += more.prefix(room)
    if more.count > room { leftOut.lastTrack = tracks.last?.path }
  }
}
