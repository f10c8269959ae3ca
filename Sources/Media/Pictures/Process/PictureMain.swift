// Main function of a picture process: opens a file, enters its sandbox, searches for a picture, answers, and exits. It
// may block on storage indefinitely; the parent kills it after a timeout.

import CLinux
import Decoding
import Platform

/// The hidden subcommand `picture`, which writes its answer to standard output.
package enum PictureMain {
  /// Runs the subcommand.
  ///
  /// - Parameter words: Arguments after the subcommand: the parent's process id and the question.
  /// - Returns: The exit status.
  package static func run(_ words: [String]) -> Int32 {
    HelperMain.run(words) { (question: PictureQuestion) in answer(question) }
  }

  private static func answer(_ question: PictureQuestion) -> PictureAnswer {
    guard let path = question.roots.locate(question.name) else { return .missing }
    // A cue sheet's track has the picture of its folder.
    let files = PictureFiles(SheetTrack(path)?.sheet ?? path, question.source, within: question.roots)
    do throws(SystemError) {
      try PictureSandbox.profile.enter()
    } catch {
      return .refused("its reader cannot be confined: " + error.description)
    }
    do throws(PictureFault) {
      return try files.picture().map { .picture($0) } ?? .none
    } catch {
      return .refused("it has more than 8 MiB")
    }
  }
}

/// Open files that may contain a picture; none has been read yet. They stay open until the process exits, because
/// closing may block on storage.
private struct PictureFiles {
  private var track: PictureInput?
  private var cover: PictureInput?

  /// Opens the existing files. Blocks on storage.
  init(_ path: String, _ source: PictureSource, within roots: MediaRoots) {
    let isFolder = Directory.isDirectory(path)
    if source != .folder, !isFolder { track = Self.open(path, roots) }
    guard source != .track else { return }
    let folder = isFolder ? path : AtomicFile.folder(of: path)
    for name in CoverFile.candidates((try? Directory.entries(of: folder)) ?? []).prefix(4) where cover == nil
    {
      cover = Self.open(Directory.path(of: name, in: folder), roots)
    }
  }

  /// Opens a regular file within the roots; nil for any other path.
  private static func open(_ path: String, _ roots: MediaRoots) -> PictureInput? {
    do throws(SystemError) {
      let file = try roots.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
      var status = stat()
      guard fstat(file.raw, &status) == 0, clinux_is_regular(status.st_mode) != 0 else { return nil }
      return PictureInput(.file(file.release()), length: Int64(status.st_size))
    } catch {
      return nil
    }
  }

  /// Searches the files for a picture. Runs inside the sandbox.
  func picture() throws(PictureFault) -> Picture? {
    if let track, let bytes = try EmbeddedPicture.find(in: track) { return Picture(.track, bytes) }
    guard let cover else { return nil }
    guard cover.length <= Int64(Picture.maxBytes) else { throw .tooLarge }
    let bytes = cover.bytes(at: 0, count: Picture.maxBytes)
    return bytes.isEmpty ? nil : Picture(.folder, bytes)
  }
}
