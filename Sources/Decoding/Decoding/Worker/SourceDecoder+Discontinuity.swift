// How a decoder continues after a discontinuity in its stream, the same for all codecs. Worker process, one
// thread.

/// The cause of a discontinuity.
enum Discontinuity {
  /// The station was reconnected.
  case reconnect
  /// Bytes are missing or damaged within a connection.
  case damage
}

extension SourceDecoder {
  /// Continues after the decoder stopped: closes it, drops its undelivered frames, and opens a new one at the
  /// next link, part, frame or page.
  ///
  /// Called at the end of a chained stream's link, at a station's reconnect, and where a station's bytes
  /// cannot be decoded. The codec sees each as the end of a file, so whether it reports a cut frame as the
  /// end or as an error makes no difference.
  ///
  /// - Parameter obstacle: The decoder's failure; nil at the end of its bytes.
  /// - Returns: False at the end of the stream.
  /// - Throws: The obstacle, or a later one, if decoding cannot continue.
  func resume(behind obstacle: WorkerFailure?) throws(WorkerFailure) -> Bool {
    if reader.hasLength {
      // A file has parts instead. A failure within a part is final.
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
        // Skips a link without audio, and one with a damaged first frame.
        guard reader.hasNextLink || reader.isLive && Self.isPassable(error) else { throw error }
        obstacle = error
        continue
      }
      guard reader.hasNextLink else {
        throw WorkerFailure(
          .unsupportedFormat, "The stream changed to a format that the \(plugin.name) decoder does not play.")
      }
    }
  }

  private static var unreadable: WorkerFailure { WorkerFailure(.unreadable, "The stream cannot be read.") }

  /// The failure for a station whose bytes yield no audio but no error either.
  private static var silence: WorkerFailure {
    WorkerFailure(.corrupt, "The station sends nothing that can be decoded.")
  }

  /// Whether a decoder that starts at a later byte may succeed.
  private static func isPassable(_ failure: WorkerFailure) -> Bool {
    failure.kind == .corrupt || failure.kind == .unsupportedFormat
  }

  /// Opens a decoder on the present link. If the format changes or there is a discontinuity, its frames
  /// follow only after `adoptShape`.
  ///
  /// - Returns: False if the link has another codec.
  private func openLink(behind passed: Discontinuity?) throws(WorkerFailure) -> Bool {
    guard let bytes = reader.beginning(Sniffer.beginning) else {
      throw Self.unreadable
    }
    // After a discontinuity the link may begin within a frame, which `probe` would not recognise.
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
