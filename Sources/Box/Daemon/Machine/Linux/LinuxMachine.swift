// Linux implementation of `Machine`, with epoll, threads, files and ALSA. Control thread only, except where stated.

import AudioRing
import Checkpoints
import Controls
import Decoding
import Media
import Integrations
import Outputs
import PlaybackModel
import Platform
import Player
import NFC
import RealtimeAudio
import SwiftletEngine

/// The Linux host.
package final class LinuxMachine: Machine {
  /// Termination signals. Blocked before any thread is created, so that all threads inherit the mask.
  private let signals: TerminationSignals
  private let loop: EventLoop
  /// Reaps killed workers as they exit, without blocking.
  private let deaths: DescriptorWatch?
  /// Worker that opens outputs in the background; nil until first used.
  private var outputWorker: ThreadWorker?
  // The systemd journal reads the level from a prefix; on a terminal it would be clutter.
  private let marksLevels = Environment.value("JOURNAL_STREAM") != nil

  /// Time zone of `localTime`; nil: the operating system's.
  private var zone: TimeZoneRules?
  /// Year of this release; a clock that shows an earlier year is wrong.
  private static let releaseYear = 2026
  /// Whether a clock module (RTC) set the time at boot.
  private lazy var hasSetByModule = RealTimeClock.hasSetTheTime(notBefore: LinuxMachine.releaseYear)

  package let media: any MediaLookup = MountedMedia()
  package let library: (any MusicIndex)? = LibraryFile()
  package let files: any FileStore = LinuxFiles()
  private let storage = StorageProcesses()
  package let flights: (any FlightStore)? = FlightFiles()
  package let controls: any ControlDevices = LinuxDevices(readers: {
    (connection: NFCConnection) throws(SystemError) -> any ByteSource in try ReaderChild(connection)
  })
  package let service: any ServiceManager = SystemdNotifier()

  /// Creates the host. Call before any thread is created, because it blocks signals.
  ///
  /// - Throws: `SystemError` if signals or the event loop cannot be set up.
  package init() throws(SystemError) {
    signals = try TerminationSignals()
    let loop = try EventLoop()
    self.loop = loop
    guard let descriptor = UnreapedChildren.ofProcess.watchDeaths() else {
      deaths = nil
      return
    }
    deaths = try DescriptorWatch(loop, readable: descriptor) { UnreapedChildren.ofProcess.reap() }
  }

  package var configurationFiles: any FileStore { storage.configurationFiles }
  package var stateFiles: any FileStore { storage.stateFiles }
  package var checkpoints: any CheckpointFiles { storage.checkpoints }
  package func passOnStorage() { storage.passOn() }

  package var scheduler: any Scheduler { loop }
  package var termination: any EventSource { signals }
  package var localTime: LocalTime {
    guard let zone else { return LocalTime(seconds: WallClock.localSeconds()) }
    let now = WallClock.seconds()
    return LocalTime(seconds: now + zone.offset(at: now))
  }
  package func useTimeZone(_ name: String?) -> String? {
    guard let name else {
      zone = nil
      return nil
    }
    guard let rules = TimeZoneDatabase.rules(name) else { return refusal(ofTimeZone: name) }
    zone = rules
    return nil
  }
  package func refusal(ofTimeZone name: String) -> String? { TimeZoneDatabase.refusal(of: name) }
  package func refusal(ofGroup name: String) -> String? { GroupDatabase.refusal(of: name) }
  package func problem(ofOutput name: String) -> String? { SoundCard.problem(of: name) }
  package var isClockTrusted: Bool { WallClock.isSynchronized || hasSetByModule }
  package var utcSeconds: Int64 { WallClock.seconds() }
  package func watchWallClock() throws(SystemError) -> any EventSource { try WallClockChanges() }

  package func openOutput(_ name: String, _ options: OutputOptions) throws(OutputError) -> OpenOutput {
    try OpenOutput.device(name, options)
  }

  package func openOutput(
    _ name: String, _ options: OutputOptions, then: @escaping (OpenOutput?) -> Void
  ) {
    let found = FoundOutput()
    if outputWorker == nil { outputWorker = try? ThreadWorker(loop) }
    guard let worker = outputWorker else { return then(nil) }
    worker.run({ found.output = try? OpenOutput.device(name, options) }) { _ in then(found.output) }
  }

  package func missingOutput(rate: SampleRate) throws(SystemError) -> any PCMDevice {
    try MissingDevice(rate: rate)
  }

  package func runAudio(on device: any PCMDevice) throws(SystemError) -> any AudioRunner {
    try AudioHost(device: device)
  }

  package func decoders(
    rate: SampleRate, roots: @escaping () -> MediaRoots, ring: RingLayout?, note: @escaping (String) -> Void
  ) -> any DecoderSource {
    let decoders = WorkerDecoders(loop, rate: rate, within: roots) { request in
      if let ring { request.layout = ring }
    }
    decoders.onNote = note
    return decoders
  }

  package func startSource(_ source: LiveSource, rate: SampleRate) throws(SystemError) -> any LiveReceiver {
    try LiveWorkerReceiver(source, rate: rate, on: loop)
  }

  package func backgroundWorker() throws(SystemError) -> any BackgroundWorker { try ThreadWorker(loop) }
  package func processesStuck(on root: String) -> Int {
    UnreapedChildren.ofProcess.reap()
    return UnreapedChildren.ofProcess.count(on: root)
  }
  package func mountPoints() throws(SystemError) -> any MountPoints { try MountTable() }

  package func openSerialLine(_ path: String, baud: Int) throws(SystemError) -> any ByteChannel {
    try DescriptorChannel(try SerialPort.open(path, baud: baud))
  }

  package func listen(at path: String, group: String?) throws(SystemError) -> any ChannelListener {
    do throws(SystemError) {
      return try LocalListener(path: path, group: group)
    } catch {
      // systemd creates the folder; it is missing if the daemon was started by hand.
      guard error.code == SystemError.noSuchFile, Directory.make(AtomicFile.folder(of: path)) else {
        throw error
      }
      return try LocalListener(path: path, group: group)
    }
  }

  package func checkListening(at address: NetworkAddress) throws(SystemError) {
    _ = try NetworkListener(address)
  }

  package func startIntegration(_ order: IntegrationOrder) throws(SystemError) -> any IntegrationProcess {
    try IntegrationChild(order)
  }

  package func writeLog(_ level: LogLevel, _ text: String) {
    TextOutput.standardError.line((marksLevels ? "<\(level.rawValue)>" : "") + text)
  }

  package var randomSeed: UInt64 { loop.now }

  package var processFigures: ProcessFigures {
    ProcessFigures(wakeUps: ThreadSwitches.count, memory: ResidentMemory.kibibytes)
  }

  /// In /run (memory), so reading it never blocks on storage.
  package var updateResult: String? { UpdateResult.read() }

  /// In /run (memory), so reading it never blocks on storage.
  package var cardTrouble: String? { CardTrouble.read() }
  package var isBeingUpdated: Bool { UpdateResult.isQuiet() }
}

/// Result of the background thread; read by the control thread after the job has finished.
private final class FoundOutput: @unchecked Sendable {
  var output: OpenOutput?
}
