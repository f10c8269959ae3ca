// The checkpoint file: created, reopened, locked, set aside; and state files that are replaced as a whole.
// Test threads.
import Checkpoints
import Foundation
import PlaybackModel
import Platform
import Synchronization
import Testing

/// Runs a test in a temporary folder.
private func inFolder(_ body: (String) throws -> Void) throws {
  let folder = NSTemporaryDirectory() + "checkpoints-" + UUID().uuidString
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: folder) }
  try body(folder)
}

private func contents(_ path: String) -> [UInt8]? {
  FileManager.default.contents(atPath: path).map { Array($0) }
}

/// Tries without pause to lock a file, as a second daemon would.
private final class RivalLock: Sendable {
  private let descriptor: Int32
  private let isOver = Atomic(false)
  private let hasLocked = Atomic(false)
  private let begin = DispatchSemaphore(value: 0)
  private let end = DispatchSemaphore(value: 0)

  init?(_ path: String) {
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
  }

  deinit { close(descriptor) }

  /// Runs `body` while another thread tries.
  ///
  /// - Returns: Whether that thread has got the lock.
  func getsLock(during body: () throws -> Void) rethrows -> Bool {
    isOver.store(false, ordering: .relaxed)
    hasLocked.store(false, ordering: .relaxed)
    Thread.detachNewThread { [self] in
      begin.signal()
      while !isOver.load(ordering: .relaxed) {
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { continue }
        _ = flock(descriptor, LOCK_UN)
        hasLocked.store(true, ordering: .relaxed)
      }
      end.signal()
    }
    begin.wait()
    do {
      defer {
        isOver.store(true, ordering: .relaxed)
        end.wait()
      }
      try body()
    }
    return hasLocked.load(ordering: .relaxed)
  }
}

/// Opens a file for which this process has no right to write, also as root.
private func openedForReading(_ path: String) throws -> FileStorage? {
  chmod(path, 0o444)
  defer { chmod(path, 0o644) }
  // The file system's user id belongs to the thread (setfsuid(2)), and Glibc's module lacks it.
  typealias SetUser = @convention(c) (UInt32) -> Int32
  let setUser = dlsym(nil, "setfsuid").map { unsafeBitCast($0, to: SetUser.self) }
  let user = setUser?(65_534)
  defer { if let user { _ = setUser?(UInt32(user)) } }
  return try FileStorage.open(path)
}

@Suite struct FileTests {
  private let layout = CheckpointLayout(areaBytes: 8192)

  private func pair(_ seed: UInt64) -> (Checkpoint, QueueRecord) {
    var random = ShuffleGenerator(seed: seed)
    return randomPair(&random)
  }

  /// Opens the file, writes one checkpoint, and closes it.
  private func write(_ path: String, _ seed: UInt64) throws {
    let (checkpoint, queue) = pair(seed)
    _ = try CheckpointFile.open(path, layout: layout).journal.write(checkpoint, queue: queue)
  }

  @Test func isMadeOnceAndTakenUp() throws {
    try inFolder { folder in
      let path = folder + "/state"
      try write(path, 1)
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
      #expect(attributes[.size] as? Int == layout.fileBytes)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["state"])
      let opening = try CheckpointFile.open(path, layout: layout)
      #expect(opening.checkpoint == pair(1).0 && opening.queue == pair(1).1 && opening.notes.isEmpty)
    }
  }

