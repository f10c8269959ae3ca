// Hostile, broken or fake workers: each fails only its own track, with the right error. Test threads.

import AudioRing
import CLinux
import CodecPlugin
import Decoding
import Foundation
import Platform
import PlaybackModel
import RealtimeAudio
import RealTimeSupport
import Testing

@Suite(.realTime) struct IsolationTests {
  struct Misdeed: Sendable, CustomTestStringConvertible {
    let behaviour: Behaviour
    let kind: WorkerFailure.Kind
    let words: String
    var when = 20_000
    var testDescription: String { "\(behaviour)" }
  }

  @Test(arguments: [
    Misdeed(behaviour: .crash, kind: .decoderCrashed, words: "SIGSEGV"),
    Misdeed(behaviour: .abort, kind: .decoderCrashed, words: "SIGABRT"),
    Misdeed(behaviour: .exit, kind: .decoderCrashed, words: "exit status 3"),
    Misdeed(behaviour: .allocate, kind: .decoderCrashed, words: "MiB"),
    Misdeed(behaviour: .openFile, kind: .decoderBrokeSandbox, words: "openat"),
    Misdeed(behaviour: .openInProbe, kind: .decoderBrokeSandbox, words: "openat"),
    Misdeed(behaviour: .openInOpen, kind: .decoderBrokeSandbox, words: "openat"),
    Misdeed(behaviour: .fork, kind: .decoderBrokeSandbox, words: "clone"),
    Misdeed(behaviour: .connect, kind: .decoderBrokeSandbox, words: "socket"),
    Misdeed(behaviour: .mapExecutable, kind: .decoderBrokeSandbox, words: "forbid"),
    Misdeed(behaviour: .tooManyFrames, kind: .decoderCrashed, words: "frames where"),
    Misdeed(behaviour: .corruptMidway, kind: .corrupt, words: "made-up error"),
    Misdeed(behaviour: .protected, kind: .protected, words: "The file is [31mlocked\u{FFFD}."),
    Misdeed(behaviour: .forgeMessage, kind: .decoderCrashed, words: "invalid message"),
  ]) func everyMisdeedIsNamed(misdeed: Misdeed) throws {
    let bench = try Workbench()
    let file = TestFile(behaviour: misdeed.behaviour, when: misdeed.when, frames: 60_000)
    var listener = Listener(try bench.worker(file))
    let failure = try listener.waitForFailure()
    #expect(failure.kind == misdeed.kind)
    #expect(failure.sentence.contains(misdeed.words), "\(failure.sentence)")
    listener.step()
    #expect(listener.events.filter { $0.failure != nil }.count == 1)
  }

  @Test func whatCameBeforeTheDamageCanBeHeard() throws {
    let bench = try Workbench()
    let file = TestFile(behaviour: .corruptMidway, when: 30_000, frames: 60_000)
    var listener = Listener(try bench.worker(file))
    try listener.readToEnd()
    #expect(listener.samples.count >= 2 * 30_000)
    #expect(listener.worker.ring.endIndex == UInt64(listener.samples.count / 2))
  }

  @Test(arguments: [(Behaviour.hangInOpen, "opening"), (.hangInDecode, "opening")])
  func aHangIsEndedWhenPatienceIs(behaviour: Behaviour, words: String) throws {
    let bench = try Workbench()
    let file = TestFile(behaviour: behaviour, when: 100)
    var listener = Listener(try bench.worker(file) { $0.timeoutNanoseconds = 300_000_000 })
    #expect(listener.worker.deadline != nil)
    let failure = try listener.waitForFailure()
    #expect(failure.kind == .decoderHung)
    #expect(failure.sentence.contains(words))
    #expect(listener.worker.deadline == nil)
  }

