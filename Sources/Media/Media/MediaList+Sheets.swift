// Cue sheets: which of them stand in the place of files, and one of their tracks. Any thread that may wait for storage and for the
// sandboxed worker that reads a sheet.

import Decoding
import PlaybackModel
import Platform

extension MediaList {
  /// The tracks of a cue sheet that stands in the place of files of its own folder; empty for one whose files are elsewhere or not
  /// there, or have another sheet.
  ///
  /// - Parameters:
  ///   - path: The sheet.
  ///   - files: The paths of the files in its folder.
  ///   - taken: Those that another sheet stands for already.
  package static func tracks(
    ofSheet path: String, among files: Set<String>, apartFrom taken: Set<String>, within roots: MediaRoots,
    executable: String = Executable.own
  ) throws(WorkerFailure) -> [Track] {
    try entries(ofSheet: path, among: files, apartFrom: taken, within: roots, executable: executable).map {
      $0.track
    }
  }

  /// A track of a cue sheet, and what the sheet says of its album besides.
  package struct SheetEntry: Sendable {
    /// The part of a file.
    package let track: Track
    /// The album's performer; nil where the sheet does not name one.
    package let albumArtist: String?
    /// When the album came out; nil where the sheet does not say it.
    package let date: String?
    /// The album's kind of music; nil where the sheet does not say it.
    package let genre: String?
  }

  /// As `tracks(ofSheet:among:apartFrom:within:executable:)`, with all that the sheet says.
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

  /// Bytes of a file that may be a whole disc, by which those are found in folders that are looked into for a cue sheet: without loss, and
  /// with it.
  private static let minDisc = 32 << 20
  private static let minLossyDisc = 8 << 20

  /// The tracks of the cue sheet that a file holds; none where it holds none, cannot be read, or a sheet lies beside it, which goes first.
  static func heldTracks(_ path: String, within roots: MediaRoots, _ executable: String) -> [Track] {
    let folder = String(decoding: Track(id: 0, path: path).folder, as: UTF8.self)
    let names = (try? Directory.entries(of: folder.utf8.isEmpty ? "." : folder)) ?? []
    guard !names.contains(where: { isCueSheet($0.name) }) else { return [] }
    let tracks = (try? entries(ofPlaylist: path, within: roots, executable).tracks) ?? []
    // A damaged file may look like a text of names.
    return tracks.allSatisfy { $0.section != nil } ? tracks : []
  }

  /// Whether a file in a folder is large enough for a disc with a cue sheet in itself: looking into it takes a process.
  static func mayBeDisc(_ path: String) -> Bool {
    guard MusicKind.mayHoldSheet(path), let status = try? FileStatus.of(path), status.isRegular else {
      return false
    }
    return status.size >= (fileExtension(of: path).hasPrefix("fl") ? minDisc : minLossyDisc)
  }

  /// One track of a cue sheet.
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
