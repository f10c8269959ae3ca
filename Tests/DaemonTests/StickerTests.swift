// Stickers at the console and for MPD clients, across power cuts and on full storage. Test threads.

import Testing

@testable import Checkpoints
@testable import Simulator

@Suite struct StickerTests {
  @Test func clientsWriteReadAndFind() throws {
    let bench = try MPDBench()
    let (client, other) = (bench.greeted(), bench.greeted())
    #expect(other.ask("idle sticker") == "")
    #expect(client.ask("sticker set song Jazz/a.flac rating 9") == "OK\n")
    #expect(other.take() == "changed: sticker\nOK\n")
    // A client may use the relative or the absolute name of a song.
    #expect(client.ask("sticker set song /music/Jazz/b.flac rating \"a = b\"") == "OK\n")
    _ = client.ask("sticker set song Jazz/b.flac played 3", "sticker set song Jazzy/c.flac rating 1")
    #expect(client.ask("sticker get song Jazz/a.flac rating") == "sticker: rating=9\nOK\n")
    #expect(client.ask("sticker list song Jazz/b.flac") == "sticker: rating=a = b\nsticker: played=3\nOK\n")
    let both = "file: Jazz/a.flac\nsticker: rating=9\nfile: Jazz/b.flac\nsticker: rating=a = b\n"
    #expect(client.ask("sticker find song Jazz rating") == both + "OK\n")
    #expect(client.ask("sticker find song \"\" rating = 1") == "file: Jazzy/c.flac\nsticker: rating=1\nOK\n")
    #expect(client.ask("sticker find song \"\" rating > 8").contains("Jazz/a.flac"))
    #expect(
      client.ask("sticker delete song Jazz/b.flac") == "OK\n"
        && client.ask("sticker list song Jazz/b.flac") == "OK\n")
    for line in ["get song Jazz/b.flac rating", "delete song Jazz/b.flac", "delete song Jazz/a.flac x"] {
      #expect(client.ask("sticker " + line).hasPrefix("ACK [50@0] {sticker}"))
    }
    for line in [
      "get album x y", "set song x y", "find song x", "find song x y ! z", "set song x \"\" y",
      "set song x a=b y",
    ] {
      #expect(client.ask("sticker " + line).hasPrefix("ACK "), "\(line)")
    }
  }

  @Test func allAreFoundPageByPage() throws {
    let bench = try MPDBench()
    for number in 1...450 { _ = bench.bench.ask("sticker set a/\(number) rating \(number)") }
    let found = bench.greeted().ask("sticker find song a rating")
    #expect(found.split(separator: "\n").count == 901 && found.contains("file: a/450\nsticker: rating=450\n"))
  }

  /// An acknowledged sticker is durable.
  @Test func theyOutlastAPowerCut() throws {
    let storage = Bench.storage()
    let bench = try Bench(storage)
    bench.clock.run(seconds: 1)
    for number in 1...5 {
      let answer = bench.ask("sticker set \"a %20\u{E9}\" n\(number) \"x=\(number)\"")
      #expect(answer.contains("ok"))
    }
    bench.pullThePlug()
    let again = try Bench(storage)
    #expect(again.ask("sticker list \"a %20\u{E9}\"").contains("n5 = x=5\n"))
  }

  /// One write per song for a client that counts plays, and a bounded number for a client that changes
  /// stickers constantly.
  @Test func writesAreFew() throws {
    let storage = Bench.storage()
    let bench = try Bench(storage)
    let note = String(repeating: "x", count: 500)
    for number in 1...200 { _ = bench.ask("sticker set songs/\(number) note \(note)") }
    let before = storage.replacements
    for minute in 1...60 {
      _ = bench.ask("sticker set songs/1 played \(minute)")
      bench.clock.run(seconds: 60)
    }
    #expect(storage.replacements - before == 60)
    let wire = bench.machine.listener.connect()
    let busy = storage.replacements
    for number in 1...10_000 { wire.type("sticker set songs/1 played \(number)") }
    bench.clock.run(seconds: 60)
    // 100 kB are written at most every 0.4 s.
    #expect((1...160).contains(storage.replacements - busy))
  }

  @Test func whatDoesNotFitIsRefusedAndChangesNothing() throws {
    var book = StickerStore()
    let long = String(repeating: "x", count: StickerStore.maxValueLength)
    var count = 0
    while (try? book.set(Sticker("n", long), on: "song \(count)")) != nil { count += 1 }
    #expect(count > 900 && book.songs.count == count && book.text.count <= StickerStore.maxFileBytes)
    #expect(StickerStore.read(book.text).contents == book)
    for number in 0..<count {
      let isRemoved = book.remove(nil, from: "song \(number)")
      #expect(isRemoved)
    }
    let isRemovedTwice = book.remove(nil, from: "song 1")
    #expect(book == StickerStore() && !isRemovedTwice)
  }

  @Test func badLinesAreSkipped() {
    let text = "sticker a=b\nsong x\nsticker a=b\nsticker =b\nsticker ab\nnothing\nsticker c=\n"
    let read = StickerStore.read(Array(text.utf8))
    #expect(read.contents["x"] == [Sticker("a", "b"), Sticker("c", "")] && read.badLines == [1, 4, 5, 6])
  }
}
