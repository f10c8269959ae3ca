// Hostile or broken transport plugins: each fails only its own stream, with an error, within its time and
// memory limits. A file that is decoded at the same time is unaffected. Real workers; test threads.

import ChildSupport
import CLinux
import Decoding
import Foundation
import Platform
import PlaybackModel
import Streaming
import RealTimeSupport
import Testing

@Suite(.realTime) struct HostileTransportTests {
  struct Misdeed: Sendable, CustomTestStringConvertible {
    /// The address; the part behind http://test/ selects the misbehavior.
    let url: String
    let kind: WorkerFailure.Kind
    let words: String
    var proxy = ""
    var testDescription: String { url + proxy }
  }

  private func listener(_ bench: Workbench, _ url: String, proxy: String = "") throws -> Listener {
    let place = bench.directory.appending(path: "plugins/libSwiftletTransportHTTP.so")
    try FileManager.default.createSymbolicLink(
      at: place, withDestinationURL: Workbench.products.appending(path: "libTestTransport.so"))
    var request = WorkerRequest(path: "http://test/" + url, rate: SampleRate(48_000))
    request.executable = Workbench.executable
    request.plugins = bench.plugins
    request.timeoutNanoseconds = 1_000_000_000
    request.stream?.plugins = bench.plugins
    request.stream?.window = 128 << 10
    request.stream?.proxy = proxy
    request.stream?.connectMilliseconds = 300
    request.stream?.stallMilliseconds = 400
    request.stream?.giveUpMilliseconds = 800
    return Listener(try CodecWorker(request, now: MonotonicClock.now()))
  }

  /// Private memory of a process in KiB.
  private func memory(of process: Int32) -> Int {
    let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
    return line?.split(whereSeparator: { " \t".contains($0) }).dropFirst().first.flatMap { Int($0) } ?? 0
  }

  @Test(arguments: [
    Misdeed(url: "any", kind: .network, words: "SIGSEGV", proxy: "crash-in-open"),
    Misdeed(url: "any", kind: .refused, words: "cannot begin", proxy: "no-transfer"),
    Misdeed(url: "crash-in-begin", kind: .network, words: "SIGSEGV"),
    Misdeed(url: "crash", kind: .network, words: "SIGSEGV"),
    Misdeed(url: "crash/late", kind: .network, words: "SIGSEGV"),
    Misdeed(url: "abort/late", kind: .network, words: "SIGABRT"),
    Misdeed(url: "exit", kind: .network, words: "exit status 3"),
    Misdeed(url: "allocate", kind: .network, words: "SIGSEGV"),
    Misdeed(url: "spin", kind: .network, words: "Nothing comes"),
    Misdeed(url: "hang", kind: .network, words: "Nothing comes"),
    Misdeed(url: "write", kind: .network, words: "tried what its sandbox forbids"),
    Misdeed(url: "exec/late", kind: .network, words: "tried what its sandbox forbids"),
    Misdeed(url: "fork", kind: .network, words: "tried what its sandbox forbids"),
    Misdeed(url: "unix", kind: .network, words: "tried what its sandbox forbids"),
    Misdeed(url: "kill", kind: .network, words: "tried what its sandbox forbids"),
    Misdeed(url: "forge", kind: .network, words: "invalid message"),
    Misdeed(url: "lies", kind: .unsupportedFormat, words: "No codec"),
    Misdeed(url: "titles", kind: .unsupportedFormat, words: "No codec"),
    Misdeed(url: "flood/late", kind: .network, words: "Nothing comes"),
    Misdeed(url: "body-without-answer", kind: .network, words: "sent nothing"),
    Misdeed(url: "vast", kind: .refused, words: "more than 32 KiB at once"),
    Misdeed(url: "nonsense", kind: .refused, words: "does not speak HTTP"),
    Misdeed(url: "refuse-in-begin", kind: .refused, words: "does not speak HTTP"),
  ]) func everyMisdeedCostsItsOwnStream(misdeed: Misdeed) throws {
    let bench = try Workbench(plugins: ["PCM": "libSwiftletCodecPCM.so", "Test": "libTestCodec.so"])
    var integration = Listener(try bench.worker(TestFile(frames: 100_000)))
    _ = try integration.waitForReady()
    var listener = try listener(bench, misdeed.url, proxy: misdeed.proxy)
    let limit = MonotonicClock.now() + 20_000_000_000
    var largest = 0
    while listener.failure == nil {
      try #require(MonotonicClock.now() < limit, "\(listener.events)")
      if let fetcher = listener.worker.fetcherID { largest = max(largest, memory(of: fetcher)) }
      listener.read()
      // A reader that has underrun expects a refill within a timeout.
      if listener.index == listener.worker.ring.writeIndex {
        listener.worker.expectRefill(now: MonotonicClock.now())
      } else {
        listener.worker.wake()
      }
      listener.step()
    }
    listener.read()
    let failure = try #require(listener.failure)
    #expect(failure.kind == misdeed.kind && failure.sentence.contains(misdeed.words), "\(failure)")
    #expect(failure.sentence.unicodeScalars.allSatisfy { $0.value >= 0x20 })
    #expect(largest < (misdeed.url == "allocate" ? 400 : 16) << 10, "\(largest) KiB")
    if misdeed.url.hasSuffix("/late") { #expect(listener.samples.count > 20_000) }
    listener.step()
    #expect(listener.events.count { $0.failure != nil } == 1)
    try integration.readToEnd()
    #expect(integration.failure == nil && integration.samples.count == 200_000)
  }

  /// The fetcher can read only the resolver's files, because settings contain passwords and the music is
  /// private.
  @Test func aFetcherReadsNoFilesButTheResolvers() throws {
    let bench = try Workbench(plugins: ["PCM": "libSwiftletCodecPCM.so"])
    let rig = try StreamTests.Rig(seconds: 0.5)
    let path = rig.bench.directory.appending(path: "a.wav").path
    var listener = try listener(bench, "read" + path)
    let failure = try listener.waitForFailure()
    #expect(failure.sentence.contains("EACCES"), "\(failure)")
  }
}
