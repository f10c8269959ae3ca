// The checkpoint file of a box: taken up, made new, or set aside and made new. Waits for the storage.

import CLinux
import Platform

/// Finds or makes the checkpoint file.
package enum CheckpointFile {
  /// Opens the file at `path`, or makes one. Contents that make no sense never keep a box from starting: the
  /// file is renamed to `path.bad`, what could be read of it is taken along, and a note says so. A file
  /// that may not be written (a read-only file system) is read all the same; writing is tried anew each
  /// time. Errors name the file: there is none and none can be made, or another process has it (EBUSY).
  package static func open(
    _ path: String, layout: CheckpointLayout = CheckpointLayout(),
    in files: any CheckpointFiles = LinuxCheckpointFiles()
  ) throws(SystemError) -> JournalOpening {
    var asideNote: String?
    do throws(SystemError) {
      if let storage = try files.open(path) { return try open(storage, path, layout, files) }
    } catch {
      // A folder, a link, a pipe or a socket in its place, or a file that cannot be read at all. Renaming a device could cost the system a
      // disk.
      guard error.code == EINVAL || error.code == ELOOP || error.code == EISDIR else { throw error }
      asideNote = "it is no ordinary file: " + error.description
      try files.setAside(path)
    }
    let fresh = try make(path, layout, files)
    let notes = asideNote.map { [setAsideNote(path, $0)] } ?? []
    return JournalOpening(journal: fresh.journal, checkpoint: nil, queue: nil, notes: notes)
  }

  /// The newest whole queue in the bytes of a checkpoint file, of which nothing is changed; nil where there is none.
  package static func queue(in bytes: [UInt8]) -> QueueRecord? {
    let layout = CheckpointLayout(header: Array(bytes.prefix(CheckpointSlot.byteCount)))
    return CheckpointJournal.open(MemoryStorage(bytes), layout: layout ?? CheckpointLayout()).queue
  }

  private static func open(
    _ storage: any CheckpointStorage, _ path: String, _ layout: CheckpointLayout, _ files: any CheckpointFiles
  ) throws(SystemError) -> JournalOpening {
    var head: [UInt8] = []
    var headFailure = "its header is damaged"
    do throws(SystemError) {
      head = try storage.read(at: 0, count: CheckpointSlot.byteCount)
    } catch {
      headFailure = "its header cannot be read: " + error.reason
    }
    let written = CheckpointLayout(header: head)
    let opening = CheckpointJournal.open(storage, layout: written ?? layout)
    let problem: String? =
      if written == nil {
        headFailure
      } else if storage.size != written?.fileBytes {
        "its size is wrong"
      } else if opening.checkpoint == nil, !opening.notes.isEmpty {
        "it holds no readable checkpoint"
      } else if written != layout {
        "it was made for queues of another size"
      } else {
        nil
      }
    guard let problem else { return opening }
    do throws(SystemError) {
      try files.setAside(path)
      let fresh = try make(path, layout, files)
      if let checkpoint = opening.checkpoint {
        _ = try fresh.journal.write(checkpoint, queue: opening.queue)
      }
      return JournalOpening(
        journal: fresh.journal, checkpoint: opening.checkpoint, queue: opening.queue,
        notes: [setAsideNote(path, problem)] + opening.notes)
    } catch {
      // It cannot be replaced: go on with what there is.
      let note = "The checkpoint file " + path + " is spoilt (" + problem + ") and cannot be replaced: "
      return JournalOpening(
        journal: opening.journal, checkpoint: opening.checkpoint, queue: opening.queue,
        notes: [note + error.description] + opening.notes)
    }
  }

  private static func setAsideNote(_ path: String, _ problem: String) -> String {
    "The checkpoint file " + path + " was replaced by a new one, because " + problem + "; the old one is "
      + path + ".bad."
  }

  private static func make(
    _ path: String, _ layout: CheckpointLayout, _ files: any CheckpointFiles
  ) throws(SystemError) -> JournalOpening {
    // The slots are written out now, so that writing them later changes no metadata.
    let head = layout.header
    let zeros = [UInt8](repeating: 0, count: layout.area(0) - head.count)
    let storage = try files.create(path, size: layout.fileBytes, head: head + zeros)
    return CheckpointJournal.open(storage, layout: layout)
  }
}
