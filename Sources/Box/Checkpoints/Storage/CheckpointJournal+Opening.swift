// Opens an existing checkpoint journal. Blocks on storage.

import Platform

/// A journal with the state found in it.
package struct JournalOpening {
  /// The journal, ready for writing.
  package let journal: CheckpointJournal
  /// The newest intact checkpoint; nil in a new file, or if none is readable.
  package let checkpoint: Checkpoint?
  /// The queue that belongs to the checkpoint; without a checkpoint, the newest intact queue.
  package let queue: QueueRecord?
  /// Problems found, as sentences for the log; empty after an orderly shutdown.
  package let notes: [String]
}

extension CheckpointJournal {
  /// Opens the journal in `storage`. Never fails, regardless of the storage's contents. Storage smaller than the
  /// layout is used up to its end; writes beyond it fail.
  package static func open(_ storage: any CheckpointStorage, layout: CheckpointLayout) -> JournalOpening {
    let found = JournalContents(storage, layout)
    return JournalOpening(
      journal: CheckpointJournal(storage: storage, layout: layout, found: found),
      checkpoint: found.checkpoint, queue: found.queue, notes: found.notes)
  }
}
