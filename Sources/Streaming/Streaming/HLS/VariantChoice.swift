// Selects the quality of an HLS stream to play. Pure; fetcher process.

/// Orders the variants of a playlist by preference.
enum VariantChoice {
  /// Maximum useful bit rate in bit/s: 320 kbit/s of audio and container overhead.
  static let maxBandwidth: Int64 = 352_000

  /// The variants in order of preference.
  ///
  /// Audio-only variants precede those with video. Among them, the highest bit rate up to the maximum comes
  /// first, then the lowest above it. Variants with unsupported codecs come last, but are kept, because their
  /// attributes may be wrong.
  static func order(_ variants: [Variant]) -> [Variant] {
    variants.enumerated().sorted {
      let (a, b) = (rank($0.element), rank($1.element))
      if a.group != b.group { return a.group < b.group }
      return a.cost == b.cost ? $0.offset < $1.offset : a.cost < b.cost
    }
    .map { $0.element }
  }

  private static func rank(_ variant: Variant) -> (group: Int, cost: Int64) {
    let kinds = variant.codecs.split(separator: 0x2C).map { PlaylistLines.trimmed($0) }
    let sounds = kinds.filter { !isPicture($0) }
    let hasPicture = variant.hasPicture || sounds.count < kinds.count
    let bandwidth = max(0, variant.bandwidth)
    if !sounds.isEmpty, !sounds.contains(where: isPlayable) { return (4, bandwidth) }
    // Video is downloaded and discarded.
    if hasPicture { return (kinds.isEmpty || !sounds.isEmpty ? 2 : 3, bandwidth) }
    return bandwidth <= maxBandwidth ? (0, maxBandwidth - bandwidth) : (1, bandwidth)
  }

  /// MP3, and AAC in the profiles that are decoded (RFC 6381; ISO/IEC 14496-3).
  private static func isPlayable(_ codec: ArraySlice<UInt8>) -> Bool {
    let known: [StaticString] = [
      "mp4a.40.2", "mp4a.40.02", "mp4a.40.5", "mp4a.40.05", "mp4a.40.29", "mp4a.40.34", "mp4a.69", "mp4a.6B",
      "mp3",
    ]
    return known.contains { PlaylistLines.isSame(codec, $0) }
  }

  private static func isPicture(_ codec: ArraySlice<UInt8>) -> Bool {
    let known: [StaticString] = ["avc", "hvc", "hev", "dvh", "vp0", "vp8", "vp9", "av01", "mp4v", "jpeg"]
    return known.contains {
      codec.starts(with: UnsafeBufferPointer(start: $0.utf8Start, count: $0.utf8CodeUnitCount))
    }
  }
}
