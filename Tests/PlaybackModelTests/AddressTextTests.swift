// Addresses: what makes a connection impossible, and texts without passwords. Test threads.

import PlaybackModel
import Testing

@Suite struct AddressTextTests {
  @Test(arguments: [
    "http://radio.example/x", "http://radio.example", "https://u:w@radio.example:8000/x", "http://[::1]:80/x",
    "icy://127.0.0.1:1", "http://h:65535?x=1", "http://h:/x", "http://bücher.example/",
  ]) func anAddressWithAServerIsWellFormed(text: String) throws {
    let address = try #require(AddressText(text))
    #expect(address.problem == nil)
  }

  @Test(arguments: [
    ("http://", "no server"), ("http:///x", "no server"), ("http://:80/x", "no server"),
    ("http://u:w@/x", "no server"), ("http://?x", "no server"),
    ("http://127.0.0.1:99999/x", "its port is not a number"),
    ("http://h:0/x", "its port is not a number"), ("http://h:abc/x", "its port is not a number"),
    ("http://a b/x", "a blank"),
  ]) func anAddressWithoutAServerIsNot(text: String, words: String) throws {
    let address = try #require(AddressText(text))
    let problem = try #require(address.problem)
    #expect(problem.contains(words), "\(problem)")
  }

  @Test(arguments: [
    (
      "Unsupported proxy scheme for 'bad://user:SECRET@h:3128'.",
      "Unsupported proxy scheme for 'bad://****@h:3128'."
    ),
    ("two http://a:b@c/ and \"https://d@e\"", "two http://****@c/ and \"https://****@e\""),
    ("cut 'http://user:SECR", "cut 'http://****"),
    ("with a slash http://u:4/7@h", "with a slash http://****@h"),
    ("The stream: http://h:8000/x (late).", "The stream: http://h:8000/x (late)."),
    ("Nothing listens at http://127.0.0.1:8000.", "Nothing listens at http://127.0.0.1:8000."),
    ("http://[::1]:80/", "http://[::1]:80/"), ("no address: a@b", "no address: a@b"), ("://", "://"),
    ("", ""),
  ]) func passwordsAreMasked(text: String, masked: String) {
    #expect(text.withoutUserInfo == masked)
    #expect(masked.withoutUserInfo == masked)
  }

  @Test(arguments: [PlaybackError.Kind.network, .refused]) func errorsOfTracksHideThem(
    kind: PlaybackError.Kind
  ) {
    let error = PlaybackError(kind, path: "http://me:SECRET@h/x", detail: "via 'bad://p:SECRET@proxy'")
    #expect(!error.sentence.contains("SECRET") && error.sentence.contains("http://****@h/x"))
  }
}
