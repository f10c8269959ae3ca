// What a box takes from the machine it runs on: everything that is not computed comes from here, so that the same box
// runs on a board and in a simulator. Control thread only, but for what says otherwise.

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

/// A machine that can be a box. Class-bound, for Embedded Swift.
///
/// Whatever has news has a descriptor, which the box gives to the machine's own scheduler: a simulated machine hands
/// out numbers that only its scheduler knows. Nothing here calls the box, and nothing waits unless it says so.
package protocol Machine: AnyObject {
  // Time.

  /// The box's clock and its one place to wait.
  var scheduler: any Scheduler { get }
  /// The day and the time of day. It may jump.
  var localTime: LocalTime { get }
  /// Seconds since 1970 by the wall clock. It may jump.
  var utcSeconds: Int64 { get }
  /// Has local time be that of a zone of the machine's database from now on; nil: that of the operating system's zone.
  ///
  /// - Returns: Why the zone is refused, to follow the setting's name; nil: it holds. A refused zone changes nothing.
  func useTimeZone(_ name: String?) -> String?
  /// Why a zone would be refused, to follow the setting's name; nil: it can be used.
  func refusal(ofTimeZone name: String) -> String?
  /// Whether the network keeps the wall clock, or a clock module has set it at power-on.
  var isClockTrusted: Bool { get }
  /// Tells when the wall clock is set.
  func watchWallClock() throws(SystemError) -> any EventSource
  /// Somebody wants the box to end.
  var termination: any EventSource { get }

  // Sound.

  /// Opens an output, and waits for it: before anything is played.
  func openOutput(_ name: String, _ options: OutputOptions) throws(OutputError) -> OpenOutput
  /// Opens an output where nobody waits for it, and tells later what came of it; nil: it cannot be used.
  func openOutput(
    _ name: String, _ options: OutputOptions, then: @escaping (OpenOutput?) -> Void)
  /// What stands where an output should be, and answers that it is gone.
  func missingOutput(rate: SampleRate) throws(SystemError) -> any PCMDevice
  /// Runs an audio loop on an open output, until it is stopped.
  func runAudio(on device: any PCMDevice) throws(SystemError) -> any AudioRunner
  /// Decoders for an engine's rate, for files beneath the folders that hold when a file is opened, into rings of the usual size or another. `note` is
  /// told of what is wrong with a file that plays all the same.
  func decoders(
    rate: SampleRate, roots: @escaping () -> MediaRoots, ring: RingLayout?, note: @escaping (String) -> Void
  ) -> any DecoderSource

  /// Starts a live source, whose sound comes at an engine's rate.
  func startSource(_ source: LiveSource, rate: SampleRate) throws(SystemError) -> any LiveReceiver

  // Storage.

  /// A worker for one thing that may have to wait for storage.
  func backgroundWorker() throws(SystemError) -> any BackgroundWorker
  /// Looks for media.
  var media: any MediaLookup { get }
  /// Keeps an index of the music; nil: this machine keeps none.
  var library: (any MusicIndex)? { get }
  /// The box's own files, but for its checkpoints.
  var files: any FileStore { get }
  /// The configuration and the profiles of boards, for one background worker.
  var configurationFiles: any FileStore { get }
  /// The worker that asks for them.
  func configurationWorker() throws(SystemError) -> any BackgroundWorker
  /// The files that are kept beside the checkpoints, for one background worker at a time, the same as that of the checkpoints.
  var stateFiles: any FileStore { get }
  /// Nothing more is asked of `configurationFiles` for now, and nothing was asked of `stateFiles` yet: what has been started for the
  /// ones serves the others.
  func passOnStorage()
  /// The box's checkpoints, for one background worker at a time.
  var checkpoints: any CheckpointFiles { get }
  /// Where a flight recorder outlives the process; nil: nowhere.
  var flights: (any FlightStore)? { get }
  /// How many processes were ended, and are held all the same by the storage of a folder that media may come from.
  func processesStuck(on root: String) -> Int
  /// What is mounted where.
  func mountPoints() throws(SystemError) -> any MountPoints

  // People and programs.

  /// Buttons, knobs, panels and lights.
  var controls: any ControlDevices { get }
  /// Opens a tty as a raw serial line.
  func openSerialLine(_ path: String, baud: Int) throws(SystemError) -> any ByteChannel
  /// Listens at a path for programs and people with commands; only they and `group` may connect.
  func listen(at path: String, group: String?) throws(SystemError) -> any ChannelListener
  /// Throws where no server could listen at an address now, such as one that another program has.
  func checkListening(at address: NetworkAddress) throws(SystemError)
  /// Starts an integration, a process of its own.
  func startIntegration(_ order: IntegrationOrder) throws(SystemError) -> any IntegrationProcess
  /// Whoever has started the box and watches over it.
  var service: any ServiceManager { get }
  /// Where the log goes, line by line.
  func writeLog(_ level: LogLevel, _ text: String)

  // The process itself.

  /// A number that is another one with each start, for shuffling.
  var randomSeed: UInt64 { get }
  /// What the process costs now.
  var processFigures: ProcessFigures { get }
  /// What came of the last update by the package's own script, in a line; nil: there was none.
  var updateResult: String? { get }
  /// What could not be taken of the files on the card's boot partition, in a line; nil: all was, or there are none.
  var cardTrouble: String? { get }
  /// Whether an update at night starts the box: it makes no sound of its own then, and the start is no power-on.
  var isBeingUpdated: Bool { get }
}

extension Machine {
  /// Minutes since local midnight, 0…1439.
  package var minuteOfDay: Int { localTime.minuteOfDay }
  /// There are none, unless the machine has a database.
  package func refusal(ofTimeZone name: String) -> String? {
    "cannot be '" + name + "': this machine has no time zones"
  }
  /// Only the zone of the operating system, unless the machine has others.
  package func useTimeZone(_ name: String?) -> String? { name.flatMap { refusal(ofTimeZone: $0) } }
  /// It is, unless the machine knows better.
  package var isClockTrusted: Bool { true }
  /// Any address is free, unless the machine knows.
  package func checkListening(at address: NetworkAddress) throws(SystemError) {}
  /// There was none, unless the machine knows of one.
  package var updateResult: String? { nil }
  /// Nothing is wrong, unless the machine knows better.
  package var cardTrouble: String? { nil }
  /// It is not, unless the machine knows of it.
  package var isBeingUpdated: Bool { false }
  /// There are none, unless the machine has them.
  package func startIntegration(_ order: IntegrationOrder) throws(SystemError) -> any IntegrationProcess {
    throw SystemError("start", on: order.name, code: SystemError.unsupported)
  }
  /// There are none, unless the machine has them.
  package func startSource(_ source: LiveSource, rate: SampleRate) throws(SystemError) -> any LiveReceiver {
    throw SystemError("start", on: "a live source", code: SystemError.unsupported)
  }
  /// There is none, unless the machine has one.
  package var library: (any MusicIndex)? { nil }
  /// As all others.
  package var stateFiles: any FileStore { files }
  /// As all others.
  package var configurationFiles: any FileStore { files }
  /// Nothing is started for them, unless the machine does so.
  package func passOnStorage() {}
  /// As all others.
  package func configurationWorker() throws(SystemError) -> any BackgroundWorker { try backgroundWorker() }
}

/// What the kernel counts about the process.
package struct ProcessFigures: Sendable {
  /// How often one of its threads has woken up.
  package var wakeUps: Int
  /// What it holds in memory, in KiB.
  package var memory: Int

  /// Figures.
  package init(wakeUps: Int, memory: Int) {
    self.wakeUps = wakeUps
    self.memory = memory
  }
}
