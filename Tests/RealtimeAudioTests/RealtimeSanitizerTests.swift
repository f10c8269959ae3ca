// Checks that RTSan detects violations: under scripts/test-rtsan each of these ends its process. Test
// threads.
#if SWIFTLET_RTSAN
  import Foundation
  import Testing

  @Suite struct RealtimeSanitizerTests {
    /// RTSan's exit status.
    private static let caught = ExitTest.Condition.exitCode(43)

    @Test func anAllocationIsCaught() async {
      await #expect(processExitsWith: Self.caught) {
        let size = Int.random(in: 1000...2000)
        let memory = realtime { malloc(size) }
        // The value is used so that the optimizer keeps the allocation.
        print(memory!)
      }
    }

    @Test func anArrayIsCaught() async {
      await #expect(processExitsWith: Self.caught) {
        let size = Int.random(in: 1000...2000)
        let sum = realtime { (0..<size).map { $0 ^ size }.reduce(0, +) }
        print(sum)
      }
    }

    @Test func aLockIsCaught() async {
      await #expect(processExitsWith: Self.caught) {
        var lock = pthread_mutex_t()
        pthread_mutex_init(&lock, nil)
        realtime { _ = pthread_mutex_lock(&lock) }
      }
    }

    @Test func aBlockingCallIsCaught() async {
      await #expect(processExitsWith: Self.caught) { realtime { _ = usleep(1) } }
    }

    /// The marked section ends with `realtime`.
    @Test func whatIsNotMarkedMayAllocate() async {
      await #expect(processExitsWith: .success) {
        realtime {}
        let memory = malloc(Int.random(in: 1000...2000))
        free(memory)
      }
    }
  }
#endif
