// The sentence of a file that exists but is not played: it is not said to be missing. Test threads.

import PlaybackModel
import Testing

@Suite struct MissingFileTests {
  @Test(arguments: ["", PlaybackError.noSuchFile]) func anAbsentFileDoesNotExist(detail: String) {
    let error = PlaybackError(.missing, path: "/music/x", detail: detail)
    #expect(error.sentence.hasPrefix("The file does not exist: /music/x"))
    #expect(error.remedy.contains("Check the path"))
  }

  @Test(arguments: ["This is a device or a pipe, not a file.", "It lies outside the media folders."])
  func otherFilesHaveTheirCause(detail: String) {
    let error = PlaybackError(.missing, path: "/music/x", detail: detail)
    #expect(error.sentence == "The file cannot be played: /music/x (\(detail)).")
    #expect(!error.remedy.contains("Check the path"))
  }
}
