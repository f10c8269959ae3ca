// Names of controls. Test threads.

import Controls
import Testing

@Suite struct ControlNameTests {
  @Test(arguments: [("play", "play"), ("Play", "play"), ("b-1_x", "b-1_x")])
  func namesAreTaken(_ text: String, _ name: String) { #expect(ControlName(text)?.text == name) }

  @Test(arguments: ["", "1st", "-a", "a b", "a+b", "ä", "abcdefghijklmnopqrstuvwxy"])
  func othersAreNot(_ text: String) { #expect(ControlName(text) == nil) }

  @Test func triggersAreSortedAndWithoutTwins() throws {
    let (a, b) = (try #require(ControlName("a")), try #require(ControlName("b")))
    #expect(Trigger([b, a], .long)?.text == "a+b long")
    #expect(Trigger([a, a], .long) == nil)
    #expect(Trigger([], .long) == nil)
  }
}
