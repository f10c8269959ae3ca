// A complete simulated machine in one thread. Only its storage outlives it.

import AudioRing
import Daemon
import Checkpoints
import Controls
import Decoding
import Foundation
import Integrations
import Outputs
import Platform
import PlaybackModel
import Player
import RealtimeAudio
import SwiftletEngine

@testable import Simulator

final class SimulatedMachine: Machine {
  let clock = SimulatedScheduler()
  let storage: SimulatedStorage
  let devices: SimulatedControls
  let listener: SimulatedListener<ClientWire>
  private let terminationSource: SimulatedSource
  let wallClock: SimulatedSource
  /// Reports to the service manager.
  let notices = RecordedNotices()
  var service: any ServiceManager { notices }
  /// Called while the box opens an output, or a placeholder for one.
  var onOutput: () -> Void = {}
  private(set) var logged: [String] = []
  /// The output opened last.
  private(set) var card: SimulatedCard?
  var hasCard = true
  var cardTrouble: String? { storage.cardTrouble }
  /// Name and options of the output opened last.
  private(set) var openedOutput = ""
  /// Path and speed of the serial line opened last, and path and group of the socket.
  private(set) var openedLine = ""
  private(set) var openedSocket = ""
  /// Store of the flight recorders; nil for process memory.
  var flights: (any FlightStore)?
  var hasSerialLine = false
  /// The serial line opened last.
  private(set) var serialLine: ClientWire?
  let mounts: SimulatedMounts
  /// The local time at which the scheduler started; a Monday.
  private var origin: Int64 = 4 * 86_400 + 12 * 3600
  /// Noon of 2027-01-15, when the clock starts.
  var utcOrigin: Int64 = 1_800_014_400
  var utcSeconds: Int64 { utcOrigin + Int64(clock.now / 1_000_000_000) }
  /// The time zones that this machine has.
  private let zones = [
    "Europe/Berlin": TimeZoneRules(rule: "CET-1CEST,M3.5.0,M10.5.0/3"),
    "Asia/Tokyo": TimeZoneRules(rule: "JST-9"),
  ]
  private var zone: TimeZoneRules?
  func useTimeZone(_ name: String?) -> String? {
    if let name, let refusal = refusal(ofTimeZone: name) { return refusal }
    zone = name.flatMap { zones[$0] }
    return nil
  }
  func refusal(ofTimeZone name: String) -> String? {
    zones[name] == nil ? "cannot be '\(name)': there is no such time zone" : nil
  }
  /// The groups that this machine has.
  var groups: Set<String> = ["audio", "quiet-group"]
  func refusal(ofGroup name: String) -> String? {
    groups.contains(name) ? nil : "cannot be '\(name)': there is no such group"
  }
  /// Outputs whose sound card does not exist.
  var missingOutputs: Set<String> = []
  func problem(ofOutput name: String) -> String? {
    missingOutputs.contains(name) ? "there is no sound card of '\(name)' now" : nil
  }
  var isClockTrusted: Bool { storage.isClockTrusted }
  var localTime: LocalTime {
    if let zone { return LocalTime(seconds: utcSeconds + zone.offset(at: utcSeconds)) }
    return LocalTime(seconds: origin + Int64(clock.now / 1_000_000_000))
  }
  var minuteOfDay: Int {
    get { localTime.minuteOfDay }
    set { origin += Int64(newValue - minuteOfDay) * 60 }
  }
  let randomSeed: UInt64 = 1
  let processFigures = ProcessFigures(wakeUps: 0, memory: 0)
  var isBeingUpdated = false
  var updateResult: String?

  init(_ storage: SimulatedStorage) {
    self.storage = storage
    devices = SimulatedControls(clock)
    listener = SimulatedListener(clock, ClientWire.init)
    terminationSource = SimulatedSource(clock)
    wallClock = SimulatedSource(clock)
    mounts = SimulatedMounts(clock)
  }

  func terminate() { terminationSource.signal() }

  var scheduler: any Scheduler { clock }
  var termination: any EventSource { terminationSource }
  func watchWallClock() throws(SystemError) -> any EventSource { wallClock }

  func openOutput(_ name: String, _ options: OutputOptions) throws(OutputError) -> OpenOutput {
    onOutput()
    guard hasCard else {
      throw OutputError(subject: name, reason: "there is no such device", isUnavailable: true)
    }
    openedOutput = "\(name) \(options)"
    let card = SimulatedCard(clock, rate: options.rate)
    self.card = card
    return OpenOutput(device: card, summary: "a simulated card")
  }

  func openOutput(_ name: String, _ options: OutputOptions, then: @escaping (OpenOutput?) -> Void) {
    then(try? openOutput(name, options))
  }

  func missingOutput(rate: SampleRate) throws(SystemError) -> any PCMDevice {
    onOutput()
    return SimulatedCard(clock, rate: rate, isMissing: true)
  }

