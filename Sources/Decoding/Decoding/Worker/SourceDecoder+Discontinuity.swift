// What a decoder does where the bytes of a stream do not follow those before: one rule for all codecs. Worker process, one thread.

/// Why the sound of a stream does not follow what came before.
enum Discontinuity {
  /// The connection was made again.
  case reconnect
  /// Bytes are missing or damaged within a connection.
  case damage
}

extension SourceDecoder {
  /// Resumes decoding behind a discontinuity: the decoder is closed, what it has not delivered is dropped, and a new one begins with the
  /// next whole frame or page. Three things count as one: the beginning of the next link of a chained stream, the byte at which a
  /// station's connection was made again, and, in a station, bytes that the decoder cannot follow.
  ///
  /// A codec needs to know none of them: its bytes end there like those of a file. What it makes of a frame that was cut, end or error,
  /// is of no interest.
  ///
  /// - Parameter obstacle: Why the decoder stopped; nil where it came to the end of its bytes.
  /// - Returns: False where the stream has ended.
  /// - Throws: The obstacle, or the last one on the way, where it cannot be passed.
  func resume(behind obstacle: WorkerFailure?) throws(WorkerFailure) -> Bool {
    if reader.hasLength {
      // A file has parts instead, and a decoder that stopped on damage stops for good.
      if obstacle.map(Self.isPassable) ?? true, try enterNextPart() { return true }
      if let obstacle { throw obstacle }
      guard !reader.hasFailed else { throw Self.unreadable }
      return false
    }
    var obstacle = obstacle
    var passed: Discontinuity?
    while true {
      if !reader.enterLink() {
        if obstacle == nil, !reader.isLive || reader.isAtEnd {
          guard !reader.hasFailed else { throw Self.unreadable }
          return false
        }
        let reason = obstacle ?? Self.silence
        guard reader.isLive, Self.isPassable(reason), reader.resynchronize() else { throw reason }
      }
      try links.pay()
      passed = reader.discontinuity ?? passed
      close()
      do throws(WorkerFailure) {
        if try openLink(behind: passed) { return true }
      } catch {
        // A link without sound is no end, and neither is one whose first frame is damaged.
        guard reader.hasNextLink || reader.isLive && Self.isPassable(error) else { throw error }
        obstacle = error
        continue
      }
      guard reader.hasNextLink else {
        throw WorkerFailure(
          .unsupportedFormat, "The stream goes on as what the \(plugin.name) decoder does not play.")
      }
    }
  }

  private static var unreadable: WorkerFailure { WorkerFailure(.unreadable, "The stream cannot be read.") }

  /// Why a station is given up whose bytes make no sound, although none of them is wrong.
  private static var silence: WorkerFailure {
    WorkerFailure(.corrupt, "The station sends nothing that can be decoded.")
  }

  /// Whether a decoder that begins further on may succeed.
  private static func isPassable(_ failure: WorkerFailure) -> Bool {
    failure.kind == .corrupt || failure.kind == .unsupportedFormat
  }

  /// Opens a decoder on the present link. Its frames follow without a gap; those of another rate, of other channels or behind a
  /// discontinuity once `adoptShape` was called. Returns false where the link is another codec's.
  private func openLink(behind passed: Discontinuity?) throws(WorkerFailure) -> Bool {
    guard let bytes = reader.beginning(Sniffer.beginning) else {
      throw Self.unreadable
    }
    // Behind a discontinuity a link may begin within a frame, which says little to a plugin.
    guard reader.discontinuity != nil && !reader.mayBeChained || plugin.probe(bytes) >= Sniffer.sure else {
      return false
    }
    let next = try opened()
    if reader.mayBeChained { links.begin(next.tags, at: position) }
    discontinuity = passed
    if discontinuity != nil || next.sourceRate != info.sourceRate || next.channels != info.channels {
      links.shape = next
    }
    return true
  }
}
