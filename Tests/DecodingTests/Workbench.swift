// Support for the tests of this target: test files, a plugin directory, and a ring reader. Test threads.

import AudioRing
import CLinux
import ChildSupport
import Decoding
import Foundation
import Platform
import PlaybackModel
import RealtimeAudio
import Synchronization

/// How the test codec behaves; the numbers are those of TestCodec.c.
enum Behaviour: UInt32, CaseIterable {
  case ramp, sine, crash, abort, hangInOpen, hangInDecode, allocate, openFile, fork, scribbleHeader
  case tooManyFrames, notFinite, unseekable, corruptMidway, protected, badText, connect, exit
  case mapExecutable, forgeMessage, print, spinForever, hangInSeek
  case tooManyDetails, wrongDetails, detailsFail, crashInDetails, hangInDetails
  case openInProbe, openInOpen, tellOpenings
}

/// A file for the test codec.
struct TestFile {
  var behaviour = Behaviour.ramp
  var rate = 48_000
  var channels = 2
  /// The frame at which the misbehavior begins.
  var when = 0
  var frames: Int64 = 48_000
  var announced: Int64?

  var bytes: Data {
    var data = Data("SWIFTLETTESTCODE".utf8)
    for value in [behaviour.rawValue, UInt32(rate), UInt32(channels), UInt32(when)] {
      withUnsafeBytes(of: value) { data.append(contentsOf: $0) }
    }
    for value in [frames, announced ?? frames] {
      withUnsafeBytes(of: value) { data.append(contentsOf: $0) }
    }
    return data
  }

  /// The codec's sample for a frame of a ramp.
  static func ramp(_ frame: Int64, _ channel: Int64) -> Float {
    Float((frame * 7 + channel * 13) % 30000 - 15000) / 32768
  }
}

/// A temporary directory with a plugin directory, removed on deinit.
final class Workbench {
  /// The build directory with the executable and the plugins.
  static let products: URL = {
    let test = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    return test
  }()
  static let executable = products.appendingPathComponent("swiftlet").path

  let directory: URL
  var plugins: String { directory.appendingPathComponent("plugins").path }

