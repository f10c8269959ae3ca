// The system calls that each sandboxed process may make, as exported by libseccomp, compared with
// docs/reference/system-calls.txt: each change of a filter must be a deliberate one. Test threads.

import Foundation
import Integrations
import Pictures
import Testing

@testable import Decoding
@testable import NFC
@testable import Platform
@testable import SnapcastClient
@testable import Streaming

@Suite struct SystemCallTests {
  private static let list = URL(filePath: #filePath).deletingLastPathComponent().appending(
    path: "../../docs/reference/system-calls.txt")

  /// The profiles of all sandboxed processes.
  private static let profiles =
    [
      PictureSandbox.profile, FetcherSandbox.profile(window: 0), SnapcastSandbox.lookUp,
      SnapcastSandbox.receiving,
    ]
    + [.announcing, .connecting(reading: []), .listening].map { IntegrationSandbox.profile($0) }
    + [.opening, .reading].map { ReaderSandbox.profile($0) }
    + [(true, .file), (false, .file), (false, .bytes)].map {
      Sandbox.profile(SandboxLimits(), hasFetcher: $0, reading: $1)
    }

  /// Other architectures have other system calls.
  private static let isListed: Bool = {
    #if arch(x86_64)
      true
    #else
      false
    #endif
  }()

  /// Writes the list if `SWIFTLET_WRITE_REFERENCE` is set.
  @Test(.enabled(if: isListed, "docs/reference/system-calls.txt lists the calls of x86_64"))
  func processesMayCallWhatIsListed() throws {
    let present = try Self.profiles.sorted { $0.name < $1.name }.flatMap { profile in
      try Self.calls(profile).map { "\(profile.name): \($0)" }
    }
    if ProcessInfo.processInfo.environment["SWIFTLET_WRITE_REFERENCE"] != nil {
      try Data((present.joined(separator: "\n") + "\n").utf8).write(to: Self.list)
    }
    let listed = try String(contentsOf: Self.list, encoding: .utf8).split(separator: "\n").map {
      String($0)
    }
    let (new, gone) = (present.filter { !listed.contains($0) }, listed.filter { !present.contains($0) })
    #expect(
      new.isEmpty && gone.isEmpty,
      """
      Not listed: \(new.joined(separator: "; ")). Not allowed any more: \(gone.joined(separator: "; ")).
      If that is meant: SWIFTLET_WRITE_REFERENCE=1 scripts/test --filter SystemCallTests
      """)
  }

  /// No filter allows calls that create files, processes or services, whatever the list says.
  @Test func noListHasWhatLeadsOut() throws {
    let fetcher = try Self.calls(FetcherSandbox.profile(window: 0))
    let worker = try Self.calls(Sandbox.profile(SandboxLimits(), hasFetcher: true, reading: .file))
    let room = try Self.calls(SnapcastSandbox.receiving)
    let lookUp = try Self.calls(SnapcastSandbox.lookUp)
    let reader = try Self.calls(ReaderSandbox.profile(.reading))
    let opening = try Self.calls(ReaderSandbox.profile(.opening))
    let picture = try Self.calls(PictureSandbox.profile)
    let listener = try Self.calls(IntegrationSandbox.profile(.listening))
    let integrations = try [
      Self.calls(IntegrationSandbox.profile(.connecting(reading: []))),
      Self.calls(IntegrationSandbox.profile(.announcing)),
    ]
    for name in [
      "execve", "execveat", "fork", "vfork", "ptrace", "kill", "unlink", "unlinkat", "rename", "renameat2",
      "creat",
      "mkdir", "chmod", "mount", "bpf", "io_uring_setup", "process_vm_writev", "memfd_create", "listen",
      "accept4", "openat2",
      "setsid", "setuid", "prlimit64",
    ] {
      // The Snapcast receiver sets limits behind the first of its two filters, and one integration accepts
      // connections.
      let some = (name == "prlimit64" ? [] : [lookUp]) + (name == "accept4" ? [] : [listener])
      for calls in [fetcher, worker, room, reader, opening, picture] + integrations + some {
        #expect(!calls.contains { $0.hasPrefix("allow \(name) ") || $0 == "allow \(name)" })
      }
    }
    for name in ["openat", "socket", "connect", "read", "clone", "fcntl", "ioctl"] {
      for calls in [worker, room, picture] {
        #expect(!calls.contains { $0 == "allow \(name)" || $0.hasPrefix("allow \(name) ") })
      }
    }
    // No unrestricted calls that could open files for writing, open local sockets, start processes or signal
    // others.
    for name in ["open", "openat", "socket", "clone", "tgkill", "fcntl", "ioctl", "mprotect", "mmap"] {
      for calls in [fetcher, lookUp, listener] + integrations { #expect(!calls.contains("allow \(name)")) }
    }
  }

  /// A profile's rules, one line per call, with the action and its conditions.
  private static func calls(_ profile: SandboxProfile) throws -> [String] {
    let file = try #require(tmpfile())
    defer { fclose(file) }
    try #require(SeccompFilter(profile.rules).write(to: fileno(file)) == 0)
    let text = try String(contentsOfFile: "/proc/self/fd/\(fileno(file))", encoding: .utf8)
    var calls: [String] = []
    var name = ""
    var terms: [(depth: Int, text: String)] = []
    for line in text.split(separator: "\n") {
      let depth = line.prefix { $0 == " " }.count
      let line = line.drop { $0 == " " }
      terms.removeAll { $0.depth >= depth }
      if line.hasPrefix("# filter for syscall") {
        name = String(line.split(separator: "\"")[1])
      } else if line.hasPrefix("# default action") {
        name = ""
      } else if name.isEmpty {
        continue
      } else if line.hasPrefix("if ($a") {
        terms.append((depth, String(line.dropFirst(4).dropLast())))
      } else if line.hasPrefix("action ") {
        let lower = terms.map { $0.text }.filter { !$0.contains("hi32") }.map {
          // The process id differs on each run.
          $0.replacingOccurrences(of: "$", with: "").replacingOccurrences(of: ".lo32", with: "")
            .replacingOccurrences(of: "== \(getpid())", with: "== itself")
        }
        let terms = lower.isEmpty ? [] : ["where", lower.joined(separator: ", ")]
        calls.append(([line.dropFirst(7).dropLast().lowercased(), name] + terms).joined(separator: " "))
      }
    }
    return calls.sorted()
  }
}
