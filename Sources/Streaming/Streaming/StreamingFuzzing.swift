// Entry points for the coverage-guided fuzzer: HLS playlists and segments. Not used by the player.

/// Passes arbitrary bytes to the parsers of HLS playlists and segments.
package enum StreamingFuzzing {
  /// Parses `bytes` as a playlist. Traps if a result breaks a documented bound.
  package static func playlist(_ bytes: [UInt8]) {
    guard let playlist = try? PlaylistLines.read(Array(bytes.prefix(Playlist.maxLength))) else { return }
    switch playlist {
    case .variants(let variants):
      precondition(VariantChoice.order(variants).count == variants.count, "each has a place")
    case .segments(let list):
      precondition(list.segments.count <= Playlist.maxSegments && SegmentList.targets.contains(list.target))
      var schedule = SegmentSchedule()
      for time in 0..<4 as Range<UInt64> { _ = schedule.take(list, at: time << 40) }
      for segment in list.segments {
        if let address = WebAddress.resolve(list.text[segment.part.reference], against: "http://a/b/c") {
          precondition(StreamRequest.isStream(address), "it is fetched by a transport")
        }
      }
    }
  }

  /// Unpacks `bytes` as a segment, whole and in two pieces. Traps if the results differ.
  package static func segment(_ bytes: [UInt8]) {
    let whole = unpacked([bytes[...]])
    let halves = unpacked([bytes[..<(bytes.count / 2)], bytes[(bytes.count / 2)...]])
    precondition(whole == halves, "pieces make no difference")
  }

  /// The unpacked segment; nil if it is invalid.
  private static func unpacked(_ pieces: [ArraySlice<UInt8>]) -> [UInt8]? {
    var unpacker = SegmentUnpacker()
    unpacker.begin(at: 0)
    for piece in pieces {
      let isGood = piece.withUnsafeBytes { (bytes) -> Bool in
        do throws(FetchFailure) {
          _ = try unpacker.take(bytes)
          return true
        } catch {
          return false
        }
      }
      guard isGood else { return nil }
    }
    do throws(FetchFailure) { try unpacker.end() } catch { return nil }
    return unpacker.output
  }
}
