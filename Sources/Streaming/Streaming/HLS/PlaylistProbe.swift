// Detects whether a server's response is an HLS playlist. Pure; fetcher process.

import Platform

/// Buffers the beginning of a response until its type is known, and all of an HLS playlist.
struct PlaylistProbe {
  private enum Verdict { case open, playlist, other }

  /// Number of bytes in which an HLS playlist must be recognised.
  private static let beginning = 4096

  let answer: SourceAnswer
  private(set) var bytes: [UInt8] = []
  private(set) var isWhole = false
  private var verdict = Verdict.open

  init(_ answer: SourceAnswer) { self.answer = answer }

  /// Whether the response is not an HLS playlist.
  var isOther: Bool { verdict == .other }

  /// Whether the content type or the URL's extension suggests an HLS playlist.
  static func isPossible(_ answer: SourceAnswer, at url: String) -> Bool {
    if answer.isList || answer.isOfType("text/plain") { return true }
    let path = url.utf8.prefix { $0 != 0x3F && $0 != 0x23 }.suffix(5)
    return path.map { $0.asciiLowercased }.elementsEqual(".m3u8".utf8)
  }

  /// Buffers received bytes. Of a playlist that is too long, keeps one byte more than permitted.
  mutating func take(_ more: UnsafeRawBufferPointer) {
    if verdict == .playlist {
      bytes += more.prefix(max(0, Playlist.maxLength + 1 - bytes.count))
      isWhole = bytes.count > Playlist.maxLength
    } else {
      bytes += more
      judge(isAll: bytes.count >= Self.beginning)
    }
  }

  /// Ends the response.
  mutating func end() {
    judge(isAll: true)
    isWhole = verdict == .playlist
  }

  private mutating func judge(isAll: Bool) {
    guard verdict == .open else { return }
    let begin = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    if !"#EXTM3U".utf8.starts(with: bytes[begin...].prefix(7)) {
      verdict = .other
    } else if Playlist.isOne(bytes[...]) {
      verdict = .playlist
    } else if isAll {
      verdict = .other
    }
  }
}
