// Cue sheets: which of them replace files, and access to single tracks. Runs on any thread that may block on storage
// and on the sandboxed worker that parses a sheet.

import Decoding
import PlaybackModel
import Platform
import Playlists

extension MediaList {
  /// The tracks of a cue sheet that replaces files of its own folder; empty if its files are missing, in another
  /// folder, or taken.
  ///
  /// - Parameters:
  ///   - path: The sheet.
  ///   - files: Paths of the files in its folder.
  ///   - taken: Files that another sheet has already replaced.
  ///   - roots: Folders that may be read.
  ///   - executable: The program that runs the worker.
  /// - Throws: `WorkerFailure` if the sheet cannot be read.
  package static func tracks(
    ofSheet path: String, among files: Set<String>, apartFrom taken: Set<String>, within roots: MediaRoots,
    executable: String = Executable.own
  ) throws(WorkerFailure) -> [Track] {
    try entries(ofSheet: path, among: files, apartFrom: taken, within: roots, executable: executable).map {
      $0.track
    }
  }

  /// A track of a cue sheet, with the sheet's album tags.
  package struct SheetEntry: Sendable {
    /// The track, which is a section of a file.
    package let track: Track
    /// Performer of the album; nil if the sheet has none.
    package let albumArtist: String?
    /// Release date of the album; nil if the sheet has none.
    package let date: String?
    /// Genre of the album; nil if the sheet has none.
    package let genre: String?
  }

  /// The entries of a cue sheet, with the conditions of `tracks(ofSheet:among:apartFrom:within:executable:)`.
  package static func entries(
    ofSheet path: String, among files: Set<String>, apartFrom taken: Set<String>, within roots: MediaRoots,
    executable: String = Executable.own
  ) throws(WorkerFailure) -> [SheetEntry] {
    let contents = try Inspection.playlist(path, within: roots, executable: executable)
    let found = zip(tracks(of: contents, in: path), contents.entries).map { track, entry in
      SheetEntry(
        track: track, albumArtist: entry.albumArtist, date: entry.date, genre: entry.genre)
    }
    return found.allSatisfy { files.contains($0.track.path) && !taken.contains($0.track.path) } ? found : []
  }

  /// Minimum size in bytes of a lossless file (and of a lossy one, `minLossyDisc`) that a folder scan searches for an
  /// embedded cue sheet.
  private static let minDisc = 32 << 20
  private static let minLossyDisc = 8 << 20

  /// The tracks of a file's embedded cue sheet; empty if there is none or it cannot be read.
  static func heldTracks(_ path: String, within roots: MediaRoots, _ executable: String) -> [Track] {
    let tracks = (try? entries(ofPlaylist: path, within: roots, executable).tracks) ?? []
    // A damaged file may parse as a plain list of names.
    return tracks.allSatisfy { $0.section != nil } ? tracks : []
  }

  /// Whether a separate cue sheet in a file's folder replaces the file, and so takes precedence over an embedded one.
  /// Sheets of other files and unreadable ones do not. Reading each takes a process.
  static func isReplaced(_ path: String, within roots: MediaRoots, _ executable: String) -> Bool {
    let folder = String(decoding: Track(id: 0, path: path).folder, as: UTF8.self)
    let entries = (try? Directory.entries(of: folder.utf8.isEmpty ? "." : folder)) ?? []
    let place = { (name: String) in folder.utf8.isEmpty ? name : Directory.path(of: name, in: folder) }
    let sheets = entries.filter { !$0.isDirectory && isCueSheet($0.name) }
    guard !sheets.isEmpty else { return false }
    let files = Set(entries.map { place($0.name) })
    return sheets.prefix(maxCueSheets).contains { sheet in
      let found = try? tracks(
        ofSheet: place(sheet.name), among: files, apartFrom: [], within: roots, executable: executable)
      return found?.contains { $0.path == path } == true
    }
  }

  /// Whether a file is large enough to be a whole disc with an embedded cue sheet. Reading it takes a process.
  static func mayBeDisc(_ path: String) -> Bool {
    guard MusicKind.mayHoldSheet(path), let status = try? FileStatus.of(path), status.isRegular else {
      return false
    }
    return status.size >= (fileExtension(of: path).hasPrefix("fl") ? minDisc : minLossyDisc)
  }

  /// A single track of a cue sheet.
  ///
  /// - Throws: `PlaybackError` if the sheet cannot be read or has no such track.
  static func track(
    _ one: SheetTrack, within roots: MediaRoots, _ executable: String
  ) throws(PlaybackError) -> Track {
    let tracks: [Track]
    do throws(WorkerFailure) {
      tracks = try entries(ofPlaylist: one.sheet, within: roots, executable).tracks
    } catch {
      throw PlaybackError(error, path: one.sheet)
    }
    guard tracks.indices.contains(one.number - 1) else {
      throw PlaybackError(.missing, path: one.path, detail: "the cue sheet has \(tracks.count) tracks")
    }
    return tracks[one.number - 1]
  }
}
