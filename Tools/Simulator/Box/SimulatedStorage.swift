// Storage of a simulated box that survives loss of power: files, checkpoints and music. One thread.

import Daemon
import Checkpoints
import Decoding
import Foundation
import Media
import Platform
import PlaybackModel

/// The box's storage, and the USB stick that can be inserted.
final class SimulatedStorage: FileStore, CheckpointFiles, MediaLookup, @unchecked Sendable {
  /// Present condition of the storage.
  var health = FlashHealth.well
  /// Decides what is lost in failures.
  var random: Randomness
  /// Operations that still complete before the power is gone; nil while there is power.
  var operationsLeft: Int?
  /// Whether a sync has no effect, as on a card that only claims to sync (`Saboteur.storage`).
  var forgetsSyncs = false
  /// Whether replaced files revert on a power cut (`Saboteur.files`).
  var forgetsFiles = false
  private var files: [(path: String, bytes: [UInt8])] = []
  private var formerFiles: [(path: String, bytes: [UInt8])] = []
  private var flashes: [(path: String, flash: SimulatedFlash)] = []
  private let tracks: [TrackPlan]
  /// Whether the USB stick is inserted.
  var hasStick = true

  init(_ tracks: [TrackPlan], seed: UInt64) {
    self.tracks = tracks
    random = Randomness(seed: seed)
  }

  var hasPower: Bool { operationsLeft != 0 }

  /// Performs one storage operation.
  /// - Returns: How many of `bytes` are written; nil if the operation fails.
  func operate(_ bytes: Int) -> Int? {
    if let left = operationsLeft {
      guard left > 0 else { return nil }
      operationsLeft = left - 1
      if left == 1 { return random.within(0...bytes) }
    }
    if health == .fails, random.oneIn(3) { return nil }
    return bytes
  }

  /// Cuts the power: unsynced data may be lost.
  func cutPower() {
    operationsLeft = nil
    if forgetsFiles { files = formerFiles }
    for entry in flashes { entry.flash.cutPower() }
  }

  // MARK: FileStore

  func put(_ path: String, _ bytes: [UInt8]) {
    files.removeAll { $0.path == path }
    files.append((path, bytes))
  }

  func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
    guard let file = files.first(where: { $0.path == path }) else {
      throw SystemError("open", on: path, code: ENOENT)
    }
    return Array(file.bytes.prefix(limit))
  }

  func replace(_ path: String, with bytes: [UInt8], isPrivate: Bool) throws(SystemError) {
    switch health {
    case .full: throw SystemError("write", on: path, code: ENOSPC)
    case .readOnly: throw SystemError("open", on: path, code: EROFS)
    case .well, .hangs, .fails: break
    }
    // Atomic: either the old file or the new one.
    guard operate(1) == 1 else { throw SystemError("fsync", on: path, code: EIO) }
    if formerFiles.isEmpty { formerFiles = files }
    put(path, bytes)
  }

  func boardProfile(_ name: String) -> [UInt8]? { nil }

  // MARK: CheckpointFiles

  func open(_ path: String) throws(SystemError) -> (any CheckpointStorage)? {
    flashes.first { $0.path == path }?.flash
  }

  func create(_ path: String, size: Int, head: [UInt8]) throws(SystemError) -> any CheckpointStorage {
    switch health {
    case .full: throw SystemError("fallocate", on: path, code: ENOSPC)
    case .readOnly: throw SystemError("open", on: path, code: EROFS)
    case .well, .hangs, .fails: break
    }
    let flash = SimulatedFlash(head + [UInt8](repeating: 0, count: size - head.count), on: self)
    flashes.removeAll { $0.path == path }
    flashes.append((path, flash))
    return flash
  }

  func setAside(_ path: String) throws(SystemError) {
    guard let place = flashes.firstIndex(where: { $0.path == path }) else { return }
    let flash = flashes.remove(at: place).flash
    flashes.removeAll { $0.path == path + ".bad" }
    flashes.append((path + ".bad", flash))
  }

  // MARK: MediaLookup

  /// The numbers of the tracks in a folder; nil if the folder does not exist.
  private func numbers(in folder: String) -> [Int]? {
    switch folder {
    case SimulatedDecoders.musicFolder: tracks.indices.filter { !tracks[$0].isOnStick }
    case SimulatedDecoders.stickFolder where hasStick: tracks.indices.filter { tracks[$0].isOnStick }
    default: nil
    }
  }

  func locate(_ name: String, within roots: MediaRoots) -> String? {
    if name.hasPrefix("/") { return exists(name) ? name : nil }
    for root in roots.folders where exists(root + "/" + name) { return root + "/" + name }
    return nil
  }

  private func exists(_ path: String) -> Bool {
    if numbers(in: path) != nil || CueSignal.isAnnouncement(path: path) { return true }
    guard let slash = path.lastIndex(of: "/"), let inside = numbers(in: String(path[..<slash])) else {
      return false
    }
    let name = path[path.index(after: slash)...]
    return name == "all.m3u" || Int(name).map { inside.contains($0) } ?? false
  }

  func expand(_ path: String, within roots: MediaRoots) throws(PlaybackError) -> ExpandedMedia {
    guard exists(path) else { throw PlaybackError(.missing, path: path) }
    let folder = path.hasSuffix("/all.m3u") ? String(path.dropLast(8)) : path
    guard let inside = numbers(in: folder) else { return ExpandedMedia([Track(id: 0, path: path)]) }
    return ExpandedMedia(inside.map { Track(id: 0, path: folder + "/\($0)") })
  }

  func match(_ name: String, in root: String, within roots: MediaRoots) -> NameMatch? {
    NameMatch(
      name, within: roots.leading(with: root),
      locate: { self.locate($0, within: $1) }, list: { try? self.entries(of: $0, within: roots) })
  }

  func entries(of folder: String, within roots: MediaRoots) throws(SystemError) -> [DirectoryEntry] {
    guard let inside = numbers(in: folder) else { throw SystemError("open", on: folder, code: ENOENT) }
    return inside.map { DirectoryEntry(name: "\($0)", isDirectory: false) }
  }
}
