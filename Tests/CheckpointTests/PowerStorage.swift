// Storage that loses power, tears unsynced writes, and fails: everything that can happen to a file on an SD
// card, and more. Test threads.
import Checkpoints
import PlaybackModel
import Platform

/// The effect of a power cut on unsynced writes.
enum Tear: CaseIterable {
  /// No write is durable.
  case nothing
  /// All writes are durable.
  case everything
  /// Each write is durable or lost.
  case someWrites
  /// A prefix of the written bytes is durable.
  case prefix
  /// Each written sector is durable or lost.
  case sectors
  /// Each written page has its old content, the new one, zeros or random bytes.
  case pages
}

final class PowerStorage: CachedStorage {
  /// The content of the flash.
  private(set) var durable: [UInt8]
  /// The page cache, which reads return. After a failed sync it may differ from the flash permanently.
  private(set) var cache: [UInt8]
  private var pending: [(offset: Int, bytes: [UInt8])] = []
  private var random: ShuffleGenerator
  /// Writes and syncs so far.
  private(set) var operations = 0
  /// The operation during which the power fails.
  var lastOperation = Int.max
  /// Operations until the process is killed, which keeps the page cache.
  var lifeLeft = Int.max
  /// One of this many operations fails; 0 for none.
  var failsOneIn = 0

  init(_ bytes: [UInt8], seed: UInt64 = 0) {
    durable = bytes
    cache = bytes
    random = ShuffleGenerator(seed: seed)
  }

  var size: Int { durable.count }
  var hasPower: Bool { operations < lastOperation }

  func read(at offset: Int, count: Int) throws(SystemError) -> [UInt8] {
    Array(cache[offset..<min(offset + count, cache.count)])
  }

  func write(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
    guard hasPower, isAlive() else { throw SystemError("pwrite", code: 5) }
    operations += 1
    if isFailing {
      // Part of it may still be written.
      take(Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random))), at: offset)
      throw SystemError("pwrite", code: [5, 28, 30].randomElement(using: &random)!)
    }
    take(bytes, at: offset)
    guard hasPower else { throw SystemError("pwrite", code: 5) }
  }

  func sync() throws(SystemError) {
    guard hasPower, isAlive() else { throw SystemError("fdatasync", code: 5) }
    operations += 1
    guard hasPower else { throw SystemError("fdatasync", code: 5) }
    if isFailing {
      // As on Linux: the error is reported once, and the pages are marked clean and may be lost.
      tear(Tear.allCases.randomElement(using: &random)!)
      throw SystemError("fdatasync", code: 5)
    }
    tear(.everything)
  }

  /// The content after the power cut.
  func image(_ kind: Tear, seed: UInt64) -> [UInt8] {
    let after = PowerStorage(durable, seed: seed)
    after.pending = pending
    after.tear(kind)
    return after.durable
  }

  private func isAlive() -> Bool {
    lifeLeft -= lifeLeft == Int.max ? 0 : 1
    return lifeLeft >= 0
  }

  private var isFailing: Bool { failsOneIn > 0 && Int.random(in: 0..<failsOneIn, using: &random) == 0 }

  private func take(_ bytes: [UInt8], at offset: Int) {
    cache.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    pending.append((offset, bytes))
  }

  private func tear(_ kind: Tear) {
    switch kind {
    case .nothing: break
    case .everything: for write in pending { apply(write.bytes[...], write.offset) }
    case .someWrites:
      for write in pending.shuffled(using: &random) where Bool.random(using: &random) {
        apply(write.bytes[...], write.offset)
      }
    case .prefix:
      var left = Int.random(in: 0...pending.reduce(0) { $0 + $1.bytes.count }, using: &random)
      for write in pending {
        apply(write.bytes.prefix(left), write.offset)
        left -= min(left, write.bytes.count)
      }
    case .sectors: everyPart(of: 512) { _, part in part }
    case .pages:
      everyPart(of: 4096) { random, part in
        switch Int.random(in: 0..<4, using: &random) {
        case 0: [UInt8](repeating: 0, count: part.count)
        case 1: part.map { _ in UInt8.random(in: 0...255, using: &random) }
        default: part
        }
      }
    }
    pending = []
  }

  /// Offers each written part of the storage, with its intended content, for `change` to make durable or not.
  private func everyPart(of count: Int, _ change: (inout ShuffleGenerator, [UInt8]) -> [UInt8]) {
    var meant = durable
    var touched = Set<Int>()
    for write in pending where !write.bytes.isEmpty {
      meant.replaceSubrange(write.offset..<write.offset + write.bytes.count, with: write.bytes)
      touched.formUnion(write.offset / count...(write.offset + write.bytes.count - 1) / count)
    }
    for part in touched.sorted() where Bool.random(using: &random) {
      let range = part * count..<min((part + 1) * count, size)
      apply(change(&random, Array(meant[range]))[...], range.lowerBound)
    }
  }

  private func apply(_ bytes: ArraySlice<UInt8>, _ offset: Int) {
    durable.replaceSubrange(offset..<offset + bytes.count, with: bytes)
  }
}
