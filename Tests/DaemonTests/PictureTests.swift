// Pictures at the console and for MPD clients: chunks, the number of storage requests, and storage that
// hangs. Test threads.

import Platform
import Testing

@testable import Daemon
@testable import Pictures
@testable import Simulator

@Suite struct PictureTests {
  private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
  private static let cover = png + (0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

  private static func storage(_ picture: [UInt8] = cover) -> SimulatedStorage {
    let storage = Bench.storage()
    storage.pictures["long"] = [
      .track: .picture(Picture(.track, picture)), .folder: .picture(Picture(.folder, png + [1])),
    ]
    return storage
  }

  @Test func theConsoleSaysWhatItIs() throws {
    let bench = try Bench(Self.storage())
    #expect(bench.ask("picture long") == "  from: track\n  type: image/png\n  size: 50008\nok\n")
    #expect(bench.ask("picture long folder").contains("size: 9"))
    #expect(bench.ask("picture short") == "ok there is no picture\n")
    #expect(bench.ask("picture nowhere").hasPrefix("error: there is no 'nowhere' in "))
    #expect(bench.ask("picture http://radio.example/x") == "error: a stream has no picture of its own\n")
    #expect(bench.ask("picture long folder 0:9").contains(Base64.text((Self.png + [1])[...])))
    #expect(bench.ask("picture long folder 9:20") == "  from: folder\n  type: image/png\n  size: 9\nok\n")
  }

  /// At most 23040 bytes per response, so that its base64 lines stay within common limits.
  @Test(arguments: [("0:23040", 23_040), ("0:23041", 23_040), ("8:40000", 23_040), ("40000:50008", 10_008)])
  func piecesAtTheConsoleAreBounded(range: String, bytes: Int) throws {
    let bench = try Bench(Self.storage())
    let first = try #require(range.split(separator: ":").first.flatMap { Int($0) })
    // The description is followed by lines of base64 tokens.
    let lines = bench.ask("picture long track \(range)").split(separator: "\n").dropFirst(3).dropLast()
    let found = lines.flatMap { $0.split(separator: " ") }.flatMap { Base64.bytes($0.utf8) ?? [] }
    let isRight = found == Array(Self.cover[first..<(first + bytes)])
    #expect(isRight, "\(found.count) bytes")
  }

  /// Reading a whole picture in chunks of 8 KiB takes one storage request.
  @Test func piecesComeFromOneLook() throws {
    let storage = Self.storage()
    let bench = try MPDBench(storage)
    let client = bench.greeted()
    var found: [UInt8] = []
    while found.count < Self.cover.count {
      let answer = client.askForBytes("readpicture long \(found.count)")
      let count = min(8192, Self.cover.count - found.count)
      let head = Array("size: 50008\ntype: image/png\nbinary: \(count)\n".utf8)
      try #require(answer.starts(with: head) && answer.suffix(4).elementsEqual("\nOK\n".utf8))
      found += answer.dropFirst(head.count).dropLast(4)
    }
    #expect(found == Self.cover)
    #expect(storage.pictureLooks == 1)
    #expect(client.ask("readpicture long 50009").hasPrefix("ACK [2@0] {readpicture}"))
  }

  @Test func aLargeLimitGivesAllAtOnce() throws {
    let bench = try MPDBench(Self.storage())
    let client = bench.greeted()
    #expect(client.ask("binarylimit 100000") == "OK\n")
    let answer = client.askForBytes("readpicture long 8")
    let head = Array("size: 50008\ntype: image/png\nbinary: 50000\n".utf8)
    #expect(answer.starts(with: head))
    #expect(Array(answer.dropFirst(head.count).dropLast(4)) == Array(Self.cover[8...]))
  }

  @Test func whatHasNoPictureIsAnsweredAsMPDDoes() throws {
    let bench = try MPDBench(Self.storage())
    let client = bench.greeted()
    #expect(client.ask("readpicture short 0") == "OK\n")
    #expect(client.ask("albumart short 0").hasPrefix("ACK [50@0] {albumart}"))
    #expect(client.ask("readpicture nowhere 0").hasPrefix("ACK [50@0] {readpicture}"))
    #expect(client.askForBytes("albumart long 0").starts(with: Array("size: 9\nbinary: 9\n".utf8) + Self.png))
    #expect(
      client.ask("albumart long").hasPrefix("ACK [2@0]")
        && client.ask("albumart long x").hasPrefix("ACK [2@0]"))
  }

  /// When a picture is replaced, a read from its beginning gets the new one after a while; a read in progress
  /// gets the rest of the old one.
  @Test func beginningsAreLookedForAgain() throws {
    let storage = Self.storage()
    let bench = try Bench(storage)
    _ = bench.ask("picture long any 0:10")
    storage.pictures["long"]?[.track] = .picture(Picture(.track, Self.png))
    bench.clock.run(seconds: 31)
    #expect(bench.ask("picture long any 10:20").contains("size: 50008"))
    #expect(bench.ask("picture long any 0:10").contains("size: 8"))
    #expect(storage.pictureLooks == 2)
    // The cached picture expires.
    bench.clock.run(seconds: 61)
    #expect(bench.ask("picture long any 10:20").contains("size: 8"))
    #expect(storage.pictureLooks == 3)
  }

  /// Storage that hangs delays only the client that asked for a picture; others can play and add tracks
  /// elsewhere.
  @Test func storageThatHangsHoldsUpNobodyElse() throws {
    let storage = Self.storage()
    let bench = try MPDBench(storage)
    let (client, other) = (bench.greeted(), bench.greeted())
    _ = other.ask("add long")
    storage.hangs = true
    #expect(client.ask("readpicture long 0") == "")
    #expect(other.ask("play") == "OK\n" && other.ask("add http://radio.example/x") == "OK\n")
    #expect(other.field("playlistlength") == "2")
    bench.clock.run(seconds: 31)
    #expect(client.take().hasPrefix("ACK [52@0] {readpicture} the storage "))
  }
}
