// Playlist entries as paths, which are the names under which the library index stores the files. Test
// threads.

import Testing

@testable import Media

@Suite struct PlaylistPathTests {
  @Test(arguments: [
    ("../lone.flac", "/music/lone.flac"), ("./a.flac", "/music/Lists/a.flac"),
    ("a/./b/../c.flac", "/music/Lists/a/c.flac"),
    ("../../../../etc/x", "/etc/x"), ("a//b.flac", "/music/Lists/a/b.flac"),
    ("/music/a/../b.flac", "/music/b.flac"),
    ("..a/b..flac", "/music/Lists/..a/b..flac"), ("file:///music/a/../b%20c.flac", "/music/b c.flac"),
    ("file://localhost/music/a%20b.flac", "/music/a b.flac"),
    ("FILE://LocalHost/music/a.flac", "/music/a.flac"),
    ("file:/music/a.flac", "/music/a.flac"), ("file:a.flac", "/music/Lists/file:a.flac"),
    ("http://radio.example/a/../b", "http://radio.example/a/../b"), ("...", "/music/Lists/..."),
  ])
  func entriesAreNormalized(entry: String, path: String) {
    #expect(MediaList.resolved(entry, in: "/music/Lists") == path)
  }

  @Test(arguments: [
    ("../a.flac", "lists", "a.flac"), ("../../a.flac", "lists", "../a.flac"), ("../a.flac", "", "../a.flac"),
    ("./a.flac", ".", "a.flac"), ("../../../a.flac", "../lists", "../../../a.flac"),
  ])
  func relativeFoldersStayRelative(entry: String, folder: String, path: String) {
    #expect(MediaList.resolved(entry, in: folder) == path)
  }
}
