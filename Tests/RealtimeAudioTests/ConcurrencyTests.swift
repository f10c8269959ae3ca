// Data structures shared by two running threads. scripts/test-tsan runs this under the thread sanitizer.
import AudioRing
import Foundation
import PlaybackModel
import RealtimeAudio
import Synchronization
import RealTimeSupport
import Testing

@Suite(.realTime) struct ConcurrencyTests {
  /// Runs both bodies in parallel on separate threads, until both are done.
  private func both(_ one: @escaping @Sendable () -> Void, _ other: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    for body in [one, other] {
      Thread {
        body()
        done.signal()
      }.start()
    }
    done.wait()
    done.wait()
  }

  final class Queue: Sendable {
    let elements: SPSCQueue<(Int, Int, Int)>
    let wrong = Atomic<Int>(-1)
    init(capacity: Int) { elements = SPSCQueue(capacity: capacity) }
  }

  @Test(arguments: [1, 2, 64])
  func aQueueKeepsOrderAndWholeElements(capacity: Int) {
    let queue = Queue(capacity: capacity)
    // On a busy machine, each hand-over of a short queue may cost a time slice.
    let count = 500 * capacity
    both {
      for i in 0..<count {
        // A reader that has found an error has stopped.
        while queue.wrong.load(ordering: .relaxed) == -1, !queue.elements.push((i, ~i, i &* 31)) {
          sched_yield()
        }
      }
    } _: {
      for i in 0..<count {
        var taken = queue.elements.pop()
        while taken == nil {
          sched_yield()
          taken = queue.elements.pop()
        }
        if taken! != (i, ~i, i &* 31) {
          queue.wrong.store(i, ordering: .relaxed)
          return
        }
      }
    }
    #expect(queue.wrong.load(ordering: .relaxed) == -1)
    let isEmpty = queue.elements.isEmpty
    #expect(isEmpty)
  }

  /// A writer that fills the ring as fast as possible, and a mixer that reads it: each frame arrives once.
  @Test(arguments: [1 << 16, 1 << 17])
  func aRingIsReadWhileItIsWritten(capacity: Int) {
    let length = 400_000
    let ring = RingBox(capacity: capacity) { Frame(Float($0 + 1) / 16_777_216, 0.5) }
    let reader = ring.reader
    let heard = Heard()
    both {
      var left = length
      // A reader that has found an error has stopped.
      while left > 0, heard.wrong.load(ordering: .relaxed) == -1 {
        let run = ring.write(min(left, 1500))
        if run == 0 { sched_yield() }
        left -= run
      }
      ring.finish()
    } _: {
      var mixer = Mixer(rate: SampleRate(44100), format: .float32, channels: 2)
      var next = 1
      func insert(_ command: MixerCommand) {
        precondition(mixer.insert(CommandRequest(id: 0, pin: .now, command: command)))
      }
      insert(.attach(.a, reader, index: 0, trackGain: .unity))
      while !reader.holds(8192, from: 0) { sched_yield() }
      insert(.start(.a, ramp: .zero))
      var block = [Float](repeating: 0, count: 2 * 512)
      while next <= length {
        // A reader that is ahead of the writer would underrun, which another test covers.
        while !reader.holds(4096, from: UInt64(next - 1)) { sched_yield() }
        block.withUnsafeMutableBytes { _ = mixer.render(512, into: $0.baseAddress!) }
        for i in 0..<512 where next <= length {
          if block[2 * i] != Float(next) / 16_777_216 {
            heard.wrong.store(next, ordering: .relaxed)
            return
          }
          next += 1
        }
        mixer.forget(before: mixer.frame)
        while mixer.takeEvent(heardUpTo: mixer.frame) != nil {}
      }
    }
    #expect(heard.wrong.load(ordering: .relaxed) == -1)
  }

  final class Heard: Sendable { let wrong = Atomic<Int>(-1) }

