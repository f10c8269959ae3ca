// Storage that loses its power, tears what was not synced, and fails: every liberty that a file on an SD card
// has, and some more.
import Checkpoints
import PlaybackModel
import Platform

/// What the power cut does to writes that were not synced.
enum Tear: CaseIterable {
  /// None of them arrives.
  case nothing
  /// All of them do.
  case everything
  /// Each of them does or does not.
  case someWrites
  /// They arrive in order, up to some byte.
  case prefix
  /// Each of their sectors does or does not.
  case sectors
  /// Every page they touch holds the old, the new, zeros or rubbish.
  case pages
}

final class PowerStorage: CachedStorage {
  /// What is on the flash.
  private(set) var durable: [UInt8]
  /// What reads see: the kernel's memory. After a failed sync it may differ from the flash for good.
  private(set) var cache: [UInt8]
  private var pending: [(offset: Int, bytes: [UInt8])] = []
  private var random: ShuffleGenerator
  /// Writes and syncs so far.
  private(set) var operations = 0
  /// The operation during which the power goes.
  var lastOperation = Int.max
  /// Operations before the process is killed, which leaves what was written in the kernel's memory.
  var lifeLeft = Int.max
  /// Of so many operations one fails; 0 is none.
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
      // A part of it may be on its way all the same.
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
      // As Linux does it: reported once, marked as clean, perhaps lost.
      tear(Tear.allCases.randomElement(using: &random)!)
      throw SystemError("fdatasync", code: 5)
    }
    tear(.everything)
  }

  /// What is found when the power is back.
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

  /// Gives each part of the storage that was written to, whole and as it was meant, a chance to arrive.
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
