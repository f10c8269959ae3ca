// The engine as other packages embed it: an output, a queue, commands, events. One thread: that which made it; a second one,
// of the engine's own, feeds outputs that have a clock.

import CLinux
import Console
import Decoding
import Media
import Outputs
import PlaybackModel
import Platform
import Player
import RealtimeAudio
import Streaming
import Synchronization

/// A playback engine: plays a queue of files on an output, gaplessly or crossfaded.
///
/// ```swift
/// Engine.runWorkerIfAsked()
/// let engine = try Engine(output: .device("default"))
/// try engine.add("Music/Album")
/// try engine.perform(.play)
/// engine.run()
/// ```
///
/// **Thread.** All calls come from the thread that made the engine, and events arrive there; an engine is not `Sendable`. Decoders
/// are processes that end with that thread.
///
/// **Time.** Nothing happens by itself: the engine wants ``run()``, or ``turn()`` whenever ``descriptor`` is readable. Only the
/// audio thread of an output that has a clock goes on in between, for as long as it has something queued or decoded.
///
/// **Waiting.** ``add(_:)`` and ``inspect(_:options:)`` wait for storage, and making an engine for its device. No other call
/// waits, but ``run()`` and its kin.
public final class Engine {
  /// Called with each event, from within ``turn()``, ``run()`` or whatever call has caused it, after that is done: so commands
  /// may be given here. A closure that names the engine has to capture it `[unowned engine]`, or the engine keeps itself.
  public var onEvent: (EngineEvent) -> Void = { _ in }

  /// The output in one line, such as `ALSA hw:0: 44100 Hz, S32, 2 ch, …`.
  public var outputSummary: String { output.summary }
  /// The output's rate in Hz.
  public var rate: Int { connected.player.machine.settings.rate.hertz }

  /// Real time and all descriptors.
  package let events: EventLoop
  /// The time of a recording, which counts its frames; nil where the output has a clock.
  package let offline: OfflineScheduler?
  /// The audio loop.
  package let host: AudioHost
  /// The console's commands on the player.
  package let commands: PlayCommands
  /// Told at once of what this engine is told of at once.
  package var observer: (any PlayerObserver)?
  /// What the engine asks of the program around it.
  package var context = EngineContext()
  /// Called after reports of the audio loop were taken.
  package var onReports: () -> Void {
    get { connected.onReports }
    set { connected.onReports = newValue }
  }

  let connected: ConnectedPlayer
  let options: EngineOptions
  var news = EngineNews()
  var progress = EngineProgress()
  let endTimer: DeadlineTimer
  var alarm: DeadlineDescriptor?
  var hasEnded: Bool { progress.hasEnded }
  private let output: OpenOutput
  /// Set by `end` where a recording could not be completed.
  package private(set) var recordingFailure: OutputError?

  /// Opens an output and makes an engine with an empty queue.
  ///
  /// - Parameters:
  ///   - output: Where the sound goes. It stays open until ``end()``.
  ///   - options: How the engine works.
  /// - Throws: ``EngineError/Kind/noWorker`` where nothing could decode, `outputUnavailable` or `outputRefused` where the
  ///   output cannot be used, `system`.
  public convenience init(
    output: EngineOutput, options: EngineOptions = EngineOptions()
  ) throws(EngineError) {
    guard options.worker != nil || Self.isWorker.load(ordering: .relaxed) else {
      throw EngineError(
        .noWorker, "This program cannot decode.",
        remedy:
          "Call Engine.runWorkerIfAsked() first thing in main, or set EngineOptions.worker to the path of "
          + "'swiftlet'.")
    }
    let opened = try Self.open(output, options)
    do throws(SystemError) {
      try self.init(opened, options: options)
    } catch {
      throw EngineError(error)
    }
  }

  /// An engine on an output that is open. `early` decodes the first track already.
  package init(
    _ output: OpenOutput, options: EngineOptions, settings: Settings = Settings(), early: OpenedWorker? = nil
  ) throws(SystemError) {
    self.options = options
    self.output = output
    let rate = output.device.rate
    events = try EventLoop()
    host = try AudioHost(device: output.device)
    offline = host.isPaced ? nil : OfflineScheduler(over: events)
    let decoders = WorkerDecoders(events, rate: rate, early: early) { [options] request in
      options.adjust(&request)
    }
    connected = try ConnectedPlayer(
      host, rate: rate, decoders: decoders, scheduler: offline ?? events, isPaced: host.isPaced,
      isStrict: options.isStrict)
    commands = PlayCommands(connected.player, settings)
    endTimer = DeadlineTimer(events)
    let observer = EngineObserver(self)
    connected.player.observer = observer
    decoders.onNote = { [unowned(unsafe) self] text in observer.player(player, notes: text) }
  }

  deinit { end() }

  /// Ends the audio thread and the decoders, and closes a file, which has its name from now on; an `error` is posted where it
  /// could not be completed. Nothing can be asked any more; also done when the engine goes.
  public func end() {
    guard !hasEnded else { return }
    progress.hasEnded = true
    endTimer.stop()
    connected.end()
    do throws(OutputError) {
      try output.recording?.finish()
    } catch {
      recordingFailure = error
      onEvent(EngineEvent(time: scheduler.now, kind: .error(EngineError(error))))
    }
  }

  /// To be called before anything is changed.
  func requireLife() throws(EngineError) {
    guard hasEnded else { return }
    throw EngineError(.ended, "The engine has ended.", remedy: "Make another one.")
  }

  /// The time that the player goes by.
  var scheduler: any Scheduler { offline ?? events }

  /// The player, for those parts of the program that know it.
  package var player: Player { connected.player }

  private static func open(_ output: EngineOutput, _ options: EngineOptions) throws(EngineError) -> OpenOutput
  {
    if case .custom(let own) = output {
      let device = try CustomDevice(own)
      return OpenOutput(
        device: device, summary: "the program's own output: \(own.rate) Hz, \(device.format.name)")
    }
    if let rate = options.rate, !(8000...384_000).contains(rate) {
      throw EngineError(.outputRefused, "EngineOptions.rate is \(rate) Hz; 8000 to 384000 are possible.")
    }
    var wanted = OutputOptions(rate: SampleRate(options.rate ?? 44100))
    wanted.format = options.format?.model
    wanted.allowsOtherRates = options.rate == nil
    do throws(OutputError) {
      switch output {
      case .device(let name): return try .device(name, wanted)
      case .file(let path): return try .recording(path, wanted)
      case .null, .custom: return try .device("null", wanted)
      }
    } catch {
      throw EngineError(error)
    }
  }

  // MARK: Workers

  /// Whether this program's `main` knows how to be a worker.
  private static let isWorker = Atomic<Bool>(false)

  /// Makes the process a decoder and ends it, where the engine has started it as one. To be called first thing in `main`: the
  /// engine decodes each track in a sandboxed process of its own, for which it starts the same program again. Does nothing in
  /// a process that a person has started.
  public static func runWorkerIfAsked() {
    isWorker.store(true, ordering: .relaxed)
    let arguments = Arguments.all()
    if FetcherMain.isAsked(arguments) { exit(FetcherMain.run(Array(arguments.dropFirst(2)))) }
    guard CodecWorkerMain.isAsked(arguments) else { return }
    exit(CodecWorkerMain.run(arguments.dropFirst(2)))
  }
}
