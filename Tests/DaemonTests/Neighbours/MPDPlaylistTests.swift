// Saved playlists as clients of MPD see and change them, beside what Debian's mpd can be compared with. Test threads.

import Testing

@testable import Simulator

@Suite struct MPDPlaylistTests {
  @Test func whoWaitsHearsOfPlaylists() throws {
    let bench = try MPDBench()
    let client = bench.greeted()
    #expect(client.ask("idle stored_playlist") == "")
    _ = bench.bench.ask("playlist add A short")
    #expect(client.take() == "changed: stored_playlist\nOK\n")
    #expect(client.ask("listplaylists") == "playlist: A\nOK\n")
  }

  @Test func theBoxsPlaylistsAreListedBesideTheMusic() throws {
    let storage = Bench.storage()
    storage.folders["/music"] = 2
    let bench = try MPDBench(storage)
    let client = bench.greeted()
    _ = client.ask("save A")
    _ = client.ask("playlistadd A short")
    let listing = client.ask("lsinfo")
    #expect(listing.hasSuffix("playlist: A\nOK\n"), "\(listing)")
    #expect(!client.ask("listfiles").contains("playlist: A"))
  }

  @Test func songsAreFoundInTheQueueAndInPlaylists() throws {
    let bench = try MPDBench()
    let client = bench.greeted()
    for name in ["short", "long"] {
      _ = client.ask("add \(name)")
      _ = client.ask("playlistadd A \(name)")
    }
    #expect(client.ask("playlistfind file long").hasPrefix("file: long\n"))
    #expect(client.ask("playlistsearch \"(file contains 'OR')\"").hasPrefix("file: short\n"))
    #expect(
      client.ask("playlistfind artist x") == "OK\n"
        && client.ask("playlistfind artist").hasPrefix("ACK [2@0]"))
    #expect(client.ask("searchplaylist A file ON") == "file: long\nOK\n")
    #expect(client.ask("searchplaylist A \"(file contains 'o')\" 0:1") == "file: short\nOK\n")
    #expect(client.ask("searchplaylist nowhere file ON").hasPrefix("ACK [50@0]"))
    #expect(client.ask("searchaddpl A artist x").hasPrefix("ACK "))
  }

  /// What MPD has since 0.24.
  @Test func savingAppendsAndReplaces() throws {
    let bench = try MPDBench()
    let client = bench.greeted()
    _ = client.ask("add long")
    #expect(client.ask("save A append").hasPrefix("ACK [50@0]"))
    #expect(client.ask("save A") == "OK\n" && client.ask("save A create").hasPrefix("ACK [56@0]"))
    #expect(client.ask("save A append") == "OK\n")
    #expect(client.ask("listplaylist A") == "file: long\nfile: long\nOK\n")
    #expect(client.ask("save A replace") == "OK\n")
    #expect(client.ask("listplaylist A") == "file: long\nOK\n")
    #expect(client.ask("save A other").hasPrefix("ACK [2@0]"))
  }

  @Test(arguments: [
    ("1:3 0", "2 3 1 4"), ("0:2 2", "3 4 1 2"), ("0:2 1", "3 1 2 4"), ("2:4 1", "1 3 4 2"), ("1:1 0", nil),
    ("0:3 2", nil),
    ("0 0", "1 2 3 4"), ("3 0", "4 1 2 3"), ("0 3", "2 3 4 1"),
  ])
  func rangesMove(_ words: String, _ order: String?) throws {
    let bench = try MPDBench()
    let client = bench.greeted()
    for number in 1...4 { _ = client.ask("playlistadd A http://radio.example/\(number)") }
    let answer = client.ask("playlistmove A \(words)")
    #expect(answer == "OK\n" || (order == nil && answer.hasPrefix("ACK [2@0]")), "\(answer)")
    var lines = ""
    for number in (order ?? "1 2 3 4").split(separator: " ") {
      lines += "file: http://radio.example/\(number)\n"
    }
    #expect(client.ask("listplaylist A") == lines + "OK\n")
  }

  /// Longer than one page of the box's answers.
  @Test func longPlaylistsAreListedWhole() throws {
    let bench = try MPDBench()
    let client = bench.greeted()
    _ = client.ask("playlistadd A http://radio.example/1")
    for _ in 0..<9 { _ = bench.bench.ask("playlist add A playlist:A") }
    let listed = client.ask("listplaylist A")
    #expect(listed.split(separator: "\n").count == 513)
    #expect(
      client.ask("listplaylist A 510:") == "file: http://radio.example/1\nfile: http://radio.example/1\nOK\n")
    #expect(client.ask("listplaylistinfo A 600:").hasPrefix("ACK [2@0]"))
  }
}
