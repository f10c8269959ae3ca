// Streams against a misbehaving server: the samples of the file, or a failure with its reason. Real workers;
// test threads.

import AudioRing
import CLinux
import ChildSupport
import Decoding
import Foundation
import Platform
import PlaybackModel
import Streaming
import RealTimeSupport
import Testing

@Suite(.realTime) struct StreamTests {
  /// A bench with the PCM plugin, a WAV file of noise, and a server of its folder.
  struct Rig {
    let bench: Workbench
    let server: UnrulyServer
    let samples: [Float]

    init(seconds: Double = 4) throws {
      bench = try Workbench(plugins: ["PCM": "libSwiftletCodecPCM.so"])
      let frames = Int64(seconds * 48_000)
      var data = Data("RIFF".utf8)
      func put(_ values: [UInt32]) {
        for value in values { withUnsafeBytes(of: value) { data.append(contentsOf: $0) } }
      }
      put([UInt32(36 + frames * 4)])
      data += Data("WAVEfmt ".utf8)
      put([16, 2 << 16 | 1, 48_000, 192_000, 16 << 16 | 4])
      data += Data("data".utf8)
      put([UInt32(frames * 4)])
      var samples: [Float] = []
      for frame in 0..<frames {
        for channel in 0..<2 as Range<Int64> {
          let value = Int16((frame * 7 + channel * 13) % 30000 - 15000)
          withUnsafeBytes(of: value) { data.append(contentsOf: $0) }
          samples.append(Float(value) / 32768)
        }
      }
      self.samples = samples
      _ = try bench.write(data, as: "a.wav")
      server = try UnrulyServer(serving: bench.directory)
    }

    /// Starts a worker on the file as the server serves it.
    func listener(
      _ manner: String, _ name: String = "a.wav", adjusting: (inout WorkerRequest) -> Void = { _ in }
    ) throws -> Listener {
      var request = WorkerRequest(path: server.url(manner, name), rate: SampleRate(48_000))
      request.executable = Workbench.executable
      request.plugins = bench.plugins
      request.stream?.plugins = Workbench.products.path
      request.stream?.window = 128 << 10
      request.stream?.stallMilliseconds = 400
      request.stream?.giveUpMilliseconds = 2000
      adjusting(&request)
      return Listener(try CodecWorker(request, now: MonotonicClock.now()))
    }
  }

  /// Server behaviors with which the whole file arrives in the end.
  @Test(arguments: ["plain", "linear", "linearcut", "chop", "stall", "moved"])
  func theSamplesAreThoseOfTheFile(manner: String) throws {
    let rig = try Rig()
    var listener = try rig.listener(manner)
    try listener.readToEnd()
    #expect(listener.failure == nil)
    #expect(listener.samples == rig.samples)
    if manner == "chop" { #expect(rig.server.requests.count > 10) }
  }

  /// After a reconnect, no part of a station is repeated or lost; where it rejoins, the old sound fades out
  /// and the new one fades in.
  @Test func aStationThatWasAwayGoesOnWithoutAClick() throws {
    let rig = try Rig()
    var listener = try rig.listener("away")
    let seam = rig.samples.count / 2 - 22
    let ramp = 2 * 480
    let limit = MonotonicClock.now() + 20_000_000_000
    while listener.samples.count < rig.samples.count + ramp - 2000 {
      try #require(MonotonicClock.now() < limit && listener.failure == nil, "\(listener.events)")
      listener.read()
      listener.worker.wake()
      listener.step()
    }
    let begin = listener.events.compactMap { event -> Int? in
      if case .leftOut(_, let index) = event { Int(index) * 2 } else { nil }
    }
    let place = try #require(begin.first)
    #expect(abs(place - seam) <= 44, "\(begin) \(seam)")
    #expect(listener.samples[..<place].elementsEqual(rig.samples[..<place]))
    // The ramp consumes as many frames of the second half as were faded out of the first.
    let (rest, expected) = (listener.samples[(place + 2 * ramp)...], rig.samples[(place + ramp)...])
    #expect(
      (-4...4).contains { shift in
        rest.dropFirst(8).prefix(40_000).elementsEqual(expected.dropFirst(8 + shift).prefix(40_000))
      })
    let middle = listener.samples[(place + ramp - 2)..<(place + ramp + 2)]
    #expect(middle.allSatisfy { abs($0) < 0.01 }, "\(middle)")
  }