  @Test func aHangInPlayIsNoticedWhenTheRingRunsEmpty() throws {
    let bench = try Workbench()
    let file = TestFile(behaviour: .hangInDecode, when: 40_000, frames: 100_000)
    var listener = Listener(try bench.worker(file) { $0.timeoutNanoseconds = 300_000_000 })
    _ = try listener.waitForReady()
    #expect(listener.worker.deadline == nil)
    // The next block is the one in which the worker hangs.
    try listener.waitUntil(written: 36_864)
    listener.read()
    listener.worker.expectRefill(now: MonotonicClock.now())
    let failure = try listener.waitForFailure()
    #expect(failure.kind == .decoderHung)
    #expect(failure.sentence.contains("decoding"))
  }

  @Test func aHangIsNoticedThoughTheRingRanDryMoreThanOnce() throws {
    let bench = try Workbench()
    let file = TestFile(behaviour: .hangInDecode, when: 100_000, frames: 200_000)
    var listener = Listener(try bench.worker(file) { $0.timeoutNanoseconds = 300_000_000 })
    _ = try listener.waitForReady()
    listener.worker.expectRefill(now: MonotonicClock.now())
    let full = UInt64(listener.worker.ring.layout.capacity)
    try listener.waitUntil(written: full)
    listener.worker.expectRefill(now: MonotonicClock.now())
    listener.read()
    // These frames are read before the handle checks the worker again.
    let limit = MonotonicClock.now() + 20_000_000_000
    while listener.worker.ring.writeIndex < 98_304, MonotonicClock.now() < limit { usleep(1000) }
    listener.read()
    listener.worker.expectRefill(now: MonotonicClock.now())
    let failure = try listener.waitForFailure()
    #expect(failure.kind == .decoderHung)
    #expect(failure.sentence.contains("decoding"))
  }

  @Test func aHangInASeekIsNoticed() throws {
    let bench = try Workbench()
    var listener = Listener(
      try bench.worker(TestFile(behaviour: .hangInSeek, frames: 100_000)) {
        $0.timeoutNanoseconds = 300_000_000
      })
    _ = try listener.waitForReady()
    _ = listener.worker.seek(to: Frames(50_000), index: 100_000, now: MonotonicClock.now())
    let failure = try listener.waitForFailure()
    #expect(failure.kind == .decoderHung)
    #expect(failure.sentence.contains("seeking"))
  }

  @Test func spinningIsEndedByTheKernelToo() throws {
    let bench = try Workbench()
    let file = TestFile(behaviour: .hangInOpen)
    var listener = Listener(try bench.worker(file) { $0.limits.cpuSeconds = 1 })
    let failure = try listener.waitForFailure()
    #expect(failure.kind == .decoderCrashed)
    #expect(failure.sentence.contains("CPU time"))
  }

  @Test func scribblingOverTheRingsHeaderHarmsNobodyElse() throws {
    let bench = try Workbench()
    let file = TestFile(behaviour: .scribbleHeader, when: 10_000, frames: 60_000)
    let victim = try bench.worker(file)
    var listener = Listener(victim)
    try listener.wait { if case .opened = $0 { true } else { nil } }
    // The mapping stays readable whatever the indices are.
    var sum: Float = 0
    let samples = (victim.ring.base + RingLayout.headerBytes).assumingMemoryBound(to: Float.self)
    for index in 0..<victim.ring.layout.capacity * 2 { sum += samples[index] }
    #expect(sum.isFinite)
    var other = Listener(try bench.worker(TestFile(frames: 100_000), name: "other.swtest"))
    try other.readToEnd()
    #expect(other.samples.count == 200_000)
  }

  @Test func printingIsHarmless() throws {
    let bench = try Workbench()
    var listener = Listener(try bench.worker(TestFile(behaviour: .print, frames: 10_000)))
    try listener.readToEnd()
    #expect(listener.samples.count == 20_000)
  }

