// libnfc in a reader process can open only its one device. A test library is loaded in its place. Test
// threads.

import CLinux
import ChildSupport
import Foundation
import Testing

@Suite struct ReaderReachTests {
  /// Whether the kernel can restrict file access (Landlock).
  private static let hasLandlock: Bool = {
    let rules = clinux_landlock_begin()
    if rules >= 0 { close(rules) }
    return rules >= 0
  }()

  @Test(.enabled(if: hasLandlock, "needs a kernel with Landlock"))
  func libnfcOpensItsOneDeviceOnly() throws {
    let bench = try Workbench()
    let libraries = bench.directory.appending(path: "libraries")
    try FileManager.default.createDirectory(at: libraries, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      at: libraries.appending(path: "libnfc.so.6"),
      withDestinationURL: Workbench.products.appending(path: "libPryingNFC.so"))
    let others = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"].map { ":" + $0 } ?? ""
    let (device, other) = (try Pty(at: bench.path("line")), try Pty(at: bench.path("line-other")))
    try bench.write(Data("secret".utf8), as: "line-file")
    let box = try BoxRig(
      ["reader shelf nfc pn532_uart:\(bench.path("line"))"], bench: bench,
      environment: ["LD_LIBRARY_PATH": libraries.path + others])
    var problem = ""
    let isReported = try box.bench.waits {
      problem = try box.tell("controls").first { $0.contains("reader shelf: ") } ?? ""
      return problem.contains("device ")
    }
    #expect(isReported, "\(box.daemon.errorsSoFar)")
    let denied = ["other", "file", "new", "null", "users", "folder"].map { "\($0) EACCES" }
    #expect(problem.contains((["device OPENED"] + denied).joined(separator: ", ")), "\(problem)")
    #expect(!FileManager.default.fileExists(atPath: bench.path("line-new")))
    withExtendedLifetime((device, other)) {}
  }
}
