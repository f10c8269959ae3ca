// Maps tags between the daemon's answers and MPD's protocol. Pure.

extension BoxFields {
  /// A tag of a row's song; nil if unknown. The daemon shows the file name if there is no title; that is not a title
  /// tag.
  func tag(_ tag: MPDTag) -> String? {
    switch tag {
    case .artist: self["artist"]
    case .album: self["album"]
    case .albumArtist: self["albumartist"]
    case .title: self["title"].flatMap { $0 == MediaPath.lastPart(of: self["path"] ?? "") ? nil : $0 }
    case .track: self["number"]
    case .genre: self["genre"]
    case .date: self["date"]
    case .disc: self["disc"]
    case .name: nil
    }
  }
}

extension BoxFields {
  /// All values of a tag of a row's song. For several values the daemon adds fields beside the combined text.
  func values(_ tag: MPDTag) -> [String] {
    let name = MPDTag.small(tag.rawValue) + "-values"
    let several = all.filter { $0.name == name }.map { $0.value }
    return several.isEmpty ? self.tag(tag).map { [$0] } ?? [] : several
  }
}

extension MPDTag {
  /// A tag's name in the protocol's spelling; the lookup ignores case.
  static func shown(_ name: String) -> String {
    let small = small(name)
    return (allCases.map { $0.rawValue } + others).first { MPDTag.small($0) == small } ?? name
  }
}
