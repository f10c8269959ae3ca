// Finds out whether what a server sends is a playlist of HTTP Live Streaming. Pure; fetcher process.

import Platform

/// Holds back the beginning of what may be a playlist until that is known, and all of one.
struct PlaylistProbe {
  private enum Verdict { case open, playlist, other }

  /// Within so many bytes a playlist shows that it is one.
  private static let beginning = 4096

  let answer: SourceAnswer
  private(set) var bytes: [UInt8] = []
  private(set) var isWhole = false
  private var verdict = Verdict.open

  init(_ answer: SourceAnswer) { self.answer = answer }

  /// Whether it is none: a list of a station's addresses, or no list at all.
  var isOther: Bool { verdict == .other }

  /// Whether an answer, or the address that was asked, says that it may be one.
  static func isPossible(_ answer: SourceAnswer, at url: String) -> Bool {
    if answer.isList || answer.isOfType("text/plain") { return true }
    let path = url.utf8.prefix { $0 != 0x3F && $0 != 0x23 }.suffix(5)
    return path.map { $0.asciiLowercased }.elementsEqual(".m3u8".utf8)
  }

  /// Takes bytes as they come. One that is too long is kept too long by a byte.
  mutating func take(_ more: UnsafeRawBufferPointer) {
    if verdict == .playlist {
      bytes += more.prefix(max(0, Playlist.maxLength + 1 - bytes.count))
      isWhole = bytes.count > Playlist.maxLength
    } else {
      bytes += more
      judge(isAll: bytes.count >= Self.beginning)
    }
  }

  /// No more will come.
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
