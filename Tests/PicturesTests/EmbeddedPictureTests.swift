// Embedded pictures in files of all formats, the selection among several, and broken files. Test threads.

import RealTimeSupport
import Testing

@testable import Pictures

@Suite(.realTime) struct EmbeddedPictureTests {
  private typealias Files = MadeUpFiles

  private static func find(_ bytes: [UInt8]) throws(PictureFault) -> [UInt8]? {
    try EmbeddedPicture.find(in: PictureInput(.memory(bytes), length: Int64(bytes.count)))
  }

  private static let cover = Files.picture(1)
  private static let other = Files.picture(2)
  private static let opus = Files.letters("OpusHead") + [UInt8](repeating: 1, count: 11)
  private static let vorbis = Files.letters("\u{1}vorbis") + [UInt8](repeating: 1, count: 23)

  private static let oggFLAC = Files.letters("\u{7F}FLAC") + [1, 0]
  private static let block = Files.block(3, cover)
  private static let named = Files.letters("a.jpg") + [0] + cover

  private static func opusFile(_ comments: [UInt8]) -> [UInt8] {
    Files.ogg([opus, Files.letters("OpusTags") + comments])
  }
  private static func vorbisFile(_ comments: [UInt8], pieces: Int = 40) -> [UInt8] {
    Files.ogg([vorbis, Files.letters("\u{3}vorbis") + comments], pieces: pieces)
  }

  /// Files that contain `cover`, by format.
  private static let files: [(name: String, bytes: [UInt8])] = [
    ("FLAC", Files.flac([(4, [1, 2, 3]), (6, Files.block(3, cover)), (1, [0, 0])])),
    ("FLAC, the back first", Files.flac([(6, Files.block(4, other)), (6, Files.block(3, cover))])),
    ("FLAC, two fronts", Files.flac([(6, Files.block(3, cover)), (6, Files.block(3, other))])),
    ("FLAC without a front", Files.flac([(6, Files.block(0, cover)), (6, Files.block(4, other))])),
    ("FLAC behind ID3", Files.id3(3, []) + Files.flac([(6, Files.block(3, cover))])),
    (
      "FLAC, an address first",
      Files.flac([(6, Files.block(3, other, type: "-->")), (6, Files.block(3, cover))])
    ),
    ("ID3v2.2", Files.id3(2, [(3, cover)])),
    ("ID3v2.2, unsynchronised", Files.id3(2, [(3, cover)], unsynchronised: true)),
    ("ID3v2.3", Files.id3(3, [(4, other), (3, cover)])),
    ("ID3v2.3, unsynchronised", Files.id3(3, [(3, cover)], unsynchronised: true)),
    ("ID3v2.3, extended", Files.id3(3, [(0, cover)], extra: true)),
    ("ID3v2.4", Files.id3(4, [(3, cover)], encoding: 1)),
    ("ID3v2.4, plain sizes", Files.id3(4, [(4, other), (3, cover)], hasPlainSizes: true)),
    ("ID3v2.4, unsynchronised", Files.id3(4, [(3, cover)], unsynchronised: true)),
    ("ID3v2.4, extended", Files.id3(4, [(3, cover), (3, other)], extra: true)),
    ("Opus", opusFile(Files.comments([[65], Files.comment(block)]))),
    (
      "Vorbis, small letters",
      vorbisFile(Files.comments([Files.comment(block, key: "metadata_block_picture")]))
    ),
    ("Vorbis, small pages", vorbisFile(Files.comments([Files.comment(block)]), pieces: 1)),
    ("Ogg FLAC", Files.ogg([oggFLAC, [4, 0, 0, 1, 9], [0x86, 0, 0, 0] + block])),
    ("MP4", Files.mp4(cover)), ("QuickTime", Files.mp4(cover, isBare: true)),
    ("APE", Files.ape([("Title", [65]), ("Cover Art (Back)", [0] + other), ("COVER ART (FRONT)", named)])),
    ("APE before ID3v1", Files.ape([("Cover Art (Front)", [0] + cover)], isID3Behind: true)),
    ("WAV", Files.wav(Files.id3(3, [(3, cover)]))), ("AIFF", Files.aiff(Files.id3(4, [(3, cover)]))),
  ]

  @Test(arguments: files.indices) func theCoverIsFound(index: Int) throws {
    let file = Self.files[index]
    let found = try Self.find(file.bytes)
    #expect(found == Self.cover, "\(file.name)")
    #expect(PictureFormat(found ?? []) == .jpeg)
  }

