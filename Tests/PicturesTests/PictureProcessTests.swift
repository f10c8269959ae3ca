// The protocol of picture processes, and which file of a folder is its cover. Test threads.

import Platform
import RealTimeSupport
import Testing

@testable import Decoding
@testable import Pictures

@Suite(.realTime) struct PictureProcessTests {
  @Test func theUsualNamesCountInOrder() {
    let names = [
      "Folder.jpg", "cover.txt", "COVER.JPG", "cover.png", "01 cover.jpg", "front.webp", "cover", ".jpg",
    ]
    let entries = names.map { DirectoryEntry(name: $0, isDirectory: false) }
    #expect(CoverFile.candidates(entries) == ["cover.png", "COVER.JPG", "Folder.jpg", "front.webp"])
    #expect(CoverFile.candidates([DirectoryEntry(name: "cover.jpg", isDirectory: true)]) == [])
  }

  @Test func answersAreReadAsTheyWereWritten() {
    let picture = PictureAnswer.picture(Picture(.folder, [0, 1, 2, 0, 0]))
    for answer in [picture, .none, .missing, .refused("it is not there")] {
      #expect(PictureAnswer(answer.bytes) == answer)
    }
    for bytes in [
      [], Array(picture.bytes.dropLast()), picture.bytes + [1], Array("none".utf8),
      Array("refused".utf8) + [0, 0xFF, 0],
    ] {
      #expect(PictureAnswer(bytes) == nil)
    }
  }

  @Test func questionsAreReadAsTheyWereWritten() {
    let question = PictureQuestion("a b/c", .folder, within: MediaRoots(["/music", "/media"]))
    #expect(PictureQuestion(question.words[...]) == question)
    #expect(PictureQuestion(["x", "name"]) == nil)
  }
}
