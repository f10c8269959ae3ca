// Addresses of streams that can never be reached, and passwords in addresses of streams that fail. Test threads.

import PlaybackModel
import Testing

@testable import Daemon
@testable import Simulator

@Suite struct BadAddressTests {
  @Test(arguments: [
    ("http://", "it names no server"), ("http:///x", "it names no server"),
    ("http://127.0.0.1:99999/x", "its port is not a number from 1 to 65535"),
  ]) func anAddressThatCannotBeReachedIsRefused(address: String, reason: String) throws {
    let bench = try Bench(Bench.storage("button next gpio gpiochip0 1\n"))
    for line in ["play", "queue add", "queue insert next", "announce", "playlist add mine"] {
      let answer = bench.ask("\(line) \(address)")
      #expect(answer.hasPrefix("error: '\(address)' is no address of a stream: \(reason)"), "\(answer)")
    }
    #expect(bench.status("state") == "idle" && bench.status("queue") == "0")
    for line in ["tag 04aabbcc play", "alarm 7:00 daily play", "bind next long play"] {
      let answer = bench.ask("\(line) \(address)")
      #expect(answer.contains("ok") && answer.contains("warning: "), "\(answer)")
      #expect(answer.contains(reason), "\(answer)")
    }
  }

  /// The password of a stream's address is in no error text: neither in the log nor in `status`.
  @Test func aPasswordIsNotInErrors() throws {
    let bench = try Bench()
    let watcher = bench.watcher("watch error")
    _ = bench.ask("play http://me:SECRET@radio.example/x")
    bench.clock.run(seconds: 30)
    let error = bench.status("last-error") ?? ""
    #expect(error.contains("http://****@radio.example/x") && !error.contains("SECRET"), "\(error)")
    #expect(!bench.machine.logged.contains { $0.contains("SECRET") }, "\(bench.machine.logged)")
    #expect(!watcher.takeText().contains("SECRET"))
  }
}