  @Test(arguments: [
    (TestFile(rate: 0), "0 Hz"), (TestFile(rate: 999), "999 Hz"), (TestFile(rate: 800_000), "800000 Hz"),
    (TestFile(channels: 99), "99 channels"), (TestFile(channels: 0), "0 channels"),
    (TestFile(announced: -5), "-5 frames"), (TestFile(announced: .max), "\(Int64.max) frames"),
  ]) func impossibleStreamsAreRefused(file: TestFile, words: String) throws {
    let bench = try Workbench()
    var listener = Listener(try bench.worker(file))
    let failure = try listener.waitForFailure()
    #expect(failure.kind == .corrupt)
    #expect(failure.sentence.contains(words), "\(failure.sentence)")
  }

  @Test func wrongLengthsAreCorrectedAtTheEnd() throws {
    let bench = try Workbench()
    var listener = Listener(try bench.worker(TestFile(frames: 5_000, announced: 9_000_000)))
    try listener.readToEnd()
    #expect(listener.opened?.totalFrames == Frames(9_000_000))
    #expect(listener.ended?.total == Frames(5_000))
  }

  @Test func textsAreFitForATerminal() throws {
    let bench = try Workbench()
    var listener = Listener(try bench.worker(TestFile(behaviour: .badText)))
    _ = try listener.waitForReady()
    let info = try #require(listener.opened)
    #expect(info.tags.artist == "a]0;b\u{FFFD}(!")
    #expect(info.tags.title == String(repeating: "x", count: 255))
    #expect(info.loudness == StreamInfo.Loudness())
  }

  @Test(arguments: [Data(), Data("x".utf8), Data(repeating: 0, count: 100_000)])
  func unknownContentIsRefused(data: Data) throws {
    let bench = try Workbench()
    var listener = Listener(try bench.worker(data, name: "noise.bin"))
    let failure = try listener.waitForFailure()
    #expect(failure.kind == (data.isEmpty ? .corrupt : .unsupportedFormat))
  }

