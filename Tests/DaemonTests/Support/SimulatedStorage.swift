// Simulated storage that survives a power cut: files, and a flash that loses what was not synced. One thread.

import Daemon
import Checkpoints
import Decoding
import Foundation
import Media
import Pictures
import Platform
import PlaybackModel
import Player

@testable import Simulator

/// A memory card with an operating system on it.
final class SimulatedStorage: FileStore, CheckpointFiles, MediaLookup, @unchecked Sendable {
  var files: [String: [UInt8]] = [:]
  var flashes: [String: SimulatedFlash] = [:]
  var tracks: [String: SimulatedTrack] = [:]
  var folders: [String: SimulatedFolder] = [:]
  /// Pictures by name and source, and the number of lookups.
  var pictures: [String: [PictureSource: PictureAnswer]] = [:]
  private(set) var pictureLooks = 0
  /// Music folders whose disk is not mounted.
  var absentRoots: Set<String> {
    get { Set(folders.filter { $0.value.isAbsent }.keys) }
    set {
      for folder in newValue.union(folders.keys) {
        folders[folder, default: SimulatedFolder(entries: [])].isAbsent = newValue.contains(folder)
      }
    }
  }
  /// Folders that do not exist.
  var missingFolders: Set<String> = []
  /// Conditions of the stream opened last.
  var conditions: StreamConditions?
  /// Whether requests for media get no response.
  var hangs = false
  /// Whether the storage of checkpoints and bookmarks does not respond.
  var stateHangs = false
  /// Whether the storage of the configuration does not respond.
  var configurationHangs = false
  /// Error code for reading and replacing the configuration; nil for success.
  var configurationFailure: Int32?
  /// Reported problem in the card's other files.
  var cardTrouble: String?
  /// Whether replacing files fails, as after a file system error, and whether reading the state files fails.
  var isReadOnly = false
  var isUnreadable = false
  /// Files in whose place is something else, with the code of the refusal: ELOOP for a link, EISDIR for a folder.
  var refusedFiles: [String: Int32] = [:]
  /// Whether the network keeps the machine's clock synchronized.
  var isClockTrusted = true
  /// Whether there is no space for a new file.
  var isFull = false

  func write(_ path: String, _ text: String) { files[path] = Array(text.utf8) }

  func remove(_ path: String) { files[path] = nil }

  func cutPower() {
    for flash in flashes.values { flash.cutPower() }
  }

  func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
    if let code = configurationFailure, path.hasSuffix(".conf") {
      throw SystemError("read", on: path, code: code)
    }
    try checkRefusal(path)
    if isUnreadable, path.hasPrefix("/state") { throw SystemError("read", on: path, code: EIO) }
    guard let file = files[path] else { throw SystemError("open", on: path, code: ENOENT) }
    return Array(file.prefix(limit))
  }

  func replace(_ path: String, with bytes: [UInt8], isPrivate: Bool) throws(SystemError) {
    try checkRefusal(path)
    if isReadOnly { throw SystemError("open", on: path, code: EROFS) }
    if isFull { throw SystemError("write", on: path, code: ENOSPC) }
    replacements += 1
    files[path] = bytes
    if isPrivate { privateFiles.insert(path) } else { privateFiles.remove(path) }
  }

  private func checkRefusal(_ path: String) throws(SystemError) {
    if let code = refusedFiles[path] { throw SystemError(StateFileRefusal.call, on: path, code: code) }
  }

  /// How often a file was replaced.
  private(set) var replacements = 0
  /// Files that are readable by their owner only.
  private(set) var privateFiles: Set<String> = []
  func boardProfile(_ name: String) -> [UInt8]? { files["/boards/" + name] }

  func open(_ path: String) throws(SystemError) -> (any CheckpointStorage)? { flashes[path] }

  func create(_ path: String, size: Int, head: [UInt8]) throws(SystemError) -> any CheckpointStorage {
    let flash = SimulatedFlash(head + [UInt8](repeating: 0, count: size - head.count))
    flashes[path] = flash
    return flash
  }

  func setAside(_ path: String) throws(SystemError) {
    flashes[path + ".bad"] = flashes.removeValue(forKey: path)
  }

  /// The cancellations of all requests.
  var cancellations: [Cancellation] = []
  func heeding(_ cancellation: Cancellation) -> any MediaLookup {
    cancellations.append(cancellation)
    return self
  }

  /// Lookup requests, oldest first; each is a process on a real machine.
  var questions: [String] = []

  func locate(_ name: String, within roots: MediaRoots) -> String? {
    questions.append("locate")
    return place(of: name, within: roots)
  }

  private func place(of name: String, within roots: MediaRoots) -> String? {
    let path = name.hasPrefix("/") ? name : (roots.folders.first ?? "") + "/" + name
    return tracks[path] == nil && folders[path] == nil ? nil : path
  }

  func expand(_ path: String, within roots: MediaRoots) throws(PlaybackError) -> ExpandedMedia {
    questions.append("expand")
    guard let folder = folders[path] else { return ExpandedMedia([Track(id: 0, path: path)]) }
    guard folder.names.isEmpty else {
      return ExpandedMedia(folder.names.map { Track(id: 0, path: path + "/" + $0) })
    }
    return ExpandedMedia(Array(repeating: Track(id: 0, path: path + "/track"), count: folder.tracks))
  }

  func entries(of folder: String, within roots: MediaRoots) throws(SystemError) -> [DirectoryEntry] {
    questions.append("entries")
    if missingFolders.contains(folder) { throw SystemError("opendir", on: folder, code: ENOENT) }
    return names(in: folder)
  }

  private func names(in folder: String) -> [DirectoryEntry] {
    absentRoots.contains(folder) ? [] : folders[folder]?.entries ?? []
  }

  func match(_ name: String, in root: String, within roots: MediaRoots) -> NameMatch? {
    questions.append("match")
    return NameMatch(
      name, within: roots.leading(with: root),
      locate: { self.place(of: $0, within: $1) }, list: { self.names(in: $0) })
  }

  func picture(of name: String, _ source: PictureSource, within roots: MediaRoots) -> PictureAnswer {
    guard locate(name, within: roots) != nil else { return .missing }
    pictureLooks += 1
    let found = pictures[name] ?? [:]
    return (source == .any ? found[.track] ?? found[.folder] : found[source]) ?? .none
  }
}

