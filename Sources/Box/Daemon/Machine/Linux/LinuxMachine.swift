// The machine itself: epoll, threads, files, ALSA. Control thread only, but for what says otherwise.

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

/// A Linux machine.
package final class LinuxMachine: Machine {
  /// Blocked before any thread is made, so that none of them is ended by one.
  private let signals: TerminationSignals
  private let loop: EventLoop
  /// Ends workers as they die, and waits for none of them.
  private let deaths: DescriptorWatch?
  /// Opens outputs where nobody waits for them; nil before the first.
  private var outputWorker: ThreadWorker?
  // The journal takes the level from a prefix; on a terminal that would be noise.
  private let marksLevels = Environment.value("JOURNAL_STREAM") != nil

  /// Local time's zone; nil: the operating system's.
  private var zone: TimeZoneRules?
  /// The year of this version: no clock that is right says an earlier one.
  private static let releaseYear = 2026
  /// Whether a clock module has set the time at power-on.
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

  /// The machine that this process runs on. Make it before any thread.
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
      // The service manager makes the folder, unless the box is started by hand.
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

  /// In memory, so that no storage is waited for.
  package var updateResult: String? { UpdateResult.read() }

  /// In memory, too.
  package var cardTrouble: String? { CardTrouble.read() }
  package var isBeingUpdated: Bool { UpdateResult.isQuiet() }
}

/// What a background thread leaves for the control thread, which looks when it has ended.
private final class FoundOutput: @unchecked Sendable {
  var output: OpenOutput?
}
