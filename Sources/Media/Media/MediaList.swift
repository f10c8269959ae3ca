// Expands files, folders and playlists to a list of tracks. Runs on any thread that may block on storage. It reads only
// names; a sandboxed worker reads playlists.

import Decoding
import PlaybackModel
import Platform
import Playlists
import Streaming

/// Expands a path given by the user to tracks.
package enum MediaList {
  /// Maximum depth of folders to search.
  package static let deepestFolder = 16

  /// Maximum number of files per folder scan that are searched for an embedded cue sheet; each takes a process.
  static let maxDiscs = 32

  /// Maximum number of cue sheets per folder scan; each takes a process.
  package static let maxCueSheets = 1000

  /// Expands a path to tracks.
  ///
  /// - A folder becomes the music files below it, in natural order, with files before subfolders. Cue sheets replace
  ///   the files they index; other playlists are ignored.
  /// - A playlist or cue sheet becomes its entries, with the playlists and folders that a playlist names expanded in
  ///   their places, and `disc.cue/track0003` a single one of them.
  /// - A file with an embedded cue sheet becomes the sheet's tracks, unless a separate sheet
  ///   in its folder replaces it.
  /// - Any other path becomes a single track.
  ///
  /// Blocks on storage, and on one worker per playlist or cue sheet, for seconds in the worst case. Links within
  /// folders that lead outside the roots are detected only on playback.
  ///
  /// - Parameters:
  ///   - path: A file, folder, playlist or cue sheet; absolute, or relative to the working directory.
  ///   - roots: Folders from which playlists may be read.
  ///   - executable: The program that reads playlists.
  /// - Returns: Tracks without ids, at most `PlayQueue.limit`; empty for a folder without music. Missing entries on the
  ///   playlist's own storage, unreadable subfolders and tracks beyond the limit are left out and summarised in a note.
  /// - Throws: `unreadable` for a folder, the worker's failure for a playlist, `missing` for a playlist without
  ///   existing entries. A single file is only checked for a cue sheet, and of a stream only the address.
  package static func expand(
    _ path: String, within roots: MediaRoots = .everywhere, executable: String = Executable.own
  ) throws(PlaybackError) -> ExpandedMedia {
    if isStream(path) {
      if let problem = AddressText(path)?.problem {
        throw PlaybackError(.network, path: path, detail: problem)
      }
      return ExpandedMedia([Track(id: 0, path: path)])
    }
    if Directory.isDirectory(path) {
      var found = FolderContents(roots: roots, executable: executable)
      do throws(SystemError) {
        try found.collect(path)
      } catch {
        throw PlaybackError(.unreadable, path: path, detail: error.reason)
      }
      return ExpandedMedia(found.tracks, note: found.leftOut.note)
    }
    if let one = SheetTrack(path), !Directory.isDirectory(one.sheet) {
      return ExpandedMedia([try track(one, within: roots, executable)])
    }
    guard isPlaylist(path) else {
      let held = MusicKind.mayHoldSheet(path) ? heldTracks(path, within: roots, executable) : []
      // Few files have a sheet of their own, and a folder may have many separate ones.
      if held.isEmpty || isReplaced(path, within: roots, executable) {
        return ExpandedMedia([Track(id: 0, path: path)])
      }
      return ExpandedMedia(held)
    }
    var expansion = PlaylistExpansion(within: roots, executable: executable)
    return try expansion.expand(path)
  }

  /// The entries of a playlist or cue sheet, and whether they exceed the limit.
  static func entries(
    ofPlaylist path: String, within roots: MediaRoots, _ executable: String
  ) throws(WorkerFailure) -> (tracks: [Track], isCut: Bool) {
    let contents = try Inspection.playlist(path, within: roots, executable: executable)
    return (tracks(of: contents, in: path), contents.isCut)
  }

  /// The entries of a playlist or cue sheet as tracks.
  static func tracks(of contents: PlaylistContents, in path: String) -> [Track] {
    let folder = String(decoding: Track(id: 0, path: path).folder, as: UTF8.self)
    var names: [String]?
    return contents.entries.map { entry in
      var track = Track(
        id: 0, path: resolved(entry.path, in: folder), section: entry.section, title: entry.title,
        artist: entry.artist, album: entry.album, trackNumber: entry.trackNumber)
      if entry.section != nil {
        if names == nil {
          names = ((try? Directory.entries(of: folder.utf8.isEmpty ? "." : folder)) ?? []).map { $0.name }
        }
        track.path = existing(track.path, in: folder, among: names ?? [])
      }
      return track
    }
  }

  /// The existing file for a cue sheet's file name. Sheets often name the uncompressed file, such as `x.wav` for
  /// `x.flac`, or differ in case.
  private static func existing(_ path: String, in folder: String, among names: [String]) -> String {
    let track = Track(id: 0, path: path)
    guard track.folder.elementsEqual(folder.utf8) else { return path }
    let name = track.displayName
    if names.contains(name) { return path }
    let base = folder.utf8.isEmpty ? "" : folder + "/"
    if let same = names.first(where: { small($0) == small(name) }) { return base + same }
    let stem = small(withoutExtension(name))
    let other = names.filter { isMedia($0) && small(withoutExtension($0)) == stem }
    return other.count == 1 ? base + other[0] : path
  }

  private static func small(_ name: String) -> String {
    String(decoding: name.utf8.map(NaturalOrder.folded), as: UTF8.self)
  }

  /// A file name without its extension.
  package static func withoutExtension(_ name: String) -> String {
    let suffix = fileExtension(of: name).utf8.count
    return suffix == 0 ? name : String(decoding: name.utf8.dropLast(suffix + 1), as: UTF8.self)
  }

  /// A playlist entry as a path without `.` and `..`, as stored in the music index. URIs other than `file:` stay
  /// unchanged and are reported as missing.
  static func resolved(_ entry: String, in folder: String) -> String {
    if let path = entry.filePathOfURI {
      return normalized(String(decoding: path.percentDecoded, as: UTF8.self))
    }
    let bytes = Array(entry.utf8)
    guard !entry.isURI else { return entry }
    guard bytes.first != 0x2F, !folder.utf8.isEmpty else { return normalized(entry) }
    // The folder stays as written, because names are compared with those below it.
    let joined = folder + "/" + entry
    let parts = bytes.split(separator: 0x2F, omittingEmptySubsequences: false)
    let isPlain = parts.allSatisfy {
      !$0.isEmpty && !$0.elementsEqual([0x2E]) && !$0.elementsEqual([0x2E, 0x2E])
    }
    return isPlain ? joined : normalized(joined)
  }

  /// Removes `.`, empty components, and components followed by `..` from a path. A relative path keeps `..` that lead
  /// out of the working directory.
  static func normalized(_ path: String) -> String {
    let isAbsolute = path.utf8.first == 0x2F
    var kept: [ArraySlice<UInt8>] = []
    for part in Array(path.utf8).split(separator: 0x2F) where !part.elementsEqual([0x2E]) {
      guard part.elementsEqual([0x2E, 0x2E]) else {
        kept.append(part)
        continue
      }
      if let last = kept.last, !last.elementsEqual([0x2E, 0x2E]) {
        kept.removeLast()
      } else if !isAbsolute {
        kept.append(part)
      }
    }
    let joined = kept.joined(separator: [0x2F])
    return (isAbsolute ? "/" : "") + String(decoding: Array(joined), as: UTF8.self)
  }

  /// Whether a path is the URL of a playable stream.
  package static func isStream(_ path: String) -> Bool { StreamRequest.isStream(path) }

  /// The extension in lower case, without the dot; empty if there is none.
  package static func fileExtension(of name: String) -> String {
    let bytes = Array(name.utf8)
    guard let dot = bytes.lastIndex(of: 0x2E), dot + 1 < bytes.count, !bytes[dot...].contains(0x2F) else {
      return ""
    }
    return String(decoding: bytes[(dot + 1)...].map(NaturalOrder.folded), as: UTF8.self)
  }

  /// Whether the name is that of a music file.
  package static func isMedia(_ name: String) -> Bool {
    MusicKind.of(ending: fileExtension(of: name)) != nil
  }

  /// Extensions of audio files without a codec in Swiftlet. Such files are reported instead of ignored.
  private static let foreignEndings = [
    "wma", "ape", "mpc", "mp+", "tta", "dsf", "dff", "ra", "rm", "ram", "amr", "ac3", "dts", "mka", "spx",
    "mid", "midi", "mod", "xm",
    "s3m", "it", "aax", "aa", "m4p", "tak", "shn", "voc", "au", "snd", "caf", "webm",
  ]

  /// Whether the name is that of an audio file without a codec in Swiftlet.
  static func isForeignMedia(_ name: String) -> Bool {
    let ending = fileExtension(of: name)
    return !isMedia(name) && foreignEndings.contains(ending)
  }

  /// Whether the name is that of a music file or a playlist.
  package static func isPlayable(_ name: String) -> Bool { isMedia(name) || isPlaylist(name) }

  /// Whether the name is that of a playlist.
  package static func isPlaylist(_ name: String) -> Bool {
    let suffix = fileExtension(of: name)
    return suffix == "m3u" || suffix == "m3u8" || suffix == "pls" || suffix == "xspf"
      || suffix == "cue"
  }

  /// Whether the name is that of a cue sheet.
  package static func isCueSheet(_ name: String) -> Bool { fileExtension(of: name) == "cue" }
}

