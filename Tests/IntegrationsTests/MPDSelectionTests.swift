// Sort order and window of queries about the queue. Test threads.

import Testing

@testable import Integrations

@Suite struct MPDSelectionTests {
  private struct Song {
    let title: String?
    let number: String?
    let priority: String
    let modified: String
    var disc: String?
  }

  private static let songs = [
    Song(title: "b", number: "10", priority: "0", modified: "2026-02-01T00:00:00Z", disc: "10"),
    Song(title: "B", number: "2", priority: "7", modified: "2025-12-01T00:00:00Z"),
    Song(title: "a", number: nil, priority: "0", modified: "2026-11-01T00:00:00Z"),
    Song(title: nil, number: "2", priority: "3", modified: "2026-10-01T00:00:00Z", disc: "2"),
  ]

  private static func entries() throws -> [QueueEntry] {
    try songs.enumerated().map { (i: Int, song: Song) throws -> QueueEntry in
      var (row, index) = (BoxFields(), BoxFields())
      row.add(BoxField(name: "id", value: "\(i)"))
      row.add(BoxField(name: "path", value: "/music/\(i)"))
      if let title = song.title { row.add(BoxField(name: "title", value: title)) }
      if let number = song.number { row.add(BoxField(name: "number", value: number)) }
      row.add(BoxField(name: "priority", value: song.priority))
      index.add(BoxField(name: "modified", value: song.modified))
      if let disc = song.disc { index.add(BoxField(name: "disc", value: disc)) }
      var entry = try #require(QueueEntry(row))
      entry.fill(index)
      return entry
    }
  }

  @Test(arguments: [
    ("", [0, 1, 2, 3]), ("sort Title", [3, 1, 2, 0]), ("sort -title", [0, 2, 1, 3]),
    ("sort Track", [2, 1, 3, 0]),
    ("sort -Track", [0, 1, 3, 2]), ("sort prio", [0, 2, 3, 1]), ("sort -prio", [1, 3, 0, 2]),
    ("sort Composer", [0, 1, 2, 3]), ("sort -Composer", [0, 1, 2, 3]), ("sort Genre", [0, 1, 2, 3]),
    ("window 1:3", [1, 2]), ("window 3:9", [3]), ("window 9:", []), ("window 2", [2]),
    ("sort -Title window 0:2", [0, 2]), ("sort Last-Modified", [1, 0, 3, 2]), ("sort Disc", [1, 2, 3, 0]),
  ])
  func songsAreSortedAndCut(_ words: String, _ order: [Int]) throws {
    let all = ["any", "x"] + words.split(separator: " ").map { String($0) }
    let selection = try MPDSelection(of: all[...])
    let entries = try Self.entries()
    #expect(Array(selection.filter) == ["any", "x"])
    #expect(Array(selection.part(of: selection.sorted([0, 1, 2, 3], of: entries))) == order)
  }

  @Test(arguments: ["sort Nothing", "sort Added", "window x", "window 3:1", "sort -"])
  func whatIsNoOrderIsRefused(_ words: String) {
    let all = ["any", "x"] + words.split(separator: " ").map { String($0) }
    #expect(throws: MPDRefusal.self) { try MPDSelection(of: all[...]) }
  }

  /// No tags have these names, and a filter is still required.
  @Test(arguments: [["sort", "Title"], ["window", "0:1"], ["any", "x", "window", "0:1", "sort", "Title"]])
  func otherwiseTheyBelongToTheFilter(_ words: [String]) throws {
    #expect(throws: MPDRefusal.self) {
      try MPDFilterReader.filter(of: try MPDSelection(of: words[...]).filter, isSearch: false)
    }
  }
}
