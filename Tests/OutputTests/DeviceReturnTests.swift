// The thread that reopens a lost device: one request, retries with a growing backoff, and an immediate retry
// when the kernel shows a device. Test threads.
import Foundation
import Outputs
import Platform
import Synchronization
import Testing

extension CardTests {
  @Suite struct DeviceReturnTests {
    private final class Attempts: Sendable {
      let count = Atomic<Int>(0)
      let worksFrom = Atomic<Int>(.max)
      let wakes = Atomic<Int>(0)
      /// The times of the attempts, and their thread.
      let times = Mutex<[UInt64]>([])
      let thread = Mutex("")

      func attempt() -> Bool {
        times.withLock { $0.append(MonotonicClock.now()) }
        let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
        thread.withLock { $0 = own ?? "" }
        return count.wrappingAdd(1, ordering: .relaxed).newValue >= worksFrom.load(ordering: .relaxed)
      }
    }

    private func wait(_ seconds: Double, until condition: () throws -> Bool) rethrows -> Bool {
      let end = MonotonicClock.now() + UInt64(seconds * 1e9)
      while try !condition() {
        guard MonotonicClock.now() < end else { return false }
        usleep(1000)
      }
      return true
    }

    private func make(_ attempts: Attempts, watching folder: String? = nil) throws -> DeviceReturn {
      try DeviceReturn(
        watching: folder, attempt: { attempts.attempt() },
        wake: { attempts.wakes.wrappingAdd(1, ordering: .relaxed) })
    }

    @Test func itIsTriedUntilItWorksAndToldOnce() throws {
      let attempts = Attempts()
      attempts.worksFrom.store(3, ordering: .relaxed)
      let coming = try make(attempts)
      #expect(!coming.takeResult() && !coming.isUnderWay)
      coming.request()
      #expect(wait(5) { attempts.wakes.load(ordering: .relaxed) == 1 })
      #expect(coming.takeResult() && !coming.takeResult() && !coming.isUnderWay)
      #expect(attempts.count.load(ordering: .relaxed) == 3)
      coming.request()
      #expect(wait(5) { coming.takeResult() }, "as often as it is lost")
    }

    /// Each delay may be shorter by up to an eighth.
    @Test func theWaitsGrowFromATenthOfASecondToFive() {
      var retries = DeviceReturn.retries
      var now: UInt64 = 0
      for turn in [100, 200, 400, 800, 1600, 3200] + [Int](repeating: 5000, count: 1000) {
        let wait = retries.next(at: now)
        let longest = UInt64(turn) * 1_000_000
        #expect(wait <= longest && wait >= longest - longest / 8, "\(wait) ns for \(turn) ms")
        now += wait
      }
    }

    /// The first delays of the real thread. Other tests may delay an attempt, but not hasten it.
    @Test func itWaitsBetweenAttempts() throws {
      let attempts = Attempts()
      let coming = try make(attempts)
      let asked = MonotonicClock.now()
      coming.request()
      #expect(wait(20) { attempts.count.load(ordering: .relaxed) >= 5 })
      let times = attempts.times.withLock { $0 }
      #expect(times[0] - asked < 5_000_000_000)
      for (turn, (before, after)) in zip(times, times.dropFirst()).prefix(4).enumerated() {
        let longest = UInt64(100_000_000) << turn
        #expect(after - before >= longest - longest / 8, "\(after - before) ns for attempt \(turn + 2)")
      }
    }

    /// The number of context switches of a thread, and whether it sleeps.
    private func sleep(of thread: String) throws -> (count: String, isAsleep: Bool) {
      let status = try String(contentsOfFile: "/proc/\(thread)/status", encoding: .utf8)
      let lines = status.split(separator: "\n")
      let count = try #require(lines.first { $0.hasPrefix("voluntary_ctxt_switches:") })
      return (String(count), lines.contains { $0.hasPrefix("State:\tS") })
    }

    /// While the device is open the thread makes no attempt and does not wake up, although its folder
    /// changes.
    @Test func itIsAsleepWhileTheDeviceIsThere() throws {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("snd-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let attempts = Attempts()
      attempts.worksFrom.store(2, ordering: .relaxed)
      let coming = try make(attempts, watching: folder.path)
      coming.request()
      #expect(wait(5) { attempts.wakes.load(ordering: .relaxed) == 1 })
      let thread = attempts.thread.withLock { $0 }
      #expect(try wait(5) { try sleep(of: thread).isAsleep })
      let before = try sleep(of: thread).count
      #expect(FileManager.default.createFile(atPath: folder.path + "/pcmC0D0p", contents: nil))
      #expect(try !wait(0.5) { try sleep(of: thread).count != before })
      #expect(attempts.count.load(ordering: .relaxed) == 2)
      // The same check detects a wakeup.
      coming.request()
      #expect(try wait(5) { try sleep(of: thread).count != before })
    }

    @Test func whatAppearsInTheFolderIsTriedAtOnce() throws {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("snd-\(UUID().uuidString)")
      let devices = folder.appendingPathComponent("devices")
      try FileManager.default.createDirectory(at: devices, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let attempts = Attempts()
      let coming = try make(attempts, watching: devices.path)
      coming.request()
      // The next delay is at least a second and a half.
      #expect(wait(10) { attempts.count.load(ordering: .relaxed) == 5 })
      attempts.worksFrom.store(6, ordering: .relaxed)
      let began = MonotonicClock.now()
      #expect(
        FileManager.default.createFile(atPath: devices.appendingPathComponent("pcmC0D0p").path, contents: nil)
      )
      #expect(wait(5) { coming.takeResult() })
      #expect(MonotonicClock.now() - began < 700_000_000)
    }

    /// Deinitialization does not wait for a call that hangs.
    @Test func itMayGoInTheMiddleOfAnAttempt() throws {
      final class Gate: Sendable { let isOpen = Atomic<Bool>(false) }
      let gate = Gate()
      let entered = Gate()
      var coming: DeviceReturn? = try DeviceReturn(
        watching: nil,
        attempt: {
          entered.isOpen.store(true, ordering: .releasing)
          while !gate.isOpen.load(ordering: .acquiring) { usleep(1000) }
          return true
        }, wake: { Issue.record("nobody is left to be told") })
      coming?.request()
      #expect(wait(5) { entered.isOpen.load(ordering: .acquiring) })
      let began = MonotonicClock.now()
      coming = nil
      #expect(MonotonicClock.now() - began < 500_000_000)
      gate.isOpen.store(true, ordering: .releasing)
      usleep(20_000)
    }
  }
}
