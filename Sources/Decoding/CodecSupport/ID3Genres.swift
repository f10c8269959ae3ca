// The numbered genres of ID3v1 (id3.org, appendix A) with the Winamp extensions. Pure; worker process only.

/// Resolves genre numbers in ID3 tags to names.
enum ID3Genres {
  /// The name of a genre number; nil if the number is not assigned.
  static func name(_ number: Int) -> [UInt8]? {
    names.indices.contains(number) ? Array(names[number].utf8) : nil
  }

  /// Resolves the text of a genre frame (`Rock`, `17`, `(17)` or `(17)Rock`) to a name. Of several, the first
  /// wins.
  static func name(of text: Bytes) -> [UInt8] {
    let isBracketed = text.first == 0x28
    let digits = text.dropFirst(isBracketed ? 1 : 0).prefix { $0 >= 0x30 && $0 <= 0x39 }
    let rest = text[digits.endIndex...]
    let isNumber = isBracketed ? rest.first == 0x29 : rest.isEmpty
    guard isNumber, (1...3).contains(digits.count),
      let name = name(digits.reduce(0) { $0 * 10 + Int($1 - 0x30) })
    else { return Array(text) }
    return name
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
