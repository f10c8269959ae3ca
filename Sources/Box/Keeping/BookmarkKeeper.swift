// The file with the places in long tracks: read at the start, replaced when a long track is left. Control thread;
// the storage is waited for by a thread of its own, and at the very end.

import Checkpoints
import PlaybackModel
import Platform
import Synchronization

/// Keeps bookmarks in a file.
final class BookmarkKeeper {
  /// What holds now; written by `keep`.
  var bookmarks = Bookmarks()
  /// Told of what goes wrong, for the log.
  var onNote: (String) -> Void = { _ in }

  private let path: String
  private let events: EventLoop
  private var written = Bookmarks()
  private var writer: BackgroundThread?
  private var timer: EventLoop.Token?
  private let job = Job()

  /// What the writing thread leaves behind; looked at only after it has ended.
  private final class Job: @unchecked Sendable {
    let isOver = Atomic<Bool>(true)
    var failure: SystemError?
  }

  init(beside checkpoint: String, events: EventLoop) {
    path = checkpoint + ".bookmarks"
    self.events = events
  }

  /// Reads the file; bad lines and whatever else is wrong are told and worked around.
  func read() {
    do throws(SystemError) {
      let (found, bad) = Bookmarks.read(try TextFile.bytes(path, limit: Bookmarks.longestFile))
      bookmarks = found
      written = found
      for line in bad { onNote("\(path), line \(line): this is no bookmark; it was skipped.") }
    } catch {
      if error.code != SystemError.noSuchFile { onNote("No bookmarks: \(error.description).") }
    }
  }

  /// Has the file written soon, if it is not as it should be.
  func keep() {
    guard bookmarks != written, timer == nil else { return }
    guard collect() else {
      timer = events.after(500_000_000) { [self] in
        timer = nil
        keep()
      }
      return
    }
    let text = bookmarks.text
    let (path, job) = (path, job)
    job.isOver.store(false, ordering: .releasing)
    written = bookmarks
    do throws(SystemError) {
      writer = try BackgroundThread {
        do throws(SystemError) { try AtomicFile.replace(path, with: text) } catch { job.failure = error }
        job.isOver.store(true, ordering: .releasing)
      }
    } catch {
      job.failure = error
      job.isOver.store(true, ordering: .releasing)
    }
    // To tell of a failure.
    timer = events.after(2_000_000_000) { [self] in
      timer = nil
      keep()
      _ = collect()
    }
  }

  /// Writes for the last time and waits for it.
  func finish() {
    if let timer { events.remove(timer) }
    timer = nil
    var patience = 50
    while !collect(), patience > 0 {
      patience -= 1
      var isOver = false
      _ = events.after(20_000_000) { isOver = true }
      while !isOver { events.turn(waits: true) }
    }
    // Storage that hangs is not waited for twice.
    guard writer == nil else {
      writer?.abandon()
      return onNote("\(path) could not be written in time.")
    }
    guard bookmarks != written else { return }
    written = bookmarks
    do throws(SystemError) {
      try AtomicFile.replace(path, with: bookmarks.text)
    } catch {
      tell(error)
    }
  }

  /// Takes the writer's result. False while it is at work.
  private func collect() -> Bool {
    guard job.isOver.load(ordering: .acquiring) else { return false }
    writer?.join()
    writer = nil
    if let failure = job.failure { tell(failure) }
    job.failure = nil
    return true
  }

  private func tell(_ failure: SystemError) {
    onNote(
      "The bookmarks were not written: \(failure.description). They are tried again when the next long track "
        + "is left.")
  }
}
