// Host interface: clock, files, devices, sound and processes that the daemon uses. `LinuxMachine` implements it on
// hardware, the simulator in virtual time. Control thread only, except where stated.

import AudioRing
import Checkpoints
import Controls
import Decoding
import Integrations
import Outputs
import PlaybackModel
import Platform
import Player
import RealtimeAudio
import SwiftletEngine

/// The host of a daemon. Class-bound for Embedded Swift.
///
/// - Note: Event sources have a descriptor that the daemon registers with `scheduler`; in the simulator the descriptor
///   is a number that only its scheduler understands. Methods do not call back into the daemon and do not block, except
///   where stated.
package protocol Machine: AnyObject {
  // Time.

  /// Clock and event loop of the daemon.
  var scheduler: any Scheduler { get }
  /// Local date and time of day. May jump.
  var localTime: LocalTime { get }
  /// Wall clock in seconds since 1970 (UTC). May jump.
  var utcSeconds: Int64 { get }
  /// Sets the time zone of `localTime`.
  ///
  /// - Parameter name: Name in the host's time zone database; nil: the operating system's zone.
  /// - Returns: Why the zone is refused, phrased to follow the setting's name; nil if it was set. A refused zone
  ///   changes nothing.
  func useTimeZone(_ name: String?) -> String?
  /// Checks a time zone.
  ///
  /// - Returns: Why it would be refused, phrased to follow the setting's name; nil if it can be used.
  func refusal(ofTimeZone name: String) -> String?
  /// Checks a group of the operating system.
  ///
  /// - Returns: Why it cannot be used, phrased to follow the setting's name; nil if it exists.
  func refusal(ofGroup name: String) -> String?
  /// Checks whether the sound card of an output device exists now.
  ///
  /// - Returns: The problem, as a sentence without its full stop; nil: none is known.
  func problem(ofOutput name: String) -> String?
  /// Whether the wall clock is synchronized by the network, or was set by a clock module (RTC) at boot.
  var isClockTrusted: Bool { get }
  /// Watches for changes of the wall clock.
  ///
  /// - Returns: An event source that is readable when the clock was set.
  func watchWallClock() throws(SystemError) -> any EventSource
  /// Readable when the process was asked to terminate, for example by SIGTERM.
  var termination: any EventSource { get }

  // Sound.

  /// Opens an output. Blocks; use before playback only.
  func openOutput(_ name: String, _ options: OutputOptions) throws(OutputError) -> OpenOutput
  /// Opens an output in the background.
  ///
  /// - Parameters:
  ///   - name: Device name.
  ///   - options: Format and buffering.
  ///   - then: Receives the output; nil if it cannot be opened.
  func openOutput(
    _ name: String, _ options: OutputOptions, then: @escaping (OpenOutput?) -> Void)
  /// Placeholder device for a missing output; reports itself as lost.
  func missingOutput(rate: SampleRate) throws(SystemError) -> any PCMDevice
  /// Starts the audio loop on an open output.
  ///
  /// - Returns: The running loop.
  func runAudio(on device: any PCMDevice) throws(SystemError) -> any AudioRunner
  /// Creates decoders.
  ///
  /// - Parameters:
  ///   - rate: Sample rate of the engine.
  ///   - roots: Folders that files may be in, evaluated whenever a file is opened.
  ///   - ring: Size of each decoder's ring; nil: the default.
  ///   - note: Receives problems of files that are playable nevertheless.
  func decoders(
    rate: SampleRate, roots: @escaping () -> MediaRoots, ring: RingLayout?, note: @escaping (String) -> Void
  ) -> any DecoderSource

  /// Starts a live source.
  ///
  /// - Parameter rate: Sample rate at which its sound is delivered.
  func startSource(_ source: LiveSource, rate: SampleRate) throws(SystemError) -> any LiveReceiver

  // Storage.

  /// Creates a worker for jobs that may block on one storage device.
  func backgroundWorker() throws(SystemError) -> any BackgroundWorker
  /// Finds media.
  var media: any MediaLookup { get }
  /// Media index; nil: not available on this host.
  var library: (any MusicIndex)? { get }
  /// Files of the daemon other than its checkpoints.
  var files: any FileStore { get }
  /// Configuration and board profiles; for use by one background worker.
  var configurationFiles: any FileStore { get }
  /// Creates the worker for `configurationFiles`.
  func configurationWorker() throws(SystemError) -> any BackgroundWorker
  /// Files stored next to the checkpoints; for use by the checkpoints' background worker.
  var stateFiles: any FileStore { get }
  /// Reuses the process behind `configurationFiles` for `stateFiles`. Call when the configuration has been read and
  /// before the first request to `stateFiles`.
  func passOnStorage()
  /// Checkpoint files; for use by one background worker.
  var checkpoints: any CheckpointFiles { get }
  /// Memory for a flight recorder that survives a crash; nil: not available.
  var flights: (any FlightStore)? { get }
  /// Number of killed processes that cannot exit because the storage of this media root hangs.
  func processesStuck(on root: String) -> Int
  /// Mount table.
  func mountPoints() throws(SystemError) -> any MountPoints

  // Users and programs.

  /// Buttons, knobs, panels and lights.
  var controls: any ControlDevices { get }
  /// Opens a tty as a raw serial line.
  func openSerialLine(_ path: String, baud: Int) throws(SystemError) -> any ByteChannel
  /// Listens on a Unix socket for commands.
  ///
  /// - Parameters:
  ///   - path: Path of the socket.
  ///   - group: Group that may connect besides the owner; nil: none.
  func listen(at path: String, group: String?) throws(SystemError) -> any ChannelListener
  /// Checks that a TCP server could listen at an address now.
  ///
  /// - Throws: `SystemError` if not, for example because the port is in use.
  func checkListening(at address: NetworkAddress) throws(SystemError)
  /// Starts the process of an integration.
  func startIntegration(_ order: IntegrationOrder) throws(SystemError) -> any IntegrationProcess
  /// The service manager (systemd).
  var service: any ServiceManager { get }
  /// Writes a line to the log.
  func writeLog(_ level: LogLevel, _ text: String)

  // The process itself.

  /// Number that differs at each start, to seed the shuffle.
  var randomSeed: UInt64 { get }
  /// Resource usage of the process.
  var processFigures: ProcessFigures { get }
  /// Result line of the last automatic update; nil: there was none.
  var updateResult: String? { get }
  /// Problems with files on the SD card's boot partition, in one line; nil: none.
  var cardTrouble: String? { get }
  /// Whether an automatic update has restarted the daemon: it then plays no cues, and the start does not count as
  /// power-on.
  var isBeingUpdated: Bool { get }
}

