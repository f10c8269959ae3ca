// Getting a device back on a thread of its own: asked once, tried less and less often, and at once when the kernel shows one.
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

      func attempt() -> Bool {
        count.wrappingAdd(1, ordering: .relaxed).newValue >= worksFrom.load(ordering: .relaxed)
      }
    }

    private func wait(_ seconds: Double, until condition: () -> Bool) -> Bool {
      let end = MonotonicClock.now() + UInt64(seconds * 1e9)
      while !condition() {
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

    @Test func whatAppearsInTheFolderIsTriedAtOnce() throws {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("snd-\(UUID().uuidString)")
      let devices = folder.appendingPathComponent("devices")
      try FileManager.default.createDirectory(at: devices, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let attempts = Attempts()
      let coming = try make(attempts, watching: devices.path)
      coming.request()
      // The next wait is one of a second and a half, or longer.
      #expect(wait(10) { attempts.count.load(ordering: .relaxed) == 5 })
      attempts.worksFrom.store(6, ordering: .relaxed)
      let began = MonotonicClock.now()
      #expect(
        FileManager.default.createFile(atPath: devices.appendingPathComponent("pcmC0D0p").path, contents: nil)
      )
      #expect(wait(5) { coming.takeResult() })
      #expect(MonotonicClock.now() - began < 700_000_000)
    }

    /// Nobody waits for a call that hangs.
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