  func runAudio(on device: any PCMDevice) throws(SystemError) -> any AudioRunner {
    SimulatedAudio(device, clock)
  }

  func decoders(
    rate: SampleRate, roots: @escaping () -> MediaRoots, ring: RingLayout?, note: @escaping (String) -> Void
  ) -> any DecoderSource {
    SimulatedDecoders(clock, storage, rate: rate, ring: ring)
  }

  /// The first worker is the one for checkpoints and bookmarks.
  private var workers = 0
  func backgroundWorker() throws(SystemError) -> any BackgroundWorker {
    workers += 1
    return SimulatedWorker(clock) { [storage, isForState = workers == 1] in
      storage.hangs || (isForState && storage.stateHangs)
    }
  }
  func configurationWorker() throws(SystemError) -> any BackgroundWorker {
    SimulatedWorker(clock) { [storage] in storage.hangs || storage.configurationHangs }
  }
  var media: any MediaLookup { storage }
  /// The library index; nil if the machine has none.
  var library: (any MusicIndex)?
  var files: any FileStore { storage }
  var checkpoints: any CheckpointFiles { storage }
  func processesStuck(on root: String) -> Int { 0 }
  func mountPoints() throws(SystemError) -> any MountPoints { mounts }
  var controls: any ControlDevices { devices }

  func openSerialLine(_ path: String, baud: Int) throws(SystemError) -> any ByteChannel {
    guard hasSerialLine else { throw SystemError("open", on: path, code: ENOENT) }
    openedLine = "\(path) \(baud)"
    let line = ClientWire(clock)
    serialLine = line
    return line
  }

  /// Paths at which listening fails, with the error code.
  var refusedSockets: [String: Int32] = [:]
  /// Groups that the socket cannot be given to, with the error code.
  var refusedGroups: [String: Int32] = [:]

  func listen(at path: String, group: String?) throws(SystemError) -> any ChannelListener {
    if let code = refusedSockets[path] { throw SystemError("bind", on: path, code: code) }
    if let group, let code = refusedGroups[group] {
      throw SystemError(LocalListener.groupCall, on: group, code: code)
    }
    openedSocket = "\(path) \(group ?? "")"
    return listener
  }

  /// Senders of the live sources, by the path, device or command of the source's declaration.
  var senders: [String: SimulatedSender] = [:]

  func startSource(_ source: LiveSource, rate: SampleRate) throws(SystemError) -> any LiveReceiver {
    let name =
      switch source.origin {
      case .command(let name), .fifo(let name), .capture(let name), .snapcast(let name): name
      }
    guard let sender = senders[name] else { throw SystemError("start", on: name, code: ENOENT) }
    return SimulatedReceiver(sender, source, rate: rate, clock)
  }

  /// All integrations started, and the error code with which starting fails.
  private(set) var integrations: [IntegrationTrace] = []
  var integrationFailure: Int32?

  func startIntegration(_ order: IntegrationOrder) throws(SystemError) -> any IntegrationProcess {
    if let code = integrationFailure { throw SystemError("posix_spawn", on: "swiftlet", code: code) }
    let trace = IntegrationTrace(order, number: Int32(4000 + integrations.count), at: clock.now)
    integrations.append(trace)
    return SimulatedIntegration(trace, clock)
  }

  /// Addresses at which nothing can listen.
  var refusedAddresses: Set<String> = []

  func checkListening(at address: NetworkAddress) throws(SystemError) {
    if refusedAddresses.contains(address.text) {
      throw SystemError("bind", on: address.text, code: EADDRNOTAVAIL)
    }
  }

  func writeLog(_ level: LogLevel, _ text: String) { logged.append(text) }
}

extension TimeZoneRules {
  /// A time zone with a single POSIX rule, such as `CET-1CEST,M3.5.0,M10.5.0/3`, as a TZif file without
  /// transitions.
  init(rule: String) {
    let header = Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15)
    let counts: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1]
    let part = header + counts + [0, 0, 0, 0, 0, 0] + [0]
    self = TimeZoneRules(part + part + Array("\n\(rule)\n".utf8))!
  }
}

/// Counts the reports to the service manager.
final class RecordedNotices: ServiceManager {
  let watchdogInterval: UInt64? = nil
  private(set) var readies = 0
  private(set) var stops = 0
  /// Called when the box begins to end.
  var onStopping: () -> Void = {}

  func notifyReady() { readies += 1 }
  func notifyAlive() {}
  func notifyStopping() {
    stops += 1
    onStopping()
  }
}

/// Mount points that a test adds and removes.
final class SimulatedMounts: MountPoints {
  private let source: SimulatedSource

  init(_ scheduler: SimulatedScheduler) { source = SimulatedSource(scheduler) }

  var descriptor: Int32 { source.descriptor }

  var points: [String] = [] {
    didSet { source.signal() }
  }

  func points(beneath folder: String) -> [String] {
    source.clear()
    return points.filter { $0.hasPrefix(folder == "/" ? folder : folder + "/") }
  }
}
