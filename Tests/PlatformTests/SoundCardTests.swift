// The sound card in the name of a device, and groups of the operating system. Test threads.

import Foundation
import Platform
import Testing

@Suite struct SoundCardTests {
  @Test(arguments: [
    ("hw:1", "1"), ("hw:1,0", "1"), ("plughw:CARD=Device,DEV=0", "Device"), ("hw:Device,0", "Device"),
    ("sysdefault:CARD=x", "x"), ("plughw:DEV=0,CARD=2", "2"), ("default", nil), ("plug:dmix", nil),
    ("null", nil),
    ("snapcast:127.0.0.1:4953", nil), ("bluealsa:DEV=00:11:22:33:44:55,PROFILE=a2dp", nil),
  ]) func theCardIsTakenFromTheName(device: String, card: String?) {
    #expect(SoundCard.named(in: device) == card)
  }

  @Test func aMissingCardIsNamed() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "cards-\(UUID())")
    try FileManager.default.createDirectory(
      at: folder.appending(path: "card0"), withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(SoundCard.problem(of: "hw:0", in: folder.path) == nil)
    #expect(SoundCard.problem(of: "default", in: folder.path) == nil)
    #expect(
      SoundCard.problem(of: "plughw:99", in: folder.path)
        == "there is no sound card '99' now; 'aplay -l' lists them")
    #expect(SoundCard.problem(of: "hw:CARD=Nosuch", in: folder.path)?.contains("'Nosuch'") == true)
  }

  @Test func anUnknownGroupIsRefused() {
    #expect(GroupDatabase.refusal(of: "root") == nil)
    #expect(
      GroupDatabase.refusal(of: "nosuchgroup")
        == "cannot be 'nosuchgroup': there is no such group; 'getent group' lists them")
  }

  @Test func aProgramIsLookedForAsTheShellDoes() {
    #expect(Executable.isInstalled("sh") == true && Executable.isInstalled("/bin/sh") == true)
    #expect(Executable.isInstalled("nosuch-program") == false)
    for text in ["exec", "$PROGRAM", "(", "a=b", ""] { #expect(Executable.isInstalled(text) == nil) }
  }
}
