// The machine itself: epoll, threads, files, ALSA. Control thread only, but for what says otherwise.

import AudioRing
import Checkpoints
import Controls
import Decoding
import Media
import Outputs
import PlaybackModel
import Platform
import Player
import RealtimeAudio

/// A Linux machine.
public final class LinuxMachine: Machine {
  /// Blocked before any thread is made, so that none of them is ended by one.
  private let signals: TerminationSignals
  private let loop: EventLoop
  // The journal takes the level from a prefix; on a terminal that would be noise.
  private let marksLevels = Environment.value("JOURNAL_STREAM") != nil

  public let media: any MediaLookup = MountedMedia()
  public let files: any FileStore = LinuxFiles()
  public let checkpoints: any CheckpointFiles = LinuxCheckpointFiles()
  public let flights: (any FlightStore)? = FlightFiles()
  public let controls: any ControlDevices = LinuxDevices()
  public let service: any ServiceManager = SystemdNotifier()

  /// The machine that this process runs on. Make it before any thread.
  public init() throws(SystemError) {
    signals = try TerminationSignals()
    loop = try EventLoop()
  }

  public var scheduler: any Scheduler { loop }
  public var termination: any EventSource { signals }
  public var minuteOfDay: Int { WallClock.minuteOfDay() }
  public func watchWallClock() throws(SystemError) -> any EventSource { try WallClockChanges() }

  public func openOutput(_ name: String, _ options: OutputOptions) throws(OutputError) -> OpenOutput {
    if name == "null" {
      let device = try NullDevice(options: options)
      return OpenOutput(
        device: device, summary: "null output: \(options.rate.hertz) Hz, \(device.format.name)")
    }
    let device = try ALSADevice(name: name, options: options)
    return OpenOutput(device: device, summary: device.summary)
  }

  public func missingOutput(rate: SampleRate) throws(SystemError) -> any PCMDevice {
    try MissingDevice(rate: rate)
  }

  public func runAudio(on device: any PCMDevice) throws(SystemError) -> any AudioRunner {
    try AudioHost(device: device)
  }

  public func decoders(rate: SampleRate, roots: MediaRoots, ring: RingLayout?) -> any DecoderSource {
    WorkerDecoders(loop, rate: rate, roots: roots) { request in
      if let ring { request.layout = ring }
    }
  }

  public func backgroundWorker() throws(SystemError) -> any BackgroundWorker { try ThreadWorker(loop) }
  public func mountPoints() throws(SystemError) -> any MountPoints { try MountTable() }

  public func openSerialLine(_ path: String, baud: Int) throws(SystemError) -> any ByteChannel {
    try DescriptorChannel(try SerialPort.open(path, baud: baud))
  }

  public func listen(at path: String, group: String?) throws(SystemError) -> any ChannelListener {
    try SocketListener(path: path, group: group)
  }

  public func writeLog(_ level: LogLevel, _ text: String) {
    TextOutput.standardError.line((marksLevels ? "<\(level.rawValue)>" : "") + text)
  }

  public var randomSeed: UInt64 { loop.now }

  public var processFigures: ProcessFigures {
    ProcessFigures(wakeUps: ThreadSwitches.count, memory: ResidentMemory.kibibytes)
  }
}

extension AudioHost: AudioRunner {
  public var reportSource: any EventSource { reports }
}
