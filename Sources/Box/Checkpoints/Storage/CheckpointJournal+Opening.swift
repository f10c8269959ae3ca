// Taking up a journal again. Waits for the storage.

import Platform

/// A journal and what the last process has left in it.
package struct JournalOpening {
  /// The journal, ready to be written to.
  package let journal: CheckpointJournal
  /// The newest checkpoint that is whole; nil in a new file, or where nothing can be read.
  package let checkpoint: Checkpoint?
  /// The queue that belongs to it; without a checkpoint, the newest queue that is whole.
  package let queue: QueueRecord?
  /// What was wrong, as sentences for the log; empty after an orderly end.
  package let notes: [String]
}

extension CheckpointJournal {
  /// Takes up what `storage` holds: never fails, and whatever the storage holds does no harm. Storage that
  /// is smaller than its layout keeps what it can; writing beyond its end is an error of the storage.
  package static func open(_ storage: any CheckpointStorage, layout: CheckpointLayout) -> JournalOpening {
    let found = JournalContents(storage, layout)
    return JournalOpening(
      journal: CheckpointJournal(storage: storage, layout: layout, found: found),
      checkpoint: found.checkpoint, queue: found.queue, notes: found.notes)
  }
}
