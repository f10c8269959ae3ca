// Which files a worker opens, and its errors for others. Test threads.

import CLinux
import Decoding
import Foundation
import Platform
import PlaybackModel
import RealTimeSupport
import Testing

@Suite(.realTime) struct OpeningTests {
  @Test func whatIsNoFileIsMissing() throws {
    let bench = try Workbench()
    let pipe = bench.directory.appendingPathComponent("pipe").path
    mkfifo(pipe, 0o600)
    for (path, words) in [
      ("/nonexistent/file", "no such file"), (pipe, "pipe"), ("/dev/null", "device"),
      (bench.directory.path, "directory"),
    ] {
      let failure = try #require(try refusal(of: MediaPlace(anywhere: path), bench))
      #expect(failure.kind == .missing && failure.sentence.contains(words), "\(path): \(failure)")
    }
  }

  /// The error with which a worker refuses a file; nil if it opens it.
  private func refusal(of place: MediaPlace, _ bench: Workbench) throws -> WorkerFailure? {
    var request = WorkerRequest(place, rate: SampleRate(48_000))
    request.executable = Workbench.executable
    request.plugins = bench.plugins
    var listener = Listener(try CodecWorker(request, now: MonotonicClock.now()))
    do {
      try listener.wait { if case .opened = $0 { true } else { nil } }
      return nil
    } catch let error as Listener.Failed {
      return error.failure
    }
  }

  @Test func aWorkerOpensNothingOutsideOfItsRoot() throws {
    let bench = try Workbench()
    let (root, other) = (bench.directory.path + "/in", bench.directory.path + "/out")
    for folder in [root, other] {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
    for path in ["in/a.swtest", "out/b.swtest"] { _ = try bench.write(TestFile().bytes, as: path) }
    symlink(other + "/b.swtest", root + "/link.swtest")
    symlink("a.swtest", root + "/own.swtest")
    let roots = MediaRoots([root])
    #expect(roots.place(of: other + "/b.swtest") == nil)
    for name in ["a.swtest", "own.swtest", "../in/a.swtest", "../out/b.swtest", "link.swtest"] {
      let place = try #require(roots.place(of: root + "/" + name))
      let failure = try refusal(of: place, bench)
      let isWithin = name == "a.swtest" || name == "own.swtest"
      #expect((failure == nil) == isWithin, "\(name): \(String(describing: failure))")
      if !isWithin { #expect(failure?.sentence.contains("outside the media folders") == true) }
    }
  }

  @Test func aNameThatIsNoTextIsOpened() throws {
    let bench = try Workbench()
    let bytes = Array(bench.directory.path.utf8) + [0x2F, 0xE9, 0xFF, 0x20] + Array("1.swtest".utf8)
    let file = bytes.map { CChar(bitPattern: $0) } + [0]
    let descriptor = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    try #require(descriptor >= 0)
    FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).write(TestFile().bytes)
    let path = String(pathBytes: bytes)
    #expect(try refusal(of: MediaPlace(anywhere: path), bench) == nil)
    let place = try #require(MediaRoots([bench.directory.path]).place(of: path))
    #expect(try refusal(of: place, bench) == nil)
  }
}