  @Test func onlyOneProcessHasIt() throws {
    try inFolder { folder in
      let path = folder + "/state"
      let first = try CheckpointFile.open(path, layout: layout)
      #expect { try CheckpointFile.open(path, layout: layout) } throws: {
        ($0 as? SystemError)?.code == EBUSY && ($0 as? SystemError)?.subject == path
      }
      _ = try first.journal.write(pair(1).0, queue: pair(1).1)
    }
  }

  /// A file on storage that was read-only is reopened at its first write; a second daemon cannot lock it then.
  @Test func aFileThatIsReopenedStaysLocked() throws {
    try inFolder { folder in
      let path = folder + "/state"
      try write(path, 1)
      let rival = try #require(RivalLock(path))
      for _ in 0..<200 {
        let storage = try #require(try openedForReading(path))
        #expect(storage.isReadOnly)
        let isLost = try rival.getsLock { try storage.write([1], at: 0) }
        #expect(!isLost && !storage.isReadOnly)
      }
    }
  }

  @Test func nonsenseIsSetAside() throws {
    try inFolder { folder in
      let path = folder + "/state"
      for bytes in [[], Array("not a checkpoint".utf8), [UInt8](repeating: 0xAA, count: 100_000)] {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let opening = try CheckpointFile.open(path, layout: layout)
        #expect(opening.checkpoint == nil && opening.notes.first?.contains(".bad") == true)
        #expect(contents(path + ".bad") == bytes)
        _ = try opening.journal.write(pair(1).0, queue: pair(1).1)
      }
    }
  }

  @Test func whatIsNoFileIsSetAside() throws {
    try inFolder { folder in
      let path = folder + "/state"
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/etc/passwd")
      #expect(try CheckpointFile.open(path, layout: layout).notes.count == 1)
      try FileManager.default.removeItem(atPath: path)
      try FileManager.default.removeItem(atPath: path + ".bad")
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      #expect(try CheckpointFile.open(path, layout: layout).notes.count == 1)
      #expect(try CheckpointFile.open(path, layout: layout).notes.isEmpty)
    }
  }

  @Test(arguments: ["head", "short", "long", "layout"])
  func whatCanBeReadIsTakenAlong(damage: String) throws {
    try inFolder { folder in
      let path = folder + "/state"
      try write(path, 2)
      var bytes = try #require(contents(path))
      var layout = layout
      switch damage {
      case "head": bytes[3] ^= 1
      case "short": bytes.removeLast(5000)
      case "long": bytes += [1, 2, 3]
      default: layout = CheckpointLayout(areaBytes: 16384)
      }
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      let opening = try CheckpointFile.open(path, layout: layout)
      #expect(opening.checkpoint == pair(2).0 && opening.queue == pair(2).1 && opening.notes.count == 1)
      _ = consume opening
      let again = try CheckpointFile.open(path, layout: layout)
      #expect(again.checkpoint == pair(2).0 && again.queue == pair(2).1 && again.notes.isEmpty)
    }
  }

  @Test func aFileThatWasRemovedIsNoticed() throws {
    try inFolder { folder in
      let path = folder + "/state"
      let journal = try CheckpointFile.open(path, layout: layout).journal
      try FileManager.default.removeItem(atPath: path)
      #expect { try journal.write(pair(1).0) } throws: { ($0 as? SystemError)?.code == ENOENT }
    }
  }

  @Test func withoutAFolderTheErrorNamesTheFile() {
    #expect { try CheckpointFile.open("/nowhere/at/all/state") } throws: {
      ($0 as? SystemError)?.description.contains("/nowhere/at/all/state") == true
    }
  }

  @Test func stateFilesAreReplacedWhole() throws {
    try inFolder { folder in
      let path = folder + "/config"
      try StateFile(path).replace(with: Array("one".utf8), permissions: 0o640)
      try StateFile(path).replace(with: Array("two".utf8))
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(contents(path) == Array("two".utf8) && attributes[.posixPermissions] as? Int == 0o640)
      // The remains of an interrupted attempt do not matter.
      try Data("half".utf8).write(to: URL(fileURLWithPath: path + ".new"))
      try StateFile(path).replace(with: Array("three".utf8), isPrivate: true)
      #expect(contents(path) == Array("three".utf8))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["config"])
      #expect { try StateFile(folder + "/no/such").replace(with: []) } throws: {
        ($0 as? SystemError)?.subject == folder + "/no/such" && ($0 as? SystemError)?.code == ENOENT
      }
      // A folder at the path of the new file: the old file stays.
      try FileManager.default.createDirectory(atPath: path + ".new", withIntermediateDirectories: true)
      #expect(throws: SystemError.self) { try StateFile(path).replace(with: [1]) }
      #expect(contents(path) == Array("three".utf8))
    }
  }
}
