// Scripts use the console's language, prefixed with times. Test threads.

import Console
import PlaybackModel
import Testing

@Suite struct ScriptTests {
  @Test func aLineIsATimeAndACommand() throws {
    let script = try Script(
      """
      # the demo
      at 12.5 pause
      AT 1:30 seek +10   # from here
      at 551250f "volume" 40\r

      at 0 crossfade 3
      """)
    #expect(
      script.lines.map { $0.command } == [
        .pause, .seek(.by(Seconds(10))), .volume(.to(40)), .set(.fadeLength, .decimal(3)),
      ])
    #expect(script.lines.map { $0.text } == ["pause", "seek +10", "\"volume\" 40", "crossfade 3"])
    let timed = script.timed(at: SampleRate(44100))
    #expect(timed.map { $0.frame.count } == [0, 551_250, 551_250, 3_969_000])
    #expect(timed.map { $0.line.text } == ["crossfade 3", "pause", "\"volume\" 40", "seek +10"])
  }

  @Test(arguments: [
    ("play", 1, "expected 'at TIME COMMAND'"), ("at 1 play\n\nat x pause", 3, "'x' is not a time"),
    ("at 1 plya", 1, "did you mean 'play'"), ("at -1 play", 1, "not a time"), ("at 12f", 1, "expected"),
    ("at 1 seek 1:75", 1, "is not a position"), ("at 1 'play", 1, "never closed"),
    ("at 9x9f play", 1, "not a time"),
    ("at 1 # nothing", 1, "expected"),
  ])
  func whatIsWrongIsSaidWithItsLine(text: String, line: Int, part: String) {
    do throws(ConsoleError) {
      _ = try Script(text)
      Issue.record("\(text) was read")
    } catch {
      #expect(error.sentence.hasPrefix("line \(line): ") && error.sentence.contains(part), "\(error)")
    }
  }

  @Test func columnsCountFromTheLinesBeginning() {
    do throws(ConsoleError) {
      _ = try Script("at 1.5 seek nowhere")
      Issue.record("it was read")
    } catch {
      #expect(error.column == 13)
    }
  }

  @Test func whatHasNoMeaningIsRefused() {
    #expect(throws: ConsoleError.self) { try Script("at 1 status") { $0 != .status } }
  }

  @Test func aScriptIsBounded() throws {
    let most = String(repeating: "at 1 next\n", count: Script.maxCommands)
    #expect(try Script(most).lines.count == Script.maxCommands)
    #expect(throws: ConsoleError.self) { try Script(most + "at 1 next\n") }
    #expect(throws: ConsoleError.self) { try Script(String(repeating: "#", count: Script.maxLength + 1)) }
  }

  @Test(arguments: [
    ("", true, false), ("at 1 queue repeat off", true, true), ("at 1 queue repeat one", false, false),
    ("at 1 set queue.repeat all", false, false), ("at 1 set queue.end repeat", false, false),
    ("at 1 set queue.end clear", true, false), ("at 1 cycle queue.repeat", false, false),
    ("at 1 cycle queue.repeat", true, true), ("at 1 queue repeat", true, true),
    ("at 1 cycle queue.end\nat 2 cycle queue.end", false, false), ("at 1 unset queue.repeat", true, true),
    ("at 1 set queue.end repeat\nat 2 unset queue.end", false, true),
    // Commands take effect in the order of their times.
    ("at 2 queue repeat all\nat 1 queue repeat off", false, false),
    ("at 44100f queue repeat off\nat 0.5 queue repeat all", false, true),
    ("at 5 stop", true, true), ("at 5 exit", true, true), ("at 5 stop\nat 6 volume 30", true, true),
    ("at 5 stop\nat 6 play", true, false), ("at 5 stop\nat 6 toggle\nat 7 stop", true, true),
    ("at 6 play\nat 5 stop", true, false),
  ])
  func aScriptThatRepeatsHasNoEnd(text: String, repeats: Bool, isBounded: Bool) throws {
    var settings = Settings()
    if repeats { try settings.set("queue.repeat", "all") }
    #expect(try Script(text).isBounded(settings) == isBounded, "\(text)")
  }

  @Test func withoutADaemonTheSameDefaultsHold() {
    let rate = SampleRate(44100)
    var usual = PlayerSettings(rate: rate)
    // The length of a disabled manual fade.
    usual.manualFadeLength = .zero
    #expect(!usual.fadesManually && PlayerSettings(Settings(), rate: rate) == usual)
  }
}
