// Which workers load libsoxr: those that resample. A worker that turns out to need it is restarted once. Test
// threads.

import Decoding
import Foundation
import Media
import PlaybackModel
import Platform
import Player
import RealTimeSupport
import Testing

@Suite(.realTime) struct ResamplingLibraryTests {
  @Test(arguments: [(48_000, false), (44_100, true)])
  func onlyAWorkerThatConvertsLoadsTheLibrary(source: Int, isLoaded: Bool) throws {
    let bench = try Workbench()
    // Inspecting a confined process requires root.
    var listener = Listener(
      try bench.worker(TestFile(rate: source, frames: 500_000)) { $0.limits.confinement = .none })
    _ = try listener.waitForReady()
    let maps = try mappings(of: listener.worker.processID)
    #expect(maps.contains("libTestCodec"))
    #expect(maps.contains("/libsoxr.so") == isLoaded)
    #expect(maps.contains("/libgomp.so") == isLoaded)
  }

  @Test(arguments: [
    // Correct and wrong predictions of the plugin (from the extension) and of the need to resample.
    ("track.swtest", 48_000, false, ["hint= resampler=0"]),
    ("track.swtest", 44_100, false, ["hint= resampler=0", "hint= resampler=1"]),
    ("track.swtest", 44_100, true, ["hint= resampler=1"]),
    ("track.swtest", 48_000, true, ["hint= resampler=1"]),
    ("track.wav", 48_000, false, ["hint=PCM resampler=0", "hint= resampler=0"]),
    ("track.wav", 44_100, true, ["hint=PCM resampler=1", "hint= resampler=1"]),
    ("track.wav", 44_100, false, ["hint=PCM resampler=0", "hint= resampler=0", "hint= resampler=1"]),
  ])
  func aWorkerIsReplacedOnceForWhatItLacks(
    name: String, rate: Int, isExpected: Bool, starts: [String]
  ) throws {
    let bench = try Workbench(plugins: ["Test": "libTestCodec.so", "PCM": "libSwiftletCodecPCM.so"])
    let log = try StartLog(bench)
    var listener = Listener(
      try bench.worker(TestFile(rate: rate, frames: 100_000), name: name) {
        $0.executable = log.executable
        $0.expectsResampling = isExpected
      })
    // A seek that was sent before the worker was replaced is not lost.
    listener.retain(500)
    let generation = listener.worker.seek(to: Frames(40_000), index: 500, now: MonotonicClock.now())
    listener.index = 500
    try listener.wait { if case .seeked(generation, Frames(40_000), 500) = $0 { true } else { nil } }
    try listener.readToEnd()
    let total = (100_000 * 48_000 + rate / 2) / rate
    #expect(listener.samples.count == 2 * (total - 40_000))
    #expect(listener.events.filter { if case .opened = $0 { true } else { false } }.count == 1)
    #expect(try log.starts == starts)
  }

  @Test func theNextTrackOfAnotherRateIsStartedOnce() throws {
    let bench = try Workbench()
    let log = try StartLog(bench)
    let loop = try EventLoop()
    let decoders = WorkerDecoders(loop, rate: SampleRate(48_000)) { [plugins = bench.plugins] in
      $0.executable = log.executable
      $0.plugins = plugins
    }
    for (number, rate) in [44_100, 44_100, 48_000, 48_000, 96_000].enumerated() {
      let path = try bench.write(TestFile(rate: rate).bytes, as: "\(number).swtest")
      let decoder = try decoders.open(Track(id: UInt64(number), path: path), at: .zero)
      try waitUntilReady(decoder, loop)
      decoder.terminate()
    }
    #expect(try log.starts.map { $0.last } == ["0", "1", "1", "1", "0", "0", "1"])
  }

  @Test func probingNeedsNoLibrary() throws {
    let bench = try Workbench()
    let log = try StartLog(bench)
    let path = try bench.write(TestFile(rate: 44_100, frames: 44_100).bytes, as: "track.swtest")
    let info = try Inspection.probe(path) {
      $0.executable = log.executable
      $0.plugins = bench.plugins
    }
    #expect(info.totalFrames == Frames(48_000))
    #expect(try log.starts == ["hint= resampler=0"])
  }

  @Test(arguments: [(44_100, false), (44_100, true), (48_000, true)])
  func aMissingLibraryIsNamedWhereItIsMissed(source: Int, isExpected: Bool) throws {
    let bench = try Workbench()
    // An invalid file, found before the system's library.
    let folder = bench.directory.appendingPathComponent("libraries")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data("no library".utf8).write(to: folder.appendingPathComponent("libsoxr.so.0"))
    let script = try bench.script(
      "LD_LIBRARY_PATH='\(folder.path)'${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "
        + "exec '\(Workbench.executable)' \"$@\"")
    var listener = Listener(
      try bench.worker(TestFile(rate: source)) {
        $0.executable = script
        $0.expectsResampling = isExpected
      })
    guard source != 48_000 else {
      _ = try listener.waitForReady()
      return
    }
    let failure = try listener.waitForFailure()
    #expect(failure.kind == .internalError)
    #expect(failure.sentence.contains("libsoxr0"), "\(failure.sentence)")
  }

  /// The memory mappings of a process. The kernel returns the file in pieces, of which Foundation reads only
  /// the first.
  private func mappings(of process: Int32) throws -> String {
    let file = try FileDescriptor.open("/proc/\(process)/maps", O_RDONLY)
    var bytes: [UInt8] = []
    while let piece = try file.read(atMost: 65_536), !piece.isEmpty { bytes += piece }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func waitUntilReady(_ decoder: any TrackDecoder, _ loop: EventLoop) throws {
    let limit = MonotonicClock.now() + 20_000_000_000
    while MonotonicClock.now() < limit {
      for event in decoder.takeEvents() {
        switch event {
        case .ready: return
        case .failed(let error): throw error
        default: break
        }
      }
      let timer = loop.after(20_000_000) {}
      loop.turn(waits: true)
      loop.remove(timer)
    }
    throw Listener.TimedOut()
  }
}

/// A worker executable that logs its arguments before it starts the real one.
private struct StartLog {
  let executable: String
  private let path: String

  init(_ bench: Workbench) throws {
    path = bench.directory.appendingPathComponent("starts").path
    executable = try bench.script(
      "for word; do case $word in hint=*|resampler=*) list+=\" $word\" ;; esac; done\n"
        + "echo ${list# } >> '\(path)'; exec '\(Workbench.executable)' \"$@\"")
  }

  /// The logged lines, one per start.
  var starts: [String] {
    get throws { try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init) }
  }
}
