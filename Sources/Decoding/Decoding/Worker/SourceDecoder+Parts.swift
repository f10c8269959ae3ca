// How a decoder goes from one part of a file to another, as from a link of a station to the next. Worker process, one thread.

import CodecPlugin

extension SourceDecoder {
  /// Whether the source may have several parts that can be gone to.
  var mayHaveParts: Bool { isMeasurable && plugin.canMeasure && reader.hasLength }

  /// Bytes that are measured between two looks, and at most in search of a part's end.
  private static let step = 1 << 20
  private static let maxMeasured = 1 << 30

  /// Measures the open part, reading about `bytes` bytes.
  ///
  /// - Returns: Whether its end is known; nil where it cannot be.
  /// - Throws: Where the file cannot be read.
  func measure(bytes: Int) throws(WorkerFailure) -> Bool? {
    guard mayHaveParts, let decoder else { return nil }
    var extent = swiftlet_extent()
    let status = plugin.measure(decoder, bytes: bytes, &extent)
    if status == 1 {
      parts.note(
        frames: extent.frames, next: extent.next > 0 ? reader.start + extent.next : nil, of: parts.open)
    }
    if status < 0 {
      let failure = failure(status)
      guard !Self.isBroken(failure) else { throw failure }
    }
    // Of other files, what their header states is all.
    if status < 0, parts.parts.count == 1 { isMeasurable = false }
    return status < 0 ? nil : status == 1
  }

  /// Continues with the part behind the open one, whose frames were all decoded; false where the file ends.
  func enterNextPart() throws(WorkerFailure) -> Bool {
    guard mayHaveParts else { return false }
    var measured = 0
    while try measure(bytes: Self.step) == false {
      measured += Self.step
      guard measured < Self.maxMeasured else { return false }
    }
    let next = parts.open + 1
    guard next < parts.parts.count else { return false }
    if position > 0 { parts.note(frames: position, of: parts.open) }
    try links.pay(isFile: true)
    return try enterPart(next)
  }

  /// Goes to the part that holds a frame of the file at the engine's rate.
  ///
  /// - Returns: The engine's frame that the part begins with; nil where the pipeline is that part's.
  func goToPart(holding target: Int64, at engine: Int64) throws(WorkerFailure) -> Int64? {
    guard mayHaveParts else { return nil }
    var (index, start) = (0, Int64(0))
    while true {
      try count(index, to: target - start, at: engine)
      // No decoder opened it.
      guard index < parts.parts.count else {
        index -= 1
        start -= parts.length(of: index, at: engine) ?? 0
        break
      }
      guard index + 1 < parts.parts.count, let length = parts.length(of: index, at: engine),
        target - start >= length
      else { break }
      start += length
      index += 1
    }
    guard index != parts.playing || index != parts.open || links.shape != nil || decoder == nil else {
      return nil
    }
    if parts.open != index || decoder == nil, try !enterPart(index) {
      throw WorkerFailure(.corrupt, "The file changed while it was being played.")
    }
    _ = adoptShape()
    return start
  }

  /// Opens the first part again once it is known where that ends, so that its decoder sees nothing of the next one.
  func confineFirstPart() throws(WorkerFailure) {
    guard parts.parts.count > 1, parts.open == 0, position == 0, try enterPart(0) else { return }
    _ = adoptShape()
  }

  /// Measures a part until a frame of it at the engine's rate, or its end, is known.
  private func count(_ index: Int, to target: Int64, at engine: Int64) throws(WorkerFailure) {
    guard parts.parts[index].frames == nil, target > 0 else { return }
    if parts.open != index { guard try enterPart(index) else { return } }
    let wanted = Rescaling(source: engine, engine: max(1, parts.parts[index].rate)).engineFrames(target)
    var (extent, measured) = (swiftlet_extent(), 0)
    while let decoder, measured < Self.maxMeasured {
      let status = plugin.measure(decoder, bytes: Self.step, &extent)
      guard status == 0 else {
        _ = try measure(bytes: 0)
        return
      }
      if extent.frames > wanted { return }
      measured += Self.step
    }
  }

  /// Whether a failure says nothing about the content of a file: it cannot be read, or memory is short.
  static func isBroken(_ failure: WorkerFailure) -> Bool {
    failure.kind == .unreadable || failure.kind == .decoderCrashed
  }

  /// Opens a decoder on a part, which `adoptShape` makes the one that is played; false where the plugin does not play it.
  private func enterPart(_ index: Int) throws(WorkerFailure) -> Bool {
    close()
    let former = parts.open
    reader.enterPart(at: parts.parts[index].base, to: parts.end(of: index))
    do throws(WorkerFailure) {
      let next = try opened()
      parts.open = index
      parts.note(rate: next.sourceRate, of: index)
      links.shape = next
      return true
    } catch {
      close()
      guard !Self.isBroken(error) else {
        reader.enterPart(at: parts.parts[former].base, to: parts.end(of: former))
        throw error
      }
      // What follows is no sound.
      parts.cut(at: index)
      let last = min(former, parts.parts.count - 1)
      reader.enterPart(at: parts.parts[last].base, to: parts.end(of: last))
      return false
    }
  }
}