extension Machine {
  /// Minutes since local midnight, 0…1439.
  package var minuteOfDay: Int { localTime.minuteOfDay }
  /// Default: no time zone database, so that every zone is refused.
  package func refusal(ofTimeZone name: String) -> String? {
    "cannot be '" + name + "': this machine has no time zones"
  }
  /// Default: only the operating system's zone is accepted.
  package func useTimeZone(_ name: String?) -> String? { name.flatMap { refusal(ofTimeZone: $0) } }
  /// Default: every group exists.
  package func refusal(ofGroup name: String) -> String? { nil }
  /// Default: every output exists.
  package func problem(ofOutput name: String) -> String? { nil }
  /// Default: the clock is trusted.
  package var isClockTrusted: Bool { true }
  /// Default: every address is free.
  package func checkListening(at address: NetworkAddress) throws(SystemError) {}
  /// Default: there was no update.
  package var updateResult: String? { nil }
  /// Default: no problem.
  package var cardTrouble: String? { nil }
  /// Default: no update is in progress.
  package var isBeingUpdated: Bool { false }
  /// Default: integrations are not supported.
  package func startIntegration(_ order: IntegrationOrder) throws(SystemError) -> any IntegrationProcess {
    throw SystemError("start", on: order.name, code: SystemError.unsupported)
  }
  /// Default: live sources are not supported.
  package func startSource(_ source: LiveSource, rate: SampleRate) throws(SystemError) -> any LiveReceiver {
    throw SystemError("start", on: "a live source", code: SystemError.unsupported)
  }
  /// Default: there is no media index.
  package var library: (any MusicIndex)? { nil }
  /// Default: `files`.
  package var stateFiles: any FileStore { files }
  /// Default: `files`.
  package var configurationFiles: any FileStore { files }
  /// Default: there is no process to reuse.
  package func passOnStorage() {}
  /// Default: a worker of `backgroundWorker()`.
  package func configurationWorker() throws(SystemError) -> any BackgroundWorker { try backgroundWorker() }
}

/// Resource usage of the process as counted by the kernel.
package struct ProcessFigures: Sendable {
  /// Number of voluntary context switches of all threads, which counts wake-ups.
  package var wakeUps: Int
  /// Resident memory, in KiB.
  package var memory: Int

  /// Creates the figures.
  package init(wakeUps: Int, memory: Int) {
    self.wakeUps = wakeUps
    self.memory = memory
  }
}
