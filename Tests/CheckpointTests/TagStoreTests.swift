// The tags' commands and bookmarks, and their file. Test threads.

import Checkpoints
import PlaybackModel
import Testing

@Suite struct TagStoreTests {
  private func tag(_ text: String) throws -> TagID { try #require(TagID(text)) }

  @Test func whatIsWrittenIsRead() throws {
    var book = TagStore()
    _ = book.set(try tag("1"), to: "play \"Kind of Blue\"")
    _ = book.set(try tag("ab:cd"), to: "play bücher\n")
    book.leave(
      try tag("1"),
      at: TrackPlace(
        path: "/m/100 %.flac", section: FileSection(start: 75, end: nil), position: Seconds(61.2345)))
    book.leave(
      try tag("abcd"), at: TrackPlace(path: "http://radio/x", section: nil, position: Seconds(0)))
    book.current = try tag("abcd")
    let (read, bad) = TagStore.read(book.text)
    #expect(read == book && bad.isEmpty && read.entries.count == 2)
    #expect(try read.entry(tag("1"))?.place?.position.value == 61.235)
  }

  @Test func aNewCommandBeginsAtTheBeginning() throws {
    var book = TagStore()
    let place = TrackPlace(path: "/a", section: nil, position: Seconds(9))
    _ = book.set(try tag("1"), to: "play a")
    book.leave(try tag("1"), at: place)
    _ = book.set(try tag("1"), to: "play a")
    #expect(try book.entry(tag("1"))?.place == place)
    _ = book.set(try tag("1"), to: "play b")
    #expect(try book.entry(tag("1"))?.place == nil)
  }

  @Test func theFullestBookFitsItsFile() throws {
    var book = TagStore()
    for n in 0..<TagStore.maxCount {
      let tag = try tag(String(repeating: "9", count: 28) + String(1000 + n))
      let isSet = book.set(tag, to: String(repeating: "\u{1}", count: TagStore.maxLineLength))
      #expect(isSet)
      book.leave(
        tag,
        at: TrackPlace(
          path: String(repeating: "\u{1}", count: TagStore.maxPathLength),
          section: FileSection(start: FileSection.limit - 2, end: FileSection.limit), position: Seconds(1e8)))
    }
    book.current = book.entries.last?.tag
    let isSet = book.set(try tag("one-more"), to: "play")
    #expect(!isSet)
    #expect(book.text.count <= TagStore.maxFileBytes)
    #expect(TagStore.read(book.text).contents == book)
  }

  @Test func spoiltLinesAreSkippedAndNamed() throws {
    let text = """
      # comment
      do 1 play%20a
      do 1
      at 2 5 /a
      at 1 x /a
      at 1 5 
      on 3
      off 1
      do ü play
      at 1 5 /a
      on 1
      """
    let (book, bad) = TagStore.read(Array(text.utf8))
    #expect(bad == [3, 4, 5, 6, 7, 8, 9])
    #expect(try book.entries.count == 1 && book.current == tag("1"))
    #expect(try book.entry(tag("1"))?.place?.path == "/a")
  }

  @Test func timeHeardIsReadAndWritten() {
    let heard = HeardTime(day: 20_000, seconds: 61)
    #expect(HeardTime.read(heard.text).contents == heard)
    for line in ["1", "1 -5", "a 5", "99999999999 5", "1 2 3"] {
      #expect(HeardTime.read(Array(line.utf8)).badLines == [1], "\(line)")
    }
  }
}
