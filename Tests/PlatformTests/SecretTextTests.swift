// Comparison of passwords and PINs. Test threads.

import Platform
import Testing

@Suite struct SecretTextTests {
  @Test(arguments: ["", "a", "word", "wordword", "wort", "ward", "wor", "wörd"], ["", "a", "word", "wörd"])
  func onlyEqualTextsMatch(typed: String, secret: String) {
    #expect(SecretText.matches(typed, secret) == (typed == secret))
  }
}