  /// Truncating a file anywhere, or changing any byte, gives a picture or none, without a crash.
  @Test(arguments: files.indices) func brokenFilesBreakNothing(index: Int) {
    let bytes = Self.files[index].bytes
    for count in bytes.indices { _ = try? Self.find(Array(bytes[..<count])) }
    for i in bytes.indices {
      for value in [0, 0x7F, 0xFF] as [UInt8] {
        var changed = bytes
        changed[i] = value
        _ = try? Self.find(changed)
      }
    }
  }

  @Test func filesWithoutAPictureHaveNone() throws {
    for bytes in [
      [], [1], Files.flac([(4, [1])]), Files.id3(4, []), Files.id3(3, [(3, Self.cover)], type: "-->"),
      Files.ogg([Self.opus]), Files.ape([("Title", [65])]), [UInt8](repeating: 0, count: 5000),
    ] { #expect(try Self.find(bytes) == nil) }
  }

  @Test func aPictureThatIsTooLargeIsRefused() {
    let large = [UInt8](repeating: 1, count: Picture.maxBytes + 1)
    for bytes in [Files.flac([(6, Files.block(3, large))]), Files.id3(3, [(3, large)]), Files.mp4(large)] {
      #expect(throws: PictureFault.tooLarge) { try Self.find(bytes) }
    }
  }

  /// Impossible sizes are rejected at once.
  @Test func hugeSizesAreNotBelieved() throws {
    let block: [UInt8] = Files.big(3) + Files.big(0x7FFF_FFFF) + Files.letters("x")
    #expect(try Self.find(Files.flac([(6, block)])) == nil)
    let long = Files.box("ftyp", [1]) + Files.big(1) + Files.letters("moov") + Files.big(Int64.max / 2, 8)
    #expect(try Self.find(long) == nil)
    let endless = Files.letters("OpusTags") + Files.little(-1) + Files.little(-1)
    #expect(try Self.find(Files.ogg([Self.opus, endless])) == nil)
  }

  /// Fields that are negative, or whose sums overflow, where `Int` has 32 bits.
  private static let wide: [Int64] = [0x7FFF_FFF0, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFC, 0xFFFF_FFFF]

  /// Fields are read to a type that holds them on every platform, so sums of sizes do not trap on 32 bits.
  @Test(arguments: wide) func fieldsHaveTheirOwnWidth(value: Int64) {
    let big: Int64? = Files.big(value).big(0)
    let little: Int64? = Files.little(value).little(0)
    #expect(big == value)
    #expect(little == value)
    #expect(Files.big(value).big(value) == nil)
    #expect(Files.little(value).little(value) == nil)
    #expect(!Files.big(value).has("x", at: value))
  }

  private static func joined(_ parts: [UInt8]...) -> [UInt8] { parts.flatMap { $0 } }
  private static let zeros = [UInt8](repeating: 0, count: 64)

  /// Files with a size in one field, in turn in each field that is added to an offset.
  private static func files(withSize size: Int64) -> [[UInt8]] {
    let (big, little) = (Files.big(size), Files.little(size))
    let (none, kind, pages) = (Files.big(0), Files.big(3), Files.letters("OpusTags"))
    let head = [UInt8](repeating: 0, count: 8)
    let item = Files.ape([("Title", [65])])
    let field = item.count - 32 - 15
    var files: [[UInt8]] = []
    files.append(Files.flac([(6, joined(kind, big, zeros))]))
    files.append(Files.flac([(6, joined(kind, none, big, zeros))]))
    files.append(Files.ogg([opus, joined(pages, little, zeros)]))
    files.append(Files.ogg([opus, joined(pages, none, Files.little(2), little, zeros)]))
    files.append(joined(Files.letters("ID3"), [3, 0, 0x40, 0, 0, 0, 68], big, zeros))
    files.append(joined(Files.letters("ID3"), [3, 0, 0, 0, 0, 0, 72], Files.letters("TIT2"), big, zeros))
    files.append(joined(Array(item[..<field]), little, Array(item[(field + 4)...])))
    files.append(joined(Files.letters("RIFF"), head, Files.letters("fmt "), little, zeros))
    files.append(joined(Files.letters("FORM"), head, Files.letters("COMM"), big, zeros))
    files.append(joined(Files.box("ftyp", [1]), big, Files.letters("moov"), zeros))
    return files
  }

  /// Sizes of more than 31 bits are rejected in each field; on 32 bits, they made the parsers trap.
  @Test(arguments: wide) func wideSizesAreNotBelieved(size: Int64) throws {
    for file in Self.files(withSize: size) { #expect(try Self.find(file) == nil) }
    // A picture of that size is too large.
    let fields = [UInt8](repeating: 0, count: 8 + 16)
    let block = Self.joined(Files.big(3), fields, Files.big(size), Self.zeros)
    #expect(throws: PictureFault.tooLarge) { try Self.find(Files.flac([(6, block)])) }
  }
}
