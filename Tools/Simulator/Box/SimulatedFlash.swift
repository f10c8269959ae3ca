// File on simulated flash storage: unsynced writes are torn or lost on a power cut. One thread.

import Checkpoints
import Foundation
import Platform

/// Condition of the box's own storage.
package enum FlashHealth: String, CaseIterable, Sendable {
  case well
  /// Requests block.
  case hangs
  /// Some writes and syncs fail.
  case fails
  /// No file can be created or replaced.
  case full
  /// Read-only, as after a file system error.
  case readOnly = "read-only"
}

/// File that loses unsynced data in the ways an SD card may.
final class SimulatedFlash: CachedStorage, @unchecked Sendable {
  private unowned let storage: SimulatedStorage
  private var durable: [UInt8]
  private var cache: [UInt8]
  private var pending: [(offset: Int, bytes: [UInt8])] = []

  init(_ bytes: [UInt8], on storage: SimulatedStorage) {
    durable = bytes
    cache = bytes
    self.storage = storage
  }

  var size: Int { cache.count }

  func read(at offset: Int, count: Int) throws(SystemError) -> [UInt8] {
    guard offset >= 0, offset < cache.count, count > 0 else { return [] }
    return Array(cache[offset..<min(offset + count, cache.count)])
  }

  func write(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
    if storage.health == .readOnly { throw SystemError("open", code: EROFS) }
    guard let part = storage.operate(bytes.count) else { throw SystemError("pwrite", code: EIO) }
    cache.replaceSubrange(offset..<offset + part, with: bytes.prefix(part))
    pending.append((offset, Array(bytes.prefix(part))))
    if part < bytes.count { throw SystemError("pwrite", code: EIO) }
  }

  func sync() throws(SystemError) {
    guard storage.operate(1) == 1 else {
      // As on Linux: the error is reported once, the pages are marked clean, and the data may be lost.
      if storage.hasPower { tear() }
      throw SystemError("fdatasync", code: EIO)
    }
    guard !storage.forgetsSyncs else { return }
    for write in pending { apply(write.bytes[...], write.offset) }
    pending = []
  }

  /// Keeps only what is durable, after tearing the unsynced writes.
  func cutPower() {
    tear()
    cache = durable
  }

  /// Applies unsynced writes partially: in order up to some byte, sector by sector, or with garbage sectors.
  private func tear() {
    defer { pending = [] }
    switch storage.random.below(4) {
    case 0: break
    case 1:
      var left = storage.random.within(0...pending.reduce(0) { $0 + $1.bytes.count })
      for write in pending {
        apply(write.bytes.prefix(left), write.offset)
        left -= min(left, write.bytes.count)
      }
    case 2: everySector(of: 512) { _, bytes in bytes }
    default:
      everySector(of: 4096) { random, bytes in
        random.oneIn(2) ? bytes : bytes.map { _ in UInt8(random.below(256)) }
      }
    }
  }

  private func everySector(of size: Int, _ change: (inout Randomness, [UInt8]) -> [UInt8]) {
    for write in pending {
      var start = 0
      while start < write.bytes.count {
        let end = min(write.bytes.count, ((write.offset + start) / size + 1) * size - write.offset)
        if storage.random.oneIn(2) {
          apply(change(&storage.random, Array(write.bytes[start..<end]))[...], write.offset + start)
        }
        start = end
      }
    }
  }

  private func apply(_ bytes: ArraySlice<UInt8>, _ offset: Int) {
    durable.replaceSubrange(offset..<offset + bytes.count, with: bytes)
  }
}