/// Natural ordering of names: `2 b` before `10 a`, ignoring case.
package enum NaturalOrder {
  /// Converts an ASCII letter to lower case.
  static func folded(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte + 32 : byte }

  /// Whether `left` sorts before `right`, compared as UTF-8. Names that differ only in leading zeros or case are
  /// compared by bytes, so that the order is total.
  package static func isBefore(_ left: String, _ right: String) -> Bool {
    let a = Array(left.utf8)
    let b = Array(right.utf8)
    var i = 0
    var j = 0
    while i < a.count, j < b.count {
      if isDigit(a[i]), isDigit(b[j]) {
        let x = number(a, &i)
        let y = number(b, &j)
        if x.count != y.count { return x.count < y.count }
        if x != y { return x.lexicographicallyPrecedes(y) }
      } else {
        let x = folded(a[i])
        let y = folded(b[j])
        if x != y { return x < y }
        i += 1
        j += 1
      }
    }
    if a.count - i != b.count - j { return a.count - i < b.count - j }
    return a.lexicographicallyPrecedes(b)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

  /// The digits at an index without leading zeros; advances the index past them.
  private static func number(_ bytes: [UInt8], _ index: inout Int) -> ArraySlice<UInt8> {
    while index < bytes.count - 1, bytes[index] == 0x30, isDigit(bytes[index + 1]) { index += 1 }
    let start = index
    while index < bytes.count, isDigit(bytes[index]) { index += 1 }
    return bytes[start..<index]
  }
}
