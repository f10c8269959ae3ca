// Misbehavior of hostile workers, selected by the bytes of a conversation. One thread.

import AudioRing
import Platform

extension FakeWorker {
  /// Performs one trick.
  func lie(_ trick: Trick, _ choices: inout Choices, isQuiet: Bool) {
    if process.isDead, trick != .scribbleWord, trick != .scribbleSamples, trick != .scribbleHeader { return }
    switch trick {
    case .honest: beHonest(endless: choices.byte() & 1 == 1)
    case .silent: isHonest = false
    case .open: open(rate: [8000, 1, 44_100, 768_000][choices.below(4)])
    case .announce: announce()
    case .fill: fill()
    case .end:
      let index = index(&choices)
      if choices.byte() & 1 == 0 { store(index, RingLayout.endIndexOffset) }
      send(Wire.answer(4, asked.generation, index, word(&choices)))
    case .message: send(message(&choices))
    case .raw: send(choices.run(choices.below(48)))
    case .again: for _ in 0..<choices.byte() { send(lastSent) }
    case .cut: send(Array(lastSent.prefix(Int(choices.byte()) * lastSent.count / 256)))
    case .oversized: send(lastSent + [UInt8](repeating: choices.byte(), count: 4097))
    case .scribbleWord:
      let offset = [
        RingLayout.writeIndexOffset, RingLayout.endIndexOffset, RingLayout.retainIndexOffset, 192, 200, 0,
      ][choices.below(6)]
      store(index(&choices), offset)
    case .scribbleHeader: store(choices.word(), choices.below(32) * 8)
    case .scribbleSamples: scribble(&choices, isQuiet)
    case .hangUp: process.hangUp()
    case .die:
      let signals: [Int32] = [4, 5, 6, 7, 8, 9, 11, 24, 31, 15]
      let choice = choices.below(20)
      process.die(choice < 10 ? .killed(signal: signals[choice]) : .exited(Int32(choice) - 10))
    case .fail:
      send(Wire.failed(UInt32(choices.below(12)), letter: choices.byte(), letters: Int(choices.byte()) * 3))
    case .needs: send(Wire.number(6, UInt32(choices.below(4))))
    case .violate: send(Wire.number(7, UInt32(truncatingIfNeeded: word(&choices))))
    }
  }

  private func load(_ offset: Int) -> UInt64 { base.load(fromByteOffset: offset, as: UInt64.self) }

  private func store(_ value: UInt64, _ offset: Int) {
    if process.canScribble { base.storeBytes(of: value, toByteOffset: offset, as: UInt64.self) }
  }

  /// Any 64-bit number, mostly an extreme one.
  private func word(_ choices: inout Choices) -> UInt64 {
    Extremes.words[choices.below(Extremes.words.count)]
  }

  /// A ring index: an extreme one, or one near a relevant index.
  private func index(_ choices: inout Choices) -> UInt64 {
    let near = [asked.index, load(RingLayout.retainIndexOffset), load(RingLayout.writeIndexOffset)]
    let choice = choices.below(4)
    guard choice > 0 else { return word(&choices) }
    return near[choice - 1] &+ UInt64(bitPattern: Extremes.steps[choices.below(Extremes.steps.count)])
  }

  private func number(_ choices: inout Choices) -> UInt32 {
    choices.byte() & 1 == 0
      ? asked.generation &+ UInt32(truncatingIfNeeded: choices.below(5) - 2)
      : UInt32(truncatingIfNeeded: word(&choices))
  }

  private func message(_ choices: inout Choices) -> [UInt8] {
    let tag = UInt32(choices.below(12))
    switch tag {
    case 0:
      // A counter of the statistics message.
      var wire = Wire(tag: 15)
      wire.put(word(&choices))
      return wire.bytes
    case 1: return Wire.opened(stream(&choices))
    case 2: return Wire.ready(choices.byte() & 1 == 0 ? 0 : index(&choices), word(&choices))
    case 3, 4: return Wire.answer(tag, number(&choices), index(&choices), word(&choices))
    case 5: return Wire.failed(number(&choices), letter: choices.byte(), letters: 512)
    case 8, 9:
      var wire = Wire(tag: tag)
      for _ in 0..<choices.below(8) { wire.put(choices.byte(), count: 256, size: 256) }
      return wire.bytes
    default: return Wire.number(tag, number(&choices))
    }
  }

  private func stream(_ choices: inout Choices) -> Wire.Stream {
    let length = word(&choices)
    var stream = Wire.Stream(
      rate: 8000, sourceFrames: length, totalFrames: choices.byte() & 1 == 0 ? length : Wire.noLength)
    // At most one field is implausible: otherwise the engine would reject the first and not read the others.
    let value = UInt32(truncatingIfNeeded: word(&choices))
    switch choices.below(12) {
    case 0: stream.rate = value
    case 1: stream.channels = value
    case 2: stream.bits = value
    case 3: stream.isFloat = value
    case 4:
      stream.canSeek = value & 1
      stream.bytes = UInt64(value) << 32
    case 5: stream.trackNumber = value
    case 10: stream.discNumber = value
    case 6, 7: stream.loudness[choices.below(4)] = Extremes.floats[choices.below(Extremes.floats.count)]
    case 8: (stream.letter, stream.letters) = (choices.byte(), 256)
    case 9: stream.sourceFrames = word(&choices)
    case 11:
      stream.areIntegers = value & 1
      stream.holdsSheet = value >> 1 & 1
    default: break
    }
    return stream
  }

  private func scribble(_ choices: inout Choices, _ isQuiet: Bool) {
    let pattern = Extremes.floats[choices.below(Extremes.floats.count)]
    let first = Int(choices.byte()) * layout.capacity / 128
    let count = 1 << choices.below(16)
    guard process.canScribble, !isQuiet else { return }
    let samples = (base + RingLayout.headerBytes).assumingMemoryBound(to: UInt32.self)
    for place in first..<min(first + count, 2 * layout.capacity) { samples[place] = pattern }
  }
}

/// Action of a hostile worker.
enum Trick: CaseIterable {
  /// Behaves correctly from now on; or does nothing by itself.
  case honest, silent
  case open, announce, fill, end
  case message, raw, again, cut, oversized
  case scribbleWord, scribbleHeader, scribbleSamples
  case hangUp, die, fail, needs, violate
}