  /// A device that accepts everything, on its own thread.
  final class Sink: PCMDevice, @unchecked Sendable {
    let rate = SampleRate(44100)
    let format = SampleFormat.s16
    let channels = 2
    let strategy = BufferStrategy.offline(chunk: 1024)
    let bufferFrames = 1024
    private let signal = DispatchSemaphore(value: 0)

    func prepare() {}
    func start() {}
    func available() -> Int { bufferFrames }
    func write(_ bytes: UnsafeRawPointer, frames: Int) -> Int { frames }
    func rewind(_ frames: Int) -> Int { 0 }
    func stop() {}
    func reopen() -> Bool { true }
    func now() -> UInt64 { DispatchTime.now().uptimeNanoseconds }
    func wait(_ nanoseconds: Int64?) {
      _ = signal.wait(timeout: .now() + .nanoseconds(Int(min(nanoseconds ?? 2_000_000, 2_000_000))))
    }
    func wake() { signal.signal() }
  }

  final class Shared: @unchecked Sendable {
    let device = Sink()
    let link: AudioLink
    let isOver = Atomic<Bool>(false)
    let torn = Atomic<Int>(0)
    init() {
      link = AudioLink(wakeAudio: { [device] in device.wake() }, notifyControl: {})
    }
  }

  /// While the loop runs, commands, reports and positions cross complete and in order.
  @Test func aLinkJoinsTwoThreads() {
    let shared = Shared()
    let track = RingBox(track: 1 << 17, coded)
    let batches = 3000
    both {
      let loop = AudioLoop(device: shared.device, link: shared.link)
      while !shared.isOver.load(ordering: .acquiring) { shared.device.wait(loop.turn()) }
    } _: {
      let link = shared.link
      var applied: UInt32 = 0
      var sent: UInt32 = 0
      var lastFrame = Frames(-1)
      func take() {
        while let report = link.takeReport() {
          guard case .mixer(let event) = report, case .applied(let id) = event.event else { continue }
          if id != applied + 1 { shared.torn.add(1, ordering: .relaxed) }
          applied = id
        }
        let reading = link.reading()
        // The track plays from its first frame, so both words of a consistent reading agree.
        let isTorn = reading.positions.a != UInt64(min(reading.positions.frame.count, 1 << 17))
        if isTorn || reading.positions.frame < lastFrame { shared.torn.add(1, ordering: .relaxed) }
        lastFrame = reading.positions.frame
      }
      func send(_ commands: MixerCommand...) {
        for command in commands {
          sent += 1
          while !link.send(CommandRequest(id: sent, pin: .now, command: command)) {
            link.flush()
            take()
          }
        }
        link.flush()
      }
      send(.attach(.a, track.reader, index: 0, trackGain: .unity), .start(.a, ramp: .zero))
      for i in 0..<batches {
        send(.setVolume(Gain(Float(i % 100) / 100), ramp: Frames(100)), .setMono(i % 2 == 0))
        take()
      }
      let end = Date(timeIntervalSinceNow: 30)
      while applied < sent, Date() < end { take() }
      if applied != sent { shared.torn.add(1, ordering: .relaxed) }
      shared.isOver.store(true, ordering: .releasing)
      shared.device.wake()
    }
    #expect(shared.torn.load(ordering: .relaxed) == 0)
    withExtendedLifetime(track) {}
  }

  // MARK: The thread sanitizer itself

  static var hasThreadSanitizer: Bool { dlsym(nil, "__tsan_init") != nil }

  final class Racing: @unchecked Sendable { var count = 0 }

  /// Two threads that share a plain variable end the process with TSan's exit status.
  @Test(.enabled(if: hasThreadSanitizer, "scripts/test-tsan")) func aRaceIsCaught() async {
    await #expect(processExitsWith: .exitCode(66)) {
      let shared = Racing()
      let done = DispatchSemaphore(value: 0)
      for _ in 0..<2 {
        Thread {
          for _ in 0..<10_000 { shared.count += 1 }
          done.signal()
        }.start()
      }
      done.wait()
      done.wait()
      print(shared.count)
    }
  }
}