  /// A proxy gets the whole address, also on a reconnect, because it resolves the name.
  @Test(arguments: ["plain", "chop"]) func aProxyIsAsked(manner: String) throws {
    let rig = try Rig(seconds: 2)
    let url = "http://radio.invalid/\(manner)/a.wav"
    var listener = try rig.listener("plain") {
      $0.stream?.url = url
      $0.stream?.proxy = rig.server.proxy
    }
    try listener.readToEnd()
    #expect(listener.failure == nil && listener.samples == rig.samples, "\(listener.events)")
    #expect(rig.server.requests.allSatisfy { $0.hasPrefix(url + " ") }, "\(rig.server.requests)")
  }

  /// The head of a response is limited to 64 KiB, in lines of a kilobyte.
  @Test(arguments: [(60 << 10, true), (65_536, true), (65_537, false), (70 << 10, false)])
  func anAnswersHeadIsBounded(bytes: Int, isHeard: Bool) throws {
    let rig = try Rig(seconds: 0.5)
    var listener = try rig.listener("longhead/\(bytes)")
    if isHeard {
      try listener.readToEnd()
      #expect(listener.failure == nil && listener.samples == rig.samples, "\(listener.events)")
    } else {
      let sentence = try listener.waitForFailure().sentence
      #expect(sentence.contains("endless"), "\(sentence)")
    }
  }

  @Test(.enabled(if: Self.hasIPv6, "the loopback device has no IPv6 address")) func aStreamComesByIPv6()
    throws
  {
    let rig = try Rig(seconds: 2)
    var listener = try rig.listener("plain") {
      $0.stream?.url = rig.server.url("chop", "a.wav", host: "[::1]")
    }
    try listener.readToEnd()
    #expect(listener.failure == nil && listener.samples == rig.samples, "\(listener.events)")
    #expect(rig.server.requests.count > 5)
  }

  private static let hasIPv6 =
    (try? String(contentsOfFile: "/proc/net/if_inet6", encoding: .utf8))?.contains(" lo\n") == true

  @Test func aHundredLostConnectionsAreNotHeard() throws {
    let rig = try Rig()
    var listener = try rig.listener("shred")
    try listener.readToEnd()
    #expect(listener.failure == nil && listener.samples == rig.samples)
    #expect(rig.server.requests.count > 100, "\(rig.server.requests.count)")
  }

