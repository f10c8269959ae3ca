// Stored playlists and their file. Test threads.

import Checkpoints
import PlaybackModel
import Testing

@Suite struct PlaylistStoreTests {
  private func name(_ text: String) throws -> PlaylistName { try #require(PlaylistName(text)) }

  @Test func playlistsAreReadAsTheyWereWritten() throws {
    var book = PlaylistStore()
    let tracks = [
      Track(
        id: 7, path: "/m/100 %.flac", section: FileSection(start: 75, end: nil), title: "Ä\nb", artist: "c"),
      Track(id: 8, path: "http://radio/x", album: "d", trackNumber: 3, length: Frames(9)),
      Track(id: 9, path: "/m/2"),
    ]
    try book.set(name("Sunday morning"), to: tracks)
    try book.set(name("leer"), to: [])
    let (read, bad) = PlaylistStore.read(book.text)
    #expect(read == book && bad.isEmpty)
    let found = try #require(read[try name("Sunday morning")]?.tracks)
    #expect(
      found.map { $0.path } == tracks.map { $0.path } && found.allSatisfy { $0.id == 0 && $0.length == nil })
    #expect(found[0].section == tracks[0].section && found[0].title == "Ä\nb" && found[1].trackNumber == 3)
    #expect(try read[name("leer")]?.tracks == [])
  }

  /// The modification time of a playlist is stored, also across a rename; files without times can still be
  /// read.
  @Test func timesAreKept() throws {
    var book = PlaylistStore()
    try book.set(name("a"), to: [Track(id: 0, path: "/m/1")], at: 1_800_000_000)
    try book.set(name("b"), to: [], at: 1_800_000_001)
    try book.set(name("c"), to: [])
    try book.rename(name("a"), to: name("d"))
    let (read, bad) = PlaylistStore.read(book.text)
    #expect(read == book && bad.isEmpty)
    let times = read.playlists.map { $0.modified }
    #expect(times == [1_800_000_000, 1_800_000_001, nil])
    let text = "changed 5\nlist a\nchanged x\nchanged -1\nchanged 7\nfile /m/1\n"
    let other = PlaylistStore.read(Array(text.utf8))
    #expect(other.contents.playlists.first?.modified == 7 && other.badLines == [1, 3, 4])
  }

  @Test func whatDoesNotFitChangesNothing() throws {
    var book = PlaylistStore()
    let long = Track(id: 0, path: "/" + String(repeating: "\u{1}", count: 4000))
    try book.set(name("big"), to: Array(repeating: long, count: 170))
    let former = book
    #expect(throws: PlaylistFault.full) { try book.set(name("more"), to: Array(repeating: long, count: 10)) }
    #expect(throws: PlaylistFault.full) { try book.set(name("big"), to: Array(repeating: long, count: 180)) }
    #expect(throws: PlaylistFault.tooLong) {
      try book.set(name("more"), to: Array(repeating: Track(id: 0, path: "/a"), count: PlayQueue.limit + 1))
    }
    #expect(book == former && book.text.count <= PlaylistStore.maxFileBytes)
    // A removed playlist frees its space.
    try book.set(name("big"), to: [])
    try book.set(name("more"), to: Array(repeating: long, count: 170))
    book.remove(try name("more"))
    try book.set(name("again"), to: Array(repeating: long, count: 170))
    #expect(PlaylistStore.read(book.text).contents == book)
    for n in 0..<PlaylistStore.maxCount - 2 { try book.set(name("\(n)"), to: []) }
    #expect(throws: PlaylistFault.tooMany) { try book.set(name("one more"), to: []) }
  }

  @Test func spoiltLinesAreSkippedAndNamed() throws {
    let text = """
      file /before
      list A
      title nothing
      file /a
      number -1
      number 2
      list A
      file /lost
      list a/b
      list B
      file 9-x /b
      file 75-150 /b
      nonsense x
      """
    let (book, bad) = PlaylistStore.read(Array(text.utf8))
    #expect(bad == [1, 3, 5, 7, 8, 9, 11, 13])
    #expect(try book[name("A")]?.tracks == [Track(id: 0, path: "/a", trackNumber: 2)])
    #expect(try book[name("B")]?.tracks.map { $0.path } == ["/b"])
  }

  @Test(arguments: ["", "a/b", "a\nb", "\u{7f}", String(repeating: "x", count: 101)])
  func noNames(_ text: String) { #expect(PlaylistName(text) == nil) }
}
