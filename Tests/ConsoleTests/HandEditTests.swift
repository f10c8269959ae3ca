// A configuration file that was changed by hand while the box runs. Test threads.

import Console
import Testing

@Suite struct HandEditTests {
  private static let read = "set fade.length 3\nset volume.step 4\nbutton play gpio gpiochip0 1\n"

  private static func configuration(_ text: String) -> Configuration { Configuration(Array(text.utf8)) }

  /// Merges a file that was changed by hand with changes in the box, each as configuration lines.
  private func merge(_ file: String, box: String = read) throws -> HandEdits {
    let (before, now) = (Self.configuration(Self.read), Self.configuration(box))
    return try HandEdits(
      Self.configuration(file), since: SavedConfiguration(before.settings, before.controls), board: nil,
      now.settings, now.controls)
  }

  @Test func anUnchangedFileHasWhatIsInEffect() throws {
    let edits = try merge(Self.read, box: Self.read + "set fade.length 5\nbind play short toggle\n")
    #expect(edits.settings.fadeLength.value == 5 && edits.controls.bindings.bindings.count == 1)
    #expect(edits.kept == [])
  }

  @Test func linesOfTheUserAreKept() throws {
    let file =
      "set fade.length 3\nset volume.step 7\nset fade.curve linear\nbutton play gpio gpiochip0 1\nbind play long stop\n"
    let edits = try merge(file, box: Self.read + "set fade.length 5\n")
    #expect(edits.settings.fadeLength.value == 5 && edits.settings.volumeStep == 7)
    #expect(edits.controls.bindings.bindings.count == 1)
    #expect(edits.kept == ["volume.step", "fade.curve", "controls"])
  }

  /// A line that the user has removed stays away.
  @Test func removedLinesStayAway() throws {
    let edits = try merge("set fade.length 3\nbutton play gpio gpiochip0 1\n", box: Self.read)
    #expect(edits.settings.isDefault(.volumeStep) && edits.kept == ["volume.step"])
  }

  @Test(arguments: [
    ("set fade.length 9\n", "set fade.length 5\n", "fade.length was changed there and here"),
    ("bind play long stop\n", "bind play long mute\n", "controls were changed there and here"),
  ]) func whatChangedOnBothSidesIsRefused(file: String, box: String, words: String) {
    let error = #expect(throws: ConsoleError.self) { try self.merge(Self.read + file, box: Self.read + box) }
    #expect(error?.sentence.contains(words) == true, "\(error?.sentence ?? "")")
  }

  @Test func equalChangesAreNoConflict() throws {
    let both = Self.read + "set fade.length 5\nbind play long stop\n"
    #expect(try merge(both, box: both).kept == [])
  }

  /// A later save does not undo what an earlier one has kept, and refuses a change of the same in the box.
  @Test(arguments: [
    ("set volume.step 7\n", "set volume.step 9\n", "volume.step was changed there and here"),
    ("button stop gpio gpiochip0 2\n", "bind play long mute\n", "controls were changed there and here"),
    ("bind play long stop\n", "button stop gpio gpiochip0 2\n", "controls were changed there and here"),
    ("bind play long stop\n", "source tv fifo /run/tv\n", "controls were changed there and here"),
  ]) func keptLinesOutliveLaterSaves(byHand: String, inBox: String, words: String) throws {
    let before = Self.configuration(Self.read)
    let hand = Self.configuration(Self.read + byHand)
    var saved = SavedConfiguration(before.settings, before.controls)
    (saved.inFile, saved.controlsInFile) = (hand.settings, hand.controls)
    let again = try HandEdits(hand, since: saved, board: nil, before.settings, before.controls)
    #expect(again.settings == hand.settings && again.controls.lines == hand.controls.lines)
    let changed = Self.configuration(Self.read + inBox)
    let error = #expect(throws: ConsoleError.self) {
      try HandEdits(hand, since: saved, board: nil, changed.settings, changed.controls)
    }
    #expect(error?.sentence.contains(words) == true, "\(error?.sentence ?? "")")
  }

  @Test func anotherBoardIsRefused() {
    let profile: @Sendable (String) -> [UInt8]? = { $0 == "other" ? [] : nil }
    let before = Self.configuration(Self.read)
    let file = Configuration(Array("board other\n".utf8), profile: profile)
    let error = #expect(throws: ConsoleError.self) {
      try HandEdits(
        file, since: SavedConfiguration(before.settings, before.controls), board: nil, before.settings,
        before.controls)
    }
    #expect(error?.sentence.contains("another board") == true)
  }
}
