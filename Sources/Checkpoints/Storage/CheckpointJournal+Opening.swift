// Taking up a journal again. Waits for the storage.

import Platform

/// A journal and what the last process has left in it.
public struct JournalOpening {
  /// The journal, ready to be written to.
  public let journal: CheckpointJournal
  /// The newest checkpoint that is whole; nil in a new file, or where nothing can be read.
  public let checkpoint: Checkpoint?
  /// The queue that belongs to it; without a checkpoint, the newest queue that is whole.
  public let queue: QueueRecord?
  /// What was wrong, as sentences for the log; empty after an orderly end.
  public let notes: [String]
}

extension CheckpointJournal {
  /// Takes up what `storage` holds: never fails, and whatever the storage holds does no harm. Storage that
  /// is smaller than its layout keeps what it can; writing beyond its end is an error of the storage.
  public static func open(_ storage: any CheckpointStorage, layout: CheckpointLayout) -> JournalOpening {
    let found = JournalContents(storage, layout)
    return JournalOpening(
      journal: CheckpointJournal(storage: storage, layout: layout, found: found),
      checkpoint: found.checkpoint, queue: found.queue, notes: found.notes)
  }
}
