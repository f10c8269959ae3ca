// State files: each way of opening one, for each kind of object at its path. Test threads.

import Foundation
import Platform
import Testing

@Suite struct StateFileTests {
  enum Hindrance: CaseIterable, Sendable { case link, danglingLink, folder, pipe, socket, linkInPath }
  enum Use: CaseIterable, Sendable { case status, open, contents, replace }

  private final class Scratch {
    let path = NSTemporaryDirectory() + "state-" + UUID().uuidString
    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ text: String, _ name: String) throws {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path + "/" + name))
    }
    func read(_ name: String) -> String? {
      FileManager.default.contents(atPath: path + "/" + name).map { String(decoding: $0, as: UTF8.self) }
    }
  }

  private func use(_ use: Use, _ path: String) throws {
    let file = try StateFile(path)
    switch use {
    case .status: _ = try file.status()
    case .open: _ = try file.open(O_RDWR)
    case .contents: _ = try file.contents(limit: 100)
    case .replace: try file.replace(with: Array("new".utf8))
    }
  }

  @Test(arguments: Hindrance.allCases, Use.allCases) func onlyOrdinaryFilesAreUsed(
    hindrance: Hindrance, use: Use
  ) throws {
    let scratch = try Scratch()
    try scratch.write("precious", "canary")
    var path = scratch.path + "/state"
    switch hindrance {
    case .link: try #require(symlink("canary", path) == 0)
    case .danglingLink: try #require(symlink("nothing", path) == 0)
    case .folder: try #require(mkdir(path, 0o700) == 0)
    case .pipe: try #require(mkfifo(path, 0o600) == 0)
    case .socket: try #require(mknod(path, S_IFSOCK | 0o600, 0) == 0)
    case .linkInPath:
      // Links owned by root, such as /var/run, are followed; other users' links are not.
      try #require(mkdir(scratch.path + "/elsewhere", 0o755) == 0)
      try scratch.write("precious", "elsewhere/state")
      try #require(symlink("elsewhere", scratch.path + "/way") == 0)
      if getuid() == 0 { try #require(lchown(scratch.path + "/way", 65534, 65534) == 0) }
      path = scratch.path + "/way/state"
    }
    let error = #expect(throws: SystemError.self) { try self.use(use, path) }
    let sentence = error?.description ?? ""
    #expect(sentence.contains(scratch.path) && sentence.contains("name"), "\(sentence)")
    #expect(scratch.read("canary") == "precious" && scratch.read("nothing") == nil)
    #expect(hindrance != .linkInPath || scratch.read("elsewhere/state") == "precious")
  }

  /// When root writes for the service's user, existing files keep their owner, and new ones get the owner of
  /// the folder.
  @Test(.enabled(if: getuid() == 0, "needs root")) func filesStayWithTheirOwner() throws {
    let scratch = try Scratch()
    func owner(_ name: String) throws -> [UInt32] {
      let status = try #require(try StateFile(scratch.path + "/" + name).status())
      return [status.owner, status.group, status.permissions]
    }
    try scratch.write("old", "state")
    try #require(
      chown(scratch.path + "/state", 65534, 65533) == 0 && chmod(scratch.path + "/state", 0o640) == 0)
    try StateFile(scratch.path + "/state").replace(with: Array("new".utf8))
    #expect(try owner("state") == [65534, 65533, 0o640] && scratch.read("state") == "new")
    try #require(chown(scratch.path, 65532, 65531) == 0)
    try StateFile(scratch.path + "/another").replace(with: Array("new".utf8), isPrivate: true)
    #expect(try owner("another") == [65532, 65531, 0o600])
    try StateFile(scratch.path + "/state").removeDurably()
    try StateFile(scratch.path + "/state").removeDurably()
    #expect(scratch.read("state") == nil)
  }

  /// A link at the temporary path is removed, and its target is unchanged.
  @Test func theTemporaryNameFollowsNoLink() throws {
    let scratch = try Scratch()
    try scratch.write("precious", "canary")
    try #require(symlink("canary", scratch.path + "/state.new") == 0)
    try StateFile(scratch.path + "/state").replace(with: Array("new".utf8))
    #expect(scratch.read("state") == "new" && scratch.read("canary") == "precious")
  }

  @Test func ordinaryFilesAreReadAndReplaced() throws {
    let scratch = try Scratch()
    let path = scratch.path + "/state"
    #expect(try StateFile(path).status() == nil)
    #expect { try StateFile(path).contents(limit: 9) } throws: { ($0 as? SystemError)?.code == ENOENT }
    try StateFile(path).replace(with: Array("one".utf8))
    #expect(try StateFile(path).contents(limit: 2) == Array("on".utf8))
    #expect(try StateFile(path).status()?.size == 3)
    // Dots and repeated slashes have their usual meaning.
    let detour = scratch.path + "/../" + URL(fileURLWithPath: scratch.path).lastPathComponent + "//./state"
    #expect(try StateFile(detour).contents(limit: 9) == Array("one".utf8))
    #expect { try StateFile(scratch.path + "/").status() } throws: { ($0 as? SystemError)?.code == EISDIR }
  }

  /// Names that are not UTF-8 are created, opened, renamed and deleted under their own bytes.
  @Test func namesThatAreNotUTF8StayTheSame() throws {
    let scratch = try Scratch()
    let bytes = Array("st\u{E4}te".utf8).filter { $0 != 0xC3 }
    let name = String(pathBytes: bytes)
    let folder = scratch.path + "/" + name
    func entries(_ path: String) throws -> Set<String> { Set(try Directory.entries(of: path).map(\.name)) }
    func raw(_ ending: String) -> [CChar] {
      (Array(scratch.path.utf8) + [0x2F] + bytes + [0x2F] + bytes + Array(ending.utf8) + [0])
        .map { CChar(bitPattern: $0) }
    }
    try #require(Directory.make(folder))
    #expect(try entries(scratch.path) == [name])
    let path = folder + "/" + name
    try StateFile(path).replace(with: Array("one".utf8))
    try StateFile(path).replace(with: Array("two".utf8))
    #expect(access(raw(""), F_OK) == 0 && access(raw(".new"), F_OK) != 0)
    #expect(try StateFile(path).contents(limit: 9) == Array("two".utf8))
    #expect(AtomicFile.resolved(path)?.hasSuffix("/" + name + "/" + name) == true)
    try StateFile(path).rename(addingEnding: ".bad")
    #expect(try entries(folder) == [name + ".bad"])
    try StateFile(path + ".bad").remove()
    _ = try FileDescriptor.create(path)
    try AtomicFile.rename(path, to: path + ".moved")
    _ = try AtomicFile.createAfresh(path, permissions: 0o600)
    #expect(try entries(folder) == [name, name + ".moved"])
    try StateFile(path).removeDurably()
    AtomicFile.remove(path + ".moved")
    #expect(try entries(folder) == [])
    // Foundation cannot delete it.
    #expect(folder.withPath { rmdir($0) } == 0)
  }

  /// Whether this user's temporary folders belong to root and are on root's file system.
  private static let isRootsPlace: Bool = {
    guard let scratch = try? Scratch() else { return false }
    var (here, root) = (stat(), stat())
    return getuid() == 0 && stat(scratch.path, &here) == 0 && stat("/", &root) == 0
      && here.st_dev == root.st_dev
  }()

  @Test(.enabled(if: isRootsPlace, "needs root, and a temporary folder on the root file system"))
  func rootsOwnLinksAreFollowed() throws {
    let scratch = try Scratch()
    try #require(mkdir(scratch.path + "/real", 0o755) == 0)
    try #require(symlink(scratch.path + "/real", scratch.path + "/absolute") == 0)
    try #require(symlink("real/../absolute", scratch.path + "/relative") == 0)
    try StateFile(scratch.path + "/relative/state").replace(with: Array("new".utf8))
    #expect(scratch.read("real/state") == "new")
    // A cycle of links ends with an error.
    try #require(symlink("b", scratch.path + "/a") == 0 && symlink("a", scratch.path + "/b") == 0)
    #expect(throws: SystemError.self) { try StateFile(scratch.path + "/a/state").status() }
  }
}