  @Test func aSeekAsksForAPart() throws {
    let rig = try Rig(seconds: 8)
    var listener = try rig.listener("plain")
    _ = try listener.waitForReady()
    let targets: [Int64] = [7 * 48_000, 48_000, 5 * 48_000]
    for target in targets {
      let index = UInt64(1 << 20) + UInt64(target)
      listener.retain(index)
      let seek = listener.worker.seek(to: Frames(target), index: index, now: MonotonicClock.now())
      let found = try listener.wait { event -> Int64? in
        if case .seeked(seek, let position, _) = event { position.count } else { nil }
      }
      #expect(found == target)
      listener.samples = []
      listener.index = index
      // Reading lets the worker advance to the target of the next seek.
      listener.look()
      let expected = rig.samples[Int(target * 2)...].prefix(listener.samples.count)
      #expect(
        listener.samples.count > 48_000 && listener.samples.elementsEqual(expected),
        "\(target) \(listener.samples.count)")
    }
    #expect(rig.server.requests.count == 4, "\(rig.server.requests)")
  }

  /// An unplayable response fails with its reason, before any sound and within its timeout.
  @Test(arguments: [
    ("circle", "redirects are not followed"), ("elsewhere", "redirects are not followed"),
    ("manyheaders", "endless"),
    ("longheader", "answer is refused"), ("nonsense", "does not speak HTTP"),
  ])
  func whatBringsNoSoundSaysWhy(manner: String, words: String) throws {
    let rig = try Rig(seconds: 1)
    var listener = try rig.listener(manner)
    let failure = try listener.waitForFailure()
    #expect(failure.kind == .refused && failure.sentence.contains(words), "\(failure)")
  }

  @Test func aServerThatDoesNotAnswerMayYetDoSo() throws {
    let rig = try Rig(seconds: 1)
    var listener = try rig.listener("silent")
    let failure = try listener.waitForFailure()
    #expect(failure.kind == .network && failure.sentence.contains("does not answer"), "\(failure)")
  }

  /// Permanent errors are not retried.
  @Test(arguments: [
    (400, "status 400", true), (401, "wants a password", true), (403, "refuses it", true),
    (404, "nothing of that name", true), (407, "wants a password", true), (408, "busy", false),
    (410, "nothing of that name", true), (425, "busy", false), (429, "busy", false),
    (451, "status 451", true), (500, "busy", false), (503, "busy", false),
  ])
  func aRefusalIsForGoodUnlessItsStatusSaysOtherwise(status: Int, words: String, isForGood: Bool) throws {
    let rig = try Rig(seconds: 0.1)
    var listener = try rig.listener("status", "\(status)/a.wav")
    let failure = try listener.waitForFailure()
    #expect(failure.kind == (isForGood ? .refused : .network), "\(failure)")
    #expect(
      failure.sentence.contains(words) && failure.sentence.contains("\(status)"), "\(failure)")
    #expect(rig.server.requests.count == 1)
  }

  @Test func nobodyThereSaysWhy() throws {
    let rig = try Rig(seconds: 1)
    for (url, words, kind) in [
      ("http://127.0.0.1:1/a.wav", "cannot be reached", WorkerFailure.Kind.network),
      ("http://no.such.name.invalid/a.wav", "name is not known", .network),
      ("http://[::::]/a.wav", "cannot be fetched", .refused),
    ] {
      var listener = try rig.listener("plain") {
        $0.stream = StreamRequest(url)
        $0.stream?.plugins = Workbench.products.path
      }
      let failure = try listener.waitForFailure()
      #expect(failure.kind == kind && failure.sentence.contains(words), "\(url): \(failure)")
    }
  }

  /// The received part is played exactly; then the failure is reported.
  @Test(arguments: [
    ("lies", "416", WorkerFailure.Kind.refused), ("changes", "changed on its server", .network),
  ])
  func aSourceThatDoesNotKeepItsWordIsPlayedAsFarAsItGoes(
    manner: String, words: String, kind: WorkerFailure.Kind
  ) throws {
    let rig = try Rig(seconds: 2)
    var listener = try rig.listener(manner)
    try listener.readToEnd()
    let failure = try #require(listener.failure)
    #expect(failure.kind == kind && failure.sentence.contains(words), "\(failure)")
    // The ring has no end mark: the reader underruns instead of finishing, so that the stream can be retried.
    #expect(listener.worker.ring.endIndex == RingLayout.noEnd)
    #expect(listener.samples.elementsEqual(rig.samples.prefix(listener.samples.count)))
  }

  /// A file that its server breaks off at the same byte each time is given up, with and without ranges. The received part
  /// is played.
  @Test(arguments: ["alwayscut", "dryparts"]) func aFileThatAlwaysBreaksOffIsGivenUp(manner: String) throws {
    let rig = try Rig(seconds: 2)
    var listener = try rig.listener(manner) { $0.stream?.giveUpMilliseconds = 60_000 }
    try listener.readToEnd()
    let failure = try #require(listener.failure)
    #expect(failure.kind == .corrupt && failure.sentence.contains("breaks it off at byte"), "\(failure)")
    #expect(listener.samples.count > rig.samples.count / 3)
    #expect(listener.samples.elementsEqual(rig.samples.prefix(listener.samples.count)))
    #expect((8...11).contains(rig.server.requests.count), "\(rig.server.requests.count)")
  }

  /// While a station is away, the newest reason is kept, and the first failed attempt to reconnect is reported once.
  @Test func anOutageNamesTheServersAnswer() throws {
    let rig = try Rig()
    var listener = try rig.listener("gone") { $0.stream?.giveUpMilliseconds = 60_000 }
    _ = try listener.waitForReady()
    var outages: [String] = []
    let limit = MonotonicClock.now() + 10_000_000_000
    while listener.worker.interruption?.contains("404") != true || rig.server.requests.count < 5 {
      try #require(MonotonicClock.now() < limit, "\(listener.worker.interruption ?? "none")")
      listener.read()
      listener.worker.wake()
      listener.step()
      if let outage = listener.worker.takeOutage() { outages.append(outage) }
    }
    #expect(outages.count == 1 && outages.first?.contains("404") == true, "\(outages)")
  }

  /// An endless file starts without a search for chunks behind its sound.
  @Test func anEndlessFileBeginsAtOnce() throws {
    let rig = try Rig(seconds: 1)
    var listener = try rig.listener("endlesswav")
    _ = try listener.waitForReady()
    #expect(listener.opened?.sourceFrames == nil && listener.opened?.tags.title == "Endless")
    try listener.waitUntil(written: 96_000)
    listener.read()
    #expect(listener.samples.starts(with: rig.samples))
    #expect(listener.samples.dropFirst(rig.samples.count).allSatisfy { $0 == 0 })
  }

  /// Slow input is collected into larger pieces only for a reader that has underrun; a deck that has just
  /// started still has its first frames.
  @Test func onlyAReaderThatRanDryWaitsForMore() throws {
    let rig = try Rig(seconds: 20)
    var listener = try rig.listener("half")
    _ = try listener.waitForReady()
    func largestPiece(saying say: (CodecWorker) -> Void) throws -> UInt64 {
      var largest: UInt64 = 0
      // One or two pieces were under way before the message.
      for _ in 0..<3 where largest < 60_000 {
        listener.read()
        say(listener.worker)
        let index = listener.worker.ring.writeIndex
        try listener.waitUntil(written: index + 1)
        largest = max(largest, listener.worker.ring.writeIndex - index)
      }
      return largest
    }
    let woken = try largestPiece { $0.wake() }
    #expect(woken < 48_000)
    let dry = try largestPiece { $0.expectRefill(now: MonotonicClock.now()) }
    #expect(dry >= 60_000)
  }

  @Test func garbageIsNoSound() throws {
    let rig = try Rig(seconds: 1)
    var listener = try rig.listener("garbage")
    let failure = try listener.waitForFailure()
    #expect(failure.kind == .unsupportedFormat, "\(failure)")
  }

  /// A killed fetcher fails its stream with an error.
  @Test func aFetcherThatDiesIsAnError() throws {
    let rig = try Rig(seconds: 8)
    var listener = try rig.listener("half")
    _ = try listener.waitForReady()
    let fetcher = try #require(listener.worker.fetcherID)
    kill(fetcher, SIGKILL)
    try listener.readToEnd()
    #expect(listener.failure?.kind == .network)
    #expect(listener.samples.count > 48_000)
  }

  /// The fetcher can write no file, start no process and reach no service of the machine.
  @Test func aFetcherCannotBeOpened() throws {
    let rig = try Rig(seconds: 8)
    var listener = try rig.listener("half")
    _ = try listener.waitForReady()
    let status = try String(
      contentsOfFile: "/proc/\(try #require(listener.worker.fetcherID))/status", encoding: .utf8)
    #expect(status.contains("Seccomp:\t2") && status.contains("NoNewPrivs:\t1"))
  }
}
