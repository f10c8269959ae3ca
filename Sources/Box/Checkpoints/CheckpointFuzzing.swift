// Entry point of the coverage-guided fuzzer for checkpoint and state files. Not part of the daemon.

import PlaybackModel
import Platform

/// Feeds arbitrary bytes to the readers of the checkpoint file and of the text files beside it.
package enum CheckpointFuzzing {
  /// Parses `bytes` as a slot, a note, a queue, a whole checkpoint file and each text file, and converts and
  /// writes the results again. Checksums of slots and notes are not verified, because a fuzzer cannot guess
  /// them. Traps only on a fault of the readers.
  package static func run(_ bytes: [UInt8]) {
    let track = Track(id: 1, path: "/a")
    var sector = Array(bytes.prefix(CheckpointSlot.byteCount))
    while sector.count < CheckpointSlot.byteCount { sector.append(0) }
    if let slot = CheckpointSlot(bytes: sector, checksIntegrity: false),
      let checkpoint = try? slot.checkpoint({ _ in track })
    {
      check(checkpoint, QueueRecord(PlayQueue().snapshot))
    }
    if let note = PositionNote(bytes: bytes.prefix(PositionNote.byteCount), checksIntegrity: false) {
      precondition(
        PositionNote(bytes: note.bytes[...]) == note, "a note that is read can be written and read again")
    }
    if let record = try? QueueCoding.decode(bytes) {
      check(
        Checkpoint(
          state: .idle(cause: nil, armed: .disarmed), moment: Moment(time: 0), rate: SampleRate(1),
          volume: Volume(0)), record)
      let written = QueueCoding.encode(record, generation: 1, limit: CheckpointLayout.maxArea).bytes
      precondition((try? QueueCoding.decode(written)) != nil, "what is read can be written and read again")
    }
    let layout = CheckpointLayout(areaBytes: CheckpointLayout.pageBytes)
    let opening = CheckpointJournal.open(MemoryStorage(bytes), layout: layout)
    if let checkpoint = opening.checkpoint {
      check(checkpoint, opening.queue ?? QueueRecord(PlayQueue().snapshot))
    }
    _ = CheckpointLayout(header: bytes)
    keep(Bookmarks.self, bytes)
    keep(Alarms.self, bytes)
    keep(TagStore.self, bytes)
    keep(PlaylistStore.self, bytes)
    keep(HeardTime.self, bytes)
  }

  private static func keep<Contents: KeptContents>(_: Contents.Type, _ bytes: [UInt8]) {
    let (contents, badLines) = Contents.read(bytes)
    precondition(badLines.count <= 10)
    precondition(contents.text.count <= Contents.maxFileBytes, "what is read fits a file again")
    let again = Contents.read(contents.text)
    precondition(
      again.contents == contents && again.badLines.isEmpty, "what is read can be written and read again")
  }

  private static func check(_ checkpoint: Checkpoint, _ record: QueueRecord) {
    precondition(record.queue(at: checkpoint.cursor).snapshot.isConsistent)
    _ = checkpoint.converted(to: SampleRate(44_100))
    _ = PlayerStateMachine.restore(
      checkpoint.state, saved: checkpoint.moment, settings: PlayerSettings(rate: checkpoint.rate))
    let slot = CheckpointSlot(checkpoint, sequence: 1, queue: nil)
    precondition(CheckpointSlot(bytes: slot.bytes) == slot)
  }
}
