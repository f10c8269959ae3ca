// The daemon's handle on the process that reads a PN532 NFC reader. Control thread only; never blocks.

import CLinux
import Controls
import Platform

/// A process of this program with the hidden subcommand `reader`. The process is terminated with this object.
package final class ReaderChild: ByteSource {
  private static let readAtOnce = 256

  private let child: ChildProcess
  private let reports: FileDescriptor

  /// Starts the process. Output of libnfc is discarded, since the process reports errors itself.
  package init(_ connection: NFCConnection) throws(SystemError) {
    let null = try FileDescriptor.open("/dev/null", O_RDWR)
    let pipe = try Pipe()
    child = try ChildProcess.spawn(
      Executable.own, arguments: ["swiftlet", "reader", connection.text, String(getpid())],
      environment: Environment.sandboxed([
        "MALLOC_ARENA_MAX=1", "LIBNFC_LOG_LEVEL=0", "LIBNFC_AUTO_SCAN=false",
      ]),
      descriptors: [null.raw, pipe.input.raw, null.raw])
    reports = pipe.takeOutput()
    try reports.setNonBlocking()
  }

  /// The descriptor to watch: readable when the process has sent a report or has ended.
  package var descriptor: Int32 { reports.raw }

  package func takeBytes() throws(SystemError) -> [UInt8] {
    guard let bytes = try reports.read(atMost: Self.readAtOnce) else { return [] }
    guard !bytes.isEmpty else { throw SystemError("read", code: SystemError.noSuchDevice) }
    return bytes
  }
}
