// Display width of texts on a terminal, and sanitizing of foreign texts. Test threads.

import Platform
import Testing

@Suite struct TextWidthTests {
  @Test(arguments: [
    ("abc", 3), ("é", 1), ("e\u{301}", 1), ("夜", 2), ("한글", 4), ("…–", 2), ("🎵", 2), ("", 0),
  ]) func columns(text: String, columns: Int) { #expect(text.columns == columns) }

  @Test func cuttingCountsColumns() {
    #expect("夜明けの歌".cut(toColumns: 10) == "夜明けの歌")
    #expect("夜明けの歌".cut(toColumns: 9) == "夜明けの…")
    #expect("夜明けの歌".cut(toColumns: 8) == "夜明け…")
    #expect("abc".cut(toColumns: 0) == "")
  }

  @Test func controlCharactersAreLeftOut() {
    #expect("a\u{1B}[31m\nb\u{9B}c\u{202E}d\u{7F}".printable() == "a[31mbcd")
    #expect("äöü".printable(limit: 5) == "äö")
  }
}
