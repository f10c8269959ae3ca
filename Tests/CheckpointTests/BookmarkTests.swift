// Bookmarks of long tracks: what is kept, what is evicted, and damaged files. Test threads.
import Checkpoints
import PlaybackModel
import Testing

@Suite struct BookmarkTests {
  @Test func whatIsWrittenIsRead() {
    var bookmarks = Bookmarks()
    bookmarks.set("/books/a b.flac", to: Seconds(61.2345))
    bookmarks.set("/books/100 % #1\nnext\u{7F}.opus", to: Seconds(0.001))
    bookmarks.set("https://podcasts.example/7.mp3?a=1&b=%20", to: Seconds(1800))
    bookmarks.set("/bücher/ein \u{1F600}.mp3", to: Seconds(360_000))
    let (read, bad) = Bookmarks.read(bookmarks.text)
    #expect(read == bookmarks)
    #expect(bad.isEmpty)
    #expect(read.position(of: "/books/a b.flac")?.value == 61.235)
    #expect(read.position(of: "/books/b.flac") == nil)
  }

  /// The tracks of a cue sheet share a file but have separate bookmarks.
  @Test func tracksOfOneFileAreToldApart() {
    var bookmarks = Bookmarks()
    let first = FileSection(start: 0, end: 4500)
    let last = FileSection(start: 4500, end: nil)
    bookmarks.set("/book.flac", section: first, to: Seconds(7))
    bookmarks.set("/book.flac", section: last, to: Seconds(90.5))
    bookmarks.set("/book.flac", to: Seconds(61))
    #expect(bookmarks.position(of: "/book.flac", section: first)?.value == 7)
    #expect(bookmarks.position(of: "/book.flac", section: FileSection(start: 0, end: 4501)) == nil)
    let (read, bad) = Bookmarks.read(bookmarks.text)
    #expect(read == bookmarks && bad.isEmpty)
    bookmarks.remove("/book.flac", section: last)
    #expect(bookmarks.entries.map { $0.section } == [first, nil])
  }

  @Test func theOldestGoes() {
    var bookmarks = Bookmarks()
    for n in 0..<300 {
      bookmarks.set("/\(n)", to: Seconds(Double(n)))
      // A bookmark that is updated often is not evicted.
      bookmarks.set("/kept", to: Seconds(Double(n)))
    }
    #expect(bookmarks.entries.count == 256)
    #expect(bookmarks.position(of: "/kept")?.value == 299)
    #expect(bookmarks.position(of: "/44") == nil)
    #expect(bookmarks.position(of: "/45")?.value == 45)
    #expect(Bookmarks.read(bookmarks.text).contents == bookmarks)
    bookmarks.remove("/45")
    #expect(bookmarks.position(of: "/45") == nil)
    bookmarks.clear()
    #expect(bookmarks.entries.isEmpty)
  }

  @Test func theLongestFileFitsItsLimit() {
    var bookmarks = Bookmarks()
    for n in 0..<256 {
      let path = "/" + String(1000 + n) + String(repeating: "\u{1}", count: 4091)
      bookmarks.set(
        path, section: FileSection(start: FileSection.limit - 2, end: FileSection.limit), to: Seconds(1e8))
    }
    #expect(bookmarks.entries.count == 256)
    #expect(bookmarks.text.count <= Bookmarks.maxFileBytes)
    #expect(Bookmarks.read(bookmarks.text).contents == bookmarks)
    bookmarks.set("/" + String(repeating: "x", count: 4096), to: Seconds(1))
    #expect(bookmarks.entries.count == 256)
  }

  @Test(arguments: [
    "x /a", "-1 /a", "1", "1 ", "1 a", "1 /a%", "1 /a%2", "1 /a%zz", "1 /%00", "1 /%FF", "1234567890123 /a",
    " 1 /a", "1 /ä", "1\t/a", "1 - /a", "1 5 /a", "1 5-5 /a", "1 6-5 /a", "1 5-6", "1 5-6 a", "1 5--6 /a",
    "1 0-99999999999999999999 /a", "1 5-6 7-8 /a", "1 ://a", "1 http:/a", "1 a/b://c",
  ])
  func badLinesAreSkippedAndTold(line: String) {
    let (read, bad) = Bookmarks.read(Array("# head\n5 /good\n\(line)\n\n7000 /fine\n".utf8))
    #expect(read.entries.map { $0.path } == ["/good", "/fine"])
    #expect(bad == [3])
  }

  /// Random bytes neither trap nor exceed the limits.
  @Test(arguments: 0..<8)
  func anyBytesAreRead(seed: Int) {
    var random = ShuffleGenerator(seed: UInt64(seed))
    let alphabet = Array("0123456789 /%AFaf-\n\u{0}#é".utf8)
    for _ in 0..<200 {
      let bytes = (0..<Int(random.next() % 3000)).map { _ in
        alphabet[Int(random.next() % UInt64(alphabet.count))]
      }
      let (read, bad) = Bookmarks.read(bytes)
      #expect(read.entries.count <= 256 && bad.count <= 10)
      #expect(Bookmarks.read(read.text).contents == read)
    }
  }
}