  @Test func theSandboxIsInForceWhenTheFileIsRead() throws {
    let bench = try Workbench()
    var listener = Listener(try bench.worker(TestFile()))
    try listener.wait { if case .opened = $0 { true } else { nil } }
    let status = try String(contentsOfFile: "/proc/\(listener.worker.processID)/status", encoding: .utf8)
    #expect(status.contains("NoNewPrivs:\t1"))
    #expect(status.contains("Seccomp:\t2"))
    let limits = try String(contentsOfFile: "/proc/\(listener.worker.processID)/limits", encoding: .utf8)
    #expect(limits.contains("Max open files            5"))
    #expect(limits.contains("Max file size             0"))
    // The codec has installed handlers for all of them.
    let caught = status.split(separator: "\n").first { $0.hasPrefix("SigCgt:\t") }
    let mask = try #require(caught.flatMap { UInt64($0.dropFirst(8), radix: 16) })
    for signal in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGXCPU] {
      #expect(mask & (1 << UInt64(signal - 1)) == 0, "a handler of a library for signal \(signal) is left")
    }
    #expect(getpgid(listener.worker.processID) == listener.worker.processID, "Ctrl-C does not reach it")
    func score(_ process: String) throws -> Int {
      let text = try String(contentsOfFile: "/proc/\(process)/oom_score_adj", encoding: .utf8)
      return try #require(Int(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    }
    #expect(
      try score("\(listener.worker.processID)") == max(300, try score("self")),
      "the kernel takes it before the engine where memory runs out")
  }

  /// A plugin may open a file while it is loaded and initialized; once media are open, the same call
  /// terminates its worker.
  @Test func aPluginIsLoadedAndInitialisedBeforeTheSandboxCloses() throws {
    let bench = try Workbench()
    var listener = Listener(try bench.worker(TestFile(behaviour: .tellOpenings, frames: 1_000)))
    try listener.readToEnd()
    let tags = try #require(listener.opened).tags
    #expect(tags.title == "opened", "in a constructor of its library")
    #expect(tags.artist == "opened", "in its entry")
    #expect(listener.opened?.isSandboxed == true)
    var other = Listener(try bench.worker(TestFile(behaviour: .openInProbe), name: "other.swtest"))
    let failure = try other.waitForFailure()
    #expect(failure.kind == .decoderBrokeSandbox && failure.sentence.contains("openat"), "\(failure)")
  }

  @Test(arguments: [
    "head -c 4096 /dev/urandom >&3; sleep 9", "head -c 9000 /dev/zero >&3; sleep 9", "printf x >&3; sleep 9",
    "printf '\\x02\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0' >&3; sleep 9",
    "for i in $(seq 500); do printf '\\x07\\0\\0\\0\\xff\\xff\\xff\\xff' >&3; done; exit 0",
    "exit 0", "kill -SEGV $$", "kill -9 $$", "exec 3>&-; sleep 9", "printf '\\x06\\0\\0\\0' >&3; sleep 9",
    "printf '\\x06\\0\\0\\0\\x01\\0\\0\\0' >&3; sleep 9",
    "printf '\\x06\\0\\0\\0\\x02\\0\\0\\0' >&3; sleep 9",
    "printf '\\x06\\0\\0\\0\\x03\\0\\0\\0' >&3; sleep 9",
  ]) func fakeWorkersNeverConfuseTheHandle(script: String) throws {
    let bench = try Workbench()
    let fake = try bench.script(script)
    var listener = Listener(
      try bench.worker(TestFile()) {
        $0.executable = fake
        $0.timeoutNanoseconds = 2_000_000_000
      })
    let failure = try listener.waitForFailure()
    #expect(failure.kind == .decoderCrashed)
    #expect(!failure.sentence.isEmpty)
  }

  @Test func noDescriptorIsInherited() throws {
    let bench = try Workbench()
    let report = bench.directory.appendingPathComponent("descriptors").path
    let fake = try bench.script(
      "for i in {0..99}; do [ -e /proc/$$/fd/$i ] && list+=\"$i \"; done; echo $list > \(report); exit 7")
    var listener = Listener(try bench.worker(TestFile()) { $0.executable = fake })
    _ = try listener.waitForFailure()
    #expect(try String(contentsOfFile: report, encoding: .utf8) == "0 1 2 3 4 5\n")
  }

  @Test func aDroppedHandleTakesItsProcessAlong() throws {
    let bench = try Workbench()
    var pid: Int32 = 0
    do {
      var listener = Listener(try bench.worker(TestFile(frames: 1_000_000)))
      _ = try listener.waitForReady()
      pid = listener.worker.processID
      #expect(kill(pid, 0) == 0)
    }
    #expect(kill(pid, 0) == -1)
  }

  @Test func brokenPluginsAreListedAsSuch() throws {
    let bench = try Workbench(plugins: [
      "Test": "libTestCodec.so", "Future": "libWrongInterface.so", "Trap": "libCrashOnLoad.so",
      "Card": "libSwiftletVirtualCard.so", "Dangling": "no-such-file",
    ])
    let found = Inspection.plugins(in: bench.plugins, executable: Workbench.executable)
    let byName = Dictionary(
      uniqueKeysWithValues: found.map { (URL(fileURLWithPath: $0.path).lastPathComponent, $0) })
    #expect(byName["libSwiftletCodecTest.so"]?.description?.name == "test")
    #expect(byName["libSwiftletCodecTest.so"]?.description?.extensions == "swtest")
    let future = try #require(byName["libSwiftletCodecFuture.so"])
    #expect(future.description == nil && future.refusal.contains("version \(SWIFTLET_CODEC_ABI + 41)"))
    let trap = try #require(byName["libSwiftletCodecTrap.so"])
    #expect(trap.description == nil && trap.refusal.contains("SIG"))
    #expect(byName["libSwiftletCodecCard.so"]?.refusal.isEmpty == false)
    #expect(byName["libSwiftletCodecDangling.so"]?.refusal.isEmpty == false)
  }
}
