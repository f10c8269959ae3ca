// What look-up processes are asked: whichever question it is, the storage that it may wait for is known, so that its processes are
// counted.
import Decoding
import Testing

@testable import Media

@Suite struct LookupQuestionTests {
  private let roots = MediaRoots(["/srv/music", "/media/stick"])

  @Test(arguments: [LookupQuestion.Kind.locate, .expand, .list])
  func itsStorageIsTheRootThatItIsAbout(kind: LookupQuestion.Kind) {
    #expect(LookupQuestion(kind, of: "/media/stick/a", within: roots).storage == "/media/stick")
    #expect(LookupQuestion(kind, of: "/srv/music", within: roots).storage == "/srv/music")
    #expect(LookupQuestion(kind, of: "a", within: MediaRoots(["/srv/music"])).storage == "/srv/music")
    #expect(LookupQuestion(kind, of: "/etc", within: roots).storage == nil)
  }

  @Test func itComesBackFromItsWords() {
    let question = LookupQuestion(.list, of: "/srv/music/ü b", within: roots)
    let words = question.words(parent: 7)
    #expect(LookupQuestion(words.dropFirst(2)) == question)
  }
}
