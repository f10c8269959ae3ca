// Moves a decoder between the parts of a file. Worker process, one thread.

import CodecPlugin

extension SourceDecoder {
  /// Whether the source may have several parts.
  var mayHaveParts: Bool { isMeasurable && plugin.canMeasure && reader.hasLength }

  /// Bytes measured in one call, and the maximum when searching for the end of a part.
  private static let step = 1 << 20
  private static let maxMeasured = 1 << 30

  /// Measures the open part.
  ///
  /// - Parameter bytes: About how many bytes to read.
  /// - Returns: Whether its end is known; nil if it cannot be determined.
  /// - Throws: `unreadable` or `decoderCrashed`.
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
    // A file that cannot be measured has the length that its header states.
    if status < 0, parts.parts.count == 1 { isMeasurable = false }
    return status < 0 ? nil : status == 1
  }

  /// Continues with the next part, after all frames of the open part were decoded. Returns false at the end
  /// of the file.
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

  /// Opens the part that contains a frame.
  ///
  /// - Parameters:
  ///   - target: Frame of the file at the engine's rate.
  ///   - engine: The engine's rate in Hz.
  /// - Returns: The engine frame at which the part begins; nil if the present pipeline is the part's.
  func goToPart(holding target: Int64, at engine: Int64) throws(WorkerFailure) -> Int64? {
    guard mayHaveParts else { return nil }
    var (index, start) = (0, Int64(0))
    while true {
      try count(index, to: target - start, at: engine)
      // The part was removed, because no decoder opens it.
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

  /// Reopens the first part with its end known, so that its decoder does not read into the next one.
  func confineFirstPart() throws(WorkerFailure) {
    guard parts.parts.count > 1, parts.open == 0, position == 0, try enterPart(0) else { return }
    _ = adoptShape()
  }

  /// Measures a part until a frame of it at the engine's rate, or its end, is reached.
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

  /// Whether a failure is one of reading or memory and says nothing about the file's content.
  static func isBroken(_ failure: WorkerFailure) -> Bool {
    failure.kind == .unreadable || failure.kind == .decoderCrashed
  }

  /// Opens a decoder on a part, to be adopted by `adoptShape`. Returns false if the plugin does not recognise
  /// it.
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
      // The data after the previous part is not audio.
      parts.cut(at: index)
      let last = min(former, parts.parts.count - 1)
      reader.enterPart(at: parts.parts[last].base, to: parts.end(of: last))
      return false
    }
  }
}
