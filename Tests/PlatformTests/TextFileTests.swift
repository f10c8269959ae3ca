// Files that users name: ordinary files are read, anything else is refused without waiting for it. Test threads.

import Foundation
import Platform
import Testing

@Suite struct TextFileTests {
  private final class Scratch {
    let path = NSTemporaryDirectory() + "text-" + UUID().uuidString
    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: path) }
  }

  enum Hindrance: String, CaseIterable, Sendable {
    case pipe = "a pipe or a socket", socket = "a pipe or a socket, not a file", folder = "a folder"
    case device = "a device"
  }

  @Test(arguments: Hindrance.allCases, [false, true]) func onlyAFileIsRead(hindrance: Hindrance, isLink: Bool)
    throws
  {
    let scratch = try Scratch()
    let path = scratch.path + "/file"
    switch hindrance {
    case .pipe: try #require(mkfifo(path, 0o600) == 0)
    case .socket: try #require(mknod(path, S_IFSOCK | 0o600, 0) == 0)
    case .folder: try #require(mkdir(path, 0o700) == 0)
    case .device: try #require(symlink("/dev/zero", path) == 0)
    }
    let named = isLink ? scratch.path + "/link" : path
    if isLink { try #require(symlink("file", named) == 0) }
    let error = #expect(throws: SystemError.self) { try TextFile.bytes(named, limit: 10) }
    let sentence = error?.description ?? ""
    #expect(sentence.hasPrefix(named + " is " + hindrance.rawValue), "\(sentence)")
    #expect(sentence.contains("name a file"), "\(sentence)")
  }

  @Test func filesAndLinksToThemAreRead() throws {
    let scratch = try Scratch()
    try Data("text".utf8).write(to: URL(fileURLWithPath: scratch.path + "/file"))
    try #require(symlink("file", scratch.path + "/link") == 0)
    for name in ["file", "link"] {
      #expect(try TextFile.read(scratch.path + "/" + name, limit: 10) == "text")
      #expect(try TextFile.bytes(scratch.path + "/" + name, limit: 2) == Array("te".utf8))
    }
    #expect(try TextFile.bytes("/dev/null", limit: 10) == [])
    // Files of the kernel have no size.
    #expect(try !TextFile.bytes("/proc/self/stat", limit: 10).isEmpty)
    let missing = #expect(throws: SystemError.self) { try TextFile.bytes(scratch.path + "/none", limit: 1) }
    #expect(missing?.code == SystemError.noSuchFile)
  }

  @Test func aDeviceThatIsNoSerialLineIsNamed() {
    let error = #expect(throws: SystemError.self) { _ = try SerialPort.open("/dev/zero", baud: 9600) }
    #expect(error?.description.hasPrefix("/dev/zero is no serial line; name a tty") == true)
  }
}
