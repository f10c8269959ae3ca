// The daemon under a service manager, which is a datagram socket of the test. Test threads.

import ChildSupport
import Foundation
import RealTimeSupport
import Testing

import func CLinux.clinux_bind_unix

/// systemd's end of the notification socket.
private final class NotifySocket {
  private let descriptor: Int32

  init(_ path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    try #require(clinux_bind_unix(descriptor, path) == 0)
  }

  deinit { close(descriptor) }

  /// The next message and its time in seconds of a monotonic clock; nil after the timeout.
  func next(within seconds: Double = 20) -> (text: String, time: Double)? {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&entry, 1, Int32(seconds * 1000)) == 1 else { return nil }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count >= 0 else { return nil }
    let time = Double(DispatchTime.now().uptimeNanoseconds) / 1e9
    return (String(decoding: buffer[..<count], as: UTF8.self), time)
  }

  /// Waits for a message with a line and returns its time.
  func awaits(_ line: String) -> Double? {
    while let (text, time) = next() {
      if text.split(separator: "\n").contains(line[...]) { return time }
    }
    return nil
  }
}

@Suite(.realTime) struct ServiceTests {
  private func start(_ bench: Workbench, environment: [String: String]) throws -> Child {
    let configuration = """
      set output.device null
      set socket.path \(bench.path("control"))
      set checkpoint.path \(bench.path("checkpoint"))
      """
    let path = try bench.write(Data(configuration.utf8), as: "swiftlet.conf")
    return try bench.start(["run", "--strict", "--config", path], environment: environment)
  }

  @Test func theServiceManagerIsToldThatTheBoxIsReadyAliveAndGoing() throws {
    let bench = try Workbench()
    let manager = try NotifySocket(bench.path("notify"))
    let seconds = 4.0
    let box = try start(
      bench,
      environment: [
        "NOTIFY_SOCKET": bench.path("notify"), "WATCHDOG_USEC": String(Int(seconds * 1_000_000)),
      ])
    var last = try #require(manager.awaits("READY=1"))
    #expect(
      FileManager.default.fileExists(atPath: bench.path("control")), "ready means that commands are taken")
    for _ in 0..<3 {
      let time = try #require(manager.awaits("WATCHDOG=1"))
      // The daemon aims at half the interval; after the whole interval systemd would kill it.
      #expect(time - last < seconds)
      last = time
    }
    kill(box.identifier, SIGTERM)
    #expect(manager.awaits("STOPPING=1") != nil)
    let outcome = box.wait(seconds: 20)
    #expect(outcome.status == 0 && !outcome.isCrash, "\(outcome.errors)")
  }

  @Test func withoutAWatchdogNobodyIsWokenForIt() throws {
    let bench = try Workbench()
    let manager = try NotifySocket(bench.path("notify"))
    let box = try start(bench, environment: ["NOTIFY_SOCKET": bench.path("notify")])
    #expect(manager.awaits("READY=1") != nil)
    kill(box.identifier, SIGTERM)
    while let (text, _) = manager.next() {
      #expect(text != "WATCHDOG=1")
      if text == "STOPPING=1" { break }
    }
    #expect(box.wait(seconds: 20).status == 0)
  }

  @Test(arguments: [["NOTIFY_SOCKET": "/nonexistent/notify"], ["WATCHDOG_USEC": "nonsense"], [:]])
  func withoutAServiceManagerItRunsAsWell(environment: [String: String]) throws {
    let bench = try Workbench()
    let box = try start(bench, environment: environment)
    #expect(bench.waits { FileManager.default.fileExists(atPath: bench.path("control")) })
    #expect(bench.waits { box.errorsSoFar.contains("Ready.") })
    kill(box.identifier, SIGTERM)
    let outcome = box.wait(seconds: 20)
    #expect(outcome.status == 0 && !outcome.isCrash, "\(outcome.errors)")
  }
}