  /// - Parameter plugins: Libraries by the name of their plugin.
  init(plugins: [String: String] = ["Test": "libTestCodec.so"]) throws {
    directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("swiftlet-decoding-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: directory.appendingPathComponent("plugins"), withIntermediateDirectories: true)
    for (name, product) in plugins {
      try FileManager.default.createSymbolicLink(
        at: directory.appendingPathComponent("plugins/libSwiftletCodec\(name).so"),
        withDestinationURL: Self.products.appendingPathComponent(product))
    }
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  func write(_ data: Data, as name: String) throws -> String {
    let url = directory.appendingPathComponent(name)
    try data.write(to: url)
    return url.path
  }

  /// Starts a worker on a test file, or on any bytes.
  func worker(
    _ file: TestFile, name: String = "track.swtest", rate: Int = 48_000,
    adjusting: (inout WorkerRequest) -> Void = { _ in }
  ) throws -> CodecWorker {
    try worker(file.bytes, name: name, rate: rate, adjusting: adjusting)
  }

  func worker(
    _ data: Data, name: String, rate: Int = 48_000, adjusting: (inout WorkerRequest) -> Void = { _ in }
  ) throws -> CodecWorker {
    var request = WorkerRequest(
      MediaPlace(anywhere: try write(data, as: name)), rate: SampleRate(rate))
    request.executable = Self.executable
    request.plugins = plugins
    request.layout = RingLayout(capacity: 65_536)
    adjusting(&request)
    return try CodecWorker(request, now: MonotonicClock.now())
  }

  /// Writes an executable script that replaces the worker.
  func script(_ text: String) throws -> String {
    let source = try write(Data("#!/bin/bash\n\(text)\n".utf8), as: "fake-worker.txt")
    let path = String(source.dropLast(4))
    // If another test's child inherits the descriptor on which this process has the program open for writing,
    // starting the program fails with "Text file busy".
    let install = try Child(
      URL(filePath: "/usr/bin/install"), ["-m", "755", source, path], in: directory)
    let outcome = install.wait(seconds: 20)
    precondition(outcome.status == 0, "install(1) makes the fake worker executable: \(outcome)")
    return path
  }
}

/// The reader of a worker's ring; it collects the worker's events and the samples.
struct Listener {
  let worker: CodecWorker
  var events: [WorkerEvent] = []
  var samples: [Float] = []
  /// The next index to read.
  var index: UInt64 = 0

  /// Whether the worker has sent its sample format; before that, no sample can be read.
  private var knowsForm = false

  init(_ worker: CodecWorker) { self.worker = worker }

  struct TimedOut: Error {}
  struct Failed: Error { let failure: WorkerFailure }

  /// Handles events until one matches. The engine's timeout is 4 s, so 20 s mean that the handle is broken.
  @discardableResult
  mutating func wait<T>(for pick: (WorkerEvent) -> T?) throws -> T {
    let limit = MonotonicClock.now() + 20_000_000_000
    var seen = 0
    while MonotonicClock.now() < limit {
      while seen < events.count {
        defer { seen += 1 }
        if let found = pick(events[seen]) { return found }
        if let failure = events[seen].failure { throw Failed(failure: failure) }
      }
      step()
    }
    throw TimedOut()
  }

  /// Waits until the ring has been written up to an index.
  mutating func waitUntil(written index: UInt64) throws {
    let limit = MonotonicClock.now() + 20_000_000_000
    while worker.ring.writeIndex < index {
      if MonotonicClock.now() > limit { throw TimedOut() }
      step()
    }
  }

  /// Waits a few milliseconds for the worker and handles its events.
  mutating func step() {
    var entry = pollfd(fd: worker.descriptor, events: Int16(POLLIN), revents: 0)
    poll(&entry, 1, 5)
    takeEvents()
  }

  private mutating func takeEvents() {
    let news = worker.takeEvents(now: MonotonicClock.now())
    events += news
    for case .opened in news { knowsForm = true }
  }

  /// Reads to the end of the track or to the failure.
  mutating func readToEnd() throws {
    let limit = MonotonicClock.now() + 20_000_000_000
    while MonotonicClock.now() < limit {
      read()
      if index == worker.ring.endIndex, ended != nil || failure != nil { return }
      if failure != nil, worker.ring.writeIndex == index { return }
      worker.wake()
      step()
    }
    throw TimedOut()
  }

  /// Reads what is in the ring, and frees the space.
  mutating func read() {
    look()
    retain(index)
  }

  /// Reads what is in the ring and retains it, so that the worker is limited to the ring's capacity.
  mutating func look() {
    let available = worker.ring.writeIndex
    if !knowsForm, index < available { takeEvents() }
    guard knowsForm || failure != nil else { return }
    let ring = worker.ring.reader
    while index < available {
      let frame = ring.frames(at: index)[0]
      samples.append(frame[0])
      samples.append(frame[1])
      index += 1
    }
  }

  /// Sets the first index that must be kept in the ring.
  func retain(_ index: UInt64) {
    (worker.ring.base + RingLayout.retainIndexOffset).assumingMemoryBound(to: Atomic<UInt64>.self)
      .pointee.store(index, ordering: .releasing)
  }

  var opened: StreamInfo? {
    for case .opened(let info) in events { return info }
    return nil
  }
  var failure: WorkerFailure? {
    events.lazy.compactMap(\.failure).first
  }
  var ended: (total: Frames, index: UInt64)? {
    for case .ended(let total, let index) in events { return (total, index) }
    return nil
  }
  mutating func waitForReady() throws -> Frames {
    try wait { if case .ready(let position, _) = $0 { position } else { nil } }
  }
  mutating func waitForFailure() throws -> WorkerFailure {
    try wait(for: \.failure)
  }
  mutating func waitForEnd() throws -> Frames {
    try wait { if case .ended(let total, _) = $0 { total } else { nil } }
  }
}

extension WorkerEvent {
  /// The reason of the worker's failure or crash.
  var failure: WorkerFailure? {
    switch self {
    case .failed(let failure), .died(let failure): failure
    default: nil
    }
  }
}