/// A folder: the number of tracks that it plays, and its listed entries. An integer literal sets the number
/// of tracks.
struct SimulatedFolder: ExpressibleByIntegerLiteral {
  var tracks = 0
  /// Names of these tracks; if empty, all have the same name.
  var names: [String] = []
  var entries: [DirectoryEntry] = []
  /// Whether it is on a disk that is not mounted.
  var isAbsent = false

  init(entries: [DirectoryEntry]) { self.entries = entries }
  init(integerLiteral tracks: Int) { self.tracks = tracks }
}

final class SimulatedFlash: CachedStorage {
  private var durable: [UInt8]
  private var cache: [UInt8]
  /// Bytes written since it was created.
  private(set) var written = 0

  init(_ bytes: [UInt8]) {
    durable = bytes
    cache = bytes
  }

  var size: Int { cache.count }
  func cutPower() { cache = durable }

  func read(at offset: Int, count: Int) throws(SystemError) -> [UInt8] {
    Array(cache[offset..<min(offset + count, cache.count)])
  }

  func write(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
    written += bytes.count
    cache.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
  }

  func sync() throws(SystemError) { durable = cache }
}

/// Runs jobs inline, some milliseconds later, or never.
final class SimulatedWorker: BackgroundWorker {
  private let timer: DeadlineTimer
  private let isHung: () -> Bool
  private var jobs: [(work: @Sendable () -> Void, then: (SystemError?) -> Void)] = []

  private var hangs: Bool { isHung() }

  /// A worker that does nothing while its storage hangs.
  init(_ scheduler: SimulatedScheduler, isHung: @escaping () -> Bool) {
    timer = DeadlineTimer(scheduler)
    self.isHung = isHung
  }

  func run(_ work: @escaping @Sendable () -> Void, then: @escaping (SystemError?) -> Void) {
    jobs.append((work, then))
    planNext()
  }

  func wait(within nanoseconds: UInt64) -> Bool {
    guard !hangs else { return jobs.isEmpty }
    while !jobs.isEmpty { doNext() }
    return true
  }

  private func planNext() {
    guard !timer.isRunning, !jobs.isEmpty else { return }
    timer.start(after: 5_000_000) { [unowned self] in
      // A caller may have waited for all jobs since the timer was set.
      if !hangs, !jobs.isEmpty { doNext() }
      planNext()
    }
  }

  private func doNext() {
    let job = jobs.removeFirst()
    job.work()
    job.then(nil)
  }
}
