// Host of a simulated box from power-on to power-off; implements everything that the daemon takes from outside. State
// that survives is in `SimulatedBoxes`. One thread.

import AudioRing
import Daemon
import Checkpoints
import Controls
import Decoding
import Foundation
import Outputs
import Platform
import PlaybackModel
import Player
import RealtimeAudio
import SwiftletEngine

/// Simulated host while it has power.
final class SimulatedMachine: Machine {
  private unowned let outside: SimulatedBoxes
  let devices: SimulatedDevices
  let listener: SimulatedListener<SimulatedWire>
  let wallClock: SimulatedSource
  private let terminationSource: SimulatedSource
  let mounts: SimulatedMounts
  let service: any ServiceManager
  /// Audio loop that was started last.
  private(set) var audio: SimulatedAudio?
  /// Serial line that was opened last.
  private(set) weak var serialLine: SimulatedWire?
  let randomSeed: UInt64

  init(_ outside: SimulatedBoxes) {
    self.outside = outside
    let scheduler = outside.scheduler
    devices = SimulatedDevices(outside)
    listener = SimulatedListener(scheduler, SimulatedWire.init)
    wallClock = SimulatedSource(scheduler)
    terminationSource = SimulatedSource(scheduler)
    mounts = SimulatedMounts(outside)
    service = SimulatedService(outside)
    randomSeed = outside.random.next()
  }

  var scheduler: any Scheduler { outside.scheduler }
  var utcSeconds: Int64 { localTime.seconds }
  var localTime: LocalTime { outside.localTime }
  func watchWallClock() throws(SystemError) -> any EventSource { wallClock }
  var termination: any EventSource { terminationSource }
  func terminate() { terminationSource.signal() }

  func openOutput(_ name: String, _ options: OutputOptions) throws(OutputError) -> OpenOutput {
    let (card, slot) = (outside.card, outside.slot)
    guard !card.isLost, outside.scheduler.now >= slot.emptyUntil else {
      throw OutputError(subject: name, reason: "there is no such device", isUnavailable: true)
    }
    guard slot.holder == nil else {
      throw OutputError(subject: name, reason: "it is in use", isUnavailable: true)
    }
    let handle = CardHandle(card, in: slot, gain: outside.saboteur == .volume ? 2 : 1)
    // Report an error that the previous owner of the card has not read to the listener first: the new owner will not
    // see it.
    _ = try? card.available()
    guard handle.reopen() else {
      throw OutputError(subject: name, reason: "it does not answer", isUnavailable: true)
    }
    return OpenOutput(device: handle, summary: "a simulated card")
  }

  func openOutput(_ name: String, _ options: OutputOptions, then: @escaping (OpenOutput?) -> Void) {
    then(try? openOutput(name, options))
  }

  func missingOutput(rate: SampleRate) throws(SystemError) -> any PCMDevice { NoCard(beside: outside.card) }

  func runAudio(on device: any PCMDevice) throws(SystemError) -> any AudioRunner {
    let audio = SimulatedAudio(device, on: outside.scheduler, card: outside.card)
    self.audio = audio
    return audio
  }

  func decoders(
    rate: SampleRate, roots: @escaping () -> MediaRoots, ring: RingLayout?, note: @escaping (String) -> Void
  ) -> any DecoderSource {
    if let ring {
      return CueDecoders(outside.scheduler, ring) { [unowned outside] in outside.judge.cues.isLoading = $0 }
    }
    return RootedDecoders(outside.decoders, roots, outside.scheduler)
  }

  func startSource(_ source: LiveSource, rate: SampleRate) throws(SystemError) -> any LiveReceiver {
    guard case .fifo(let path) = source.origin,
      let sender = outside.senders.first(where: { path.hasSuffix("/" + $0.name) })
    else { throw SystemError("open", on: "a live source", code: ENOENT) }
    return SimulatedReceiver(sender, source, of: outside.receivers)
  }

  func backgroundWorker() throws(SystemError) -> any BackgroundWorker { try SimulatedWorker(outside) }
  func configurationWorker() throws(SystemError) -> any BackgroundWorker { PromptWorker() }
  var media: any MediaLookup { outside.storage }
  var files: any FileStore { outside.storage }
  var checkpoints: any CheckpointFiles { outside.storage }
  func processesStuck(on root: String) -> Int { 0 }
  func mountPoints() throws(SystemError) -> any MountPoints { mounts }
  var controls: any ControlDevices { devices }

  func openSerialLine(_ path: String, baud: Int) throws(SystemError) -> any ByteChannel {
    guard outside.hasSerialLine else { throw SystemError("open", on: path, code: ENOENT) }
    let line = SimulatedWire(outside.scheduler)
    serialLine = line
    return line
  }

  func listen(at path: String, group: String?) throws(SystemError) -> any ChannelListener { listener }
  func writeLog(_ level: LogLevel, _ text: String) { outside.logged(level, text) }
  var processFigures: ProcessFigures { ProcessFigures(wakeUps: 0, memory: 0) }
}

/// Mount points of removable storage.
final class SimulatedMounts: MountPoints {
  private unowned let outside: SimulatedBoxes
  private let source: SimulatedSource

  init(_ outside: SimulatedBoxes) {
    self.outside = outside
    source = SimulatedSource(outside.scheduler)
  }

  var descriptor: Int32 { source.descriptor }
  func tell() { source.signal() }

  func points(beneath folder: String) -> [String] {
    source.clear()
    return outside.storage.hasStick
      && SimulatedDecoders.stickFolder.hasPrefix(folder == "/" ? folder : folder + "/")
      ? [SimulatedDecoders.stickFolder] : []
  }
}

/// Watchdog of the service manager. The simulation fails if the box does not report within its interval.
final class SimulatedService: ServiceManager {
  private unowned let outside: SimulatedBoxes
  let watchdogInterval: UInt64? = 5_000_000_000

  init(_ outside: SimulatedBoxes) { self.outside = outside }

  func notifyReady() {}
  func notifyAlive() { outside.lastSignOfLife = outside.scheduler.now }
  func notifyStopping() {}
}

/// Decoder source that refuses files outside of the media roots.
final class RootedDecoders: DecoderSource {
  private let source: SimulatedDecoders
  private let roots: () -> MediaRoots
  private let scheduler: SimulatedScheduler

  init(_ source: SimulatedDecoders, _ roots: @escaping () -> MediaRoots, _ scheduler: SimulatedScheduler) {
    self.source = source
    self.roots = roots
    self.scheduler = scheduler
  }

  func open(_ track: Track, at position: Frames) throws(PlaybackError) -> any TrackDecoder {
    guard roots().folders.contains(where: { track.path.hasPrefix($0 + "/") }) else {
      throw PlaybackError(.missing, path: track.path)
    }
    if CueSignal.isAnnouncement(path: track.path) {
      return AnnouncementDecoder(track, scheduler, source.pool)
    }
    return try source.open(track, at: position)
  }
}
