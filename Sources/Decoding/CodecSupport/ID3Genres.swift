// The numbered genres of ID3v1 (id3.org, appendix A) with the Winamp extensions. Pure; worker process only.

/// Resolves genres in ID3 tags to names.
enum ID3Genres {
  /// The name of a genre number; nil if the number is not assigned.
  static func name(_ number: Int) -> [UInt8]? {
    names.indices.contains(number) ? Array(names[number].utf8) : nil
  }

  /// Resolves the text of a genre frame to names: `Rock`, `17`, or references of ID3v2.3 such as `(17)`, `(4)(31)`,
  /// `(RX)`, `(17)Rock` and `((text`. A text behind a single reference refines it and is left out; behind several
  /// references it is a genre besides them.
  static func names(of text: Bytes) -> [[UInt8]] {
    if let name = name(ofReference: text[...]) { return [name] }
    var found: [[UInt8]] = []
    var rest = text[...]
    while rest.first == 0x28, let end = rest.firstIndex(of: 0x29),
      let name = name(ofReference: rest[(rest.startIndex + 1)..<end])
    {
      found.append(name)
      rest = rest[(end + 1)...]
    }
    // A doubled bracket stands for one that begins a text.
    if rest.starts(with: [0x28, 0x28]) { rest = rest.dropFirst() }
    if found.count != 1, !rest.isEmpty { found.append(Array(rest)) }
    return found
  }

  /// The name of a genre's number, or of `RX` and `CR`; nil for other text.
  private static func name(ofReference text: Slice<Bytes>) -> [UInt8]? {
    if text.elementsEqual("RX".utf8) { return Array("Remix".utf8) }
    if text.elementsEqual("CR".utf8) { return Array("Cover".utf8) }
    guard (1...3).contains(text.count), text.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
    return name(text.reduce(0) { $0 * 10 + Int($1 - 0x30) })
  }

  private static let names = """
    Blues,Classic Rock,Country,Dance,Disco,Funk,Grunge,Hip-Hop,Jazz,Metal,New Age,Oldies,Other,Pop,R&B,Rap,Reggae,Rock,Techno,\
    Industrial,Alternative,Ska,Death Metal,Pranks,Soundtrack,Euro-Techno,Ambient,Trip-Hop,Vocal,Jazz+Funk,Fusion,Trance,\
    Classical,Instrumental,Acid,House,Game,Sound Clip,Gospel,Noise,AlternRock,Bass,Soul,Punk,Space,Meditative,Instrumental Pop,\
    Instrumental Rock,Ethnic,Gothic,Darkwave,Techno-Industrial,Electronic,Pop-Folk,Eurodance,Dream,Southern Rock,Comedy,Cult,\
    Gangsta,Top 40,Christian Rap,Pop/Funk,Jungle,Native American,Cabaret,New Wave,Psychedelic,Rave,Showtunes,Trailer,Lo-Fi,Tribal,\
    Acid Punk,Acid Jazz,Polka,Retro,Musical,Rock & Roll,Hard Rock,Folk,Folk/Rock,National Folk,Swing,Fast-Fusion,Bebob,Latin,\
    Revival,Celtic,Bluegrass,Avantgarde,Gothic Rock,Progressive Rock,Psychedelic Rock,Symphonic Rock,Slow Rock,Big Band,Chorus,\
    Easy Listening,Acoustic,Humour,Speech,Chanson,Opera,Chamber Music,Sonata,Symphony,Booty Bass,Primus,Porn Groove,Satire,\
    Slow Jam,Club,Tango,Samba,Folklore,Ballad,Power Ballad,Rhythmic Soul,Freestyle,Duet,Punk Rock,Drum Solo,A Cappella,\
    Euro-House,Dance Hall,Goa,Drum & Bass,Club-House,Hardcore,Terror,Indie,BritPop,Negerpunk,Polsk Punk,Beat,\
    Christian Gangsta Rap,Heavy Metal,Black Metal,Crossover,Contemporary Christian,Christian Rock,Merengue,Salsa,Thrash Metal,\
    Anime,JPop,Synthpop
    """.utf8.split(separator: 0x2C).map { String(decoding: $0, as: UTF8.self) }
}
