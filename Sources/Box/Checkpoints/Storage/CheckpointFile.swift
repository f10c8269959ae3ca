// Opens the checkpoint file, or creates or replaces it. Blocks on storage.

import CLinux
import Platform

/// Opens or creates the checkpoint file.
package enum CheckpointFile {
  /// Opens the checkpoint file, or creates it. Invalid contents never prevent a start: the file is renamed to
  /// `path.bad`, its readable parts are carried over, and a note reports it. A file that is not writable (on
  /// a read-only file system) is still read, and each write tries again.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - layout: The layout for a new file.
  ///   - files: Access to the storage.
  /// - Returns: The journal and its contents.
  /// - Throws: An error that names the file if it cannot be created, or EBUSY if another process holds it.
  package static func open(
    _ path: String, layout: CheckpointLayout = CheckpointLayout(),
    in files: any CheckpointFiles = LinuxCheckpointFiles()
  ) throws(SystemError) -> JournalOpening {
    var asideNote: String?
    do throws(SystemError) {
      if let storage = try files.open(path) { return try open(storage, path, layout, files) }
    } catch {
      // A folder, link, pipe, socket or unreadable file is renamed. A device is not: that could make a disk
      // unusable for the system.
      guard error.code == EINVAL || error.code == ELOOP || error.code == EISDIR else { throw error }
      asideNote = "it is no ordinary file: " + error.description
      try files.setAside(path)
    }
    let fresh = try make(path, layout, files)
    let notes = asideNote.map { [setAsideNote(path, $0)] } ?? []
    return JournalOpening(journal: fresh.journal, checkpoint: nil, queue: nil, notes: notes)
  }

  /// The newest intact queue in the bytes of a checkpoint file; nil if there is none. Changes nothing.
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
      // The file cannot be replaced; use it as far as possible.
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
    // Write all slots now, so that later writes change no file system metadata.
    let head = layout.header
    let zeros = [UInt8](repeating: 0, count: layout.area(0) - head.count)
    let storage = try files.create(path, size: layout.fileBytes, head: head + zeros)
    return CheckpointJournal.open(storage, layout: layout)
  }
}
