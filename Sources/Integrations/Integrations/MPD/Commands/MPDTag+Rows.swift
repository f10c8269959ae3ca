// Tags of songs in what the box answers, and their names in MPD's protocol. Pure.

extension BoxFields {
  /// A tag of the song that a row is about; nil where the box does not know it. A file's name is shown to people in a title's place,
  /// and is none.
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
  /// All values of a tag of the song that a row is about; the box lists several beside their common text.
  func values(_ tag: MPDTag) -> [String] {
    let name = MPDTag.small(tag.rawValue) + "-values"
    let several = all.filter { $0.name == name }.map { $0.value }
    return several.isEmpty ? self.tag(tag).map { [$0] } ?? [] : several
  }
}

extension MPDTag {
  /// A tag's name as the protocol writes it, in whatever letters it was asked for.
  static func shown(_ name: String) -> String {
    let small = small(name)
    return (allCases.map { $0.rawValue } + others).first { MPDTag.small($0) == small } ?? name
  }
}
