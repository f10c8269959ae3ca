// The embeddable playback engine: opens an output, owns the player and its workers. All calls come from the thread
// that created it; an output with a clock gets a real-time audio thread of its own.

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

/// A playback engine: plays a queue of files on an output, gapless or crossfaded.
///
/// ```swift
/// import SwiftletEngine
///
/// Engine.runWorkerIfAsked()  // first statement of main
/// let engine = try Engine(output: .device("default"))
/// try engine.add("Music/Album")
/// try engine.perform(.play)
/// engine.run()
/// ```
///
/// **Threads.** Use an engine only on the thread that created it; it is not `Sendable`, and events arrive on that
/// thread. Each track is decoded in a sandboxed process that ends with this thread.
///
/// **Event loop.** The engine makes progress only inside ``run()``, or inside ``turn()``, which is to be called
/// whenever ``descriptor`` is readable. Between calls, an output with a clock continues until its queued and decoded
/// frames run out.
///
/// **Blocking.** Creating an engine blocks on its device; ``add(_:)`` and ``inspect(_:options:)`` block on storage.
/// No other call blocks, except ``run()`` and ``run(until:)``.
public final class Engine {
  /// Receives each event, from within ``turn()``, ``run()`` or the call that caused it, after that call's work is
  /// done. May give commands.
  ///
  /// Capture the engine as `[unowned engine]`; a strong capture is a retain cycle.
  ///
  /// ```swift
  /// engine.onEvent = { [unowned engine] event in
  ///   switch event.kind {
  ///   case .began(let track): print("playing", track.name, "of", engine.queue.count)
  ///   case .error(let error): print(error)
  ///   default: break
  ///   }
  /// }
  /// ```
  public var onEvent: (EngineEvent) -> Void = { _ in }

  /// One-line description of the output, such as `ALSA hw:0: 44100 Hz, S32, 2 ch, …`.
  public var outputSummary: String { output.summary }
  /// The output's sample rate in Hz.
  public var rate: Int { connected.player.machine.settings.rate.hertz }

  /// The event loop: monotonic clock, timers and watched descriptors.
  package let events: EventLoop
  /// The scheduler of a recording, whose time counts rendered frames; nil if the output has a clock.
  package let offline: OfflineScheduler?
  /// The audio loop.
  package let host: AudioHost
  /// Runs console commands on the player.
  package let commands: PlayCommands
  /// A second observer, called synchronously together with the engine's own.
  package var observer: (any PlayerObserver)?
  /// Hooks of the surrounding program into the run loop.
  package var context = EngineContext()
  /// Called after reports of the audio loop have been processed.
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
  /// The error that occurred when `end` completed a recording; nil if it succeeded.
  package private(set) var recordingFailure: OutputError?

  /// Opens an output and creates an engine with an empty queue.
  ///
  /// - Parameters:
  ///   - output: The destination of the sound. It stays open until ``end()``.
  ///   - options: Rate, format, codec folders and worker program.
  /// - Throws: ``EngineError/Kind/noWorker`` if no worker program is available,
  ///   ``EngineError/Kind/outputUnavailable`` or ``EngineError/Kind/outputRefused`` if the output cannot be used,
  ///   ``EngineError/Kind/system``.
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

  /// Creates an engine on an open output.
  ///
  /// - Parameters:
  ///   - output: The open output; the engine takes ownership.
  ///   - options: How the engine works.
  ///   - settings: The initial settings of the console.
  ///   - early: A worker that is already decoding the first track.
  /// - Throws: `SystemError` if no descriptor or thread is available.
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
    decoders.onNote = { [unowned(unsafe) self] text in
      observer.player(player, notes: PlayerNote(.other, text))
    }
  }

  deinit { end() }

  /// Stops the audio thread and the decoders, and completes a WAV file, which appears under its name now.
  ///
  /// Posts an ``EngineEvent/Kind/error(_:)`` if the file could not be completed. Afterwards all throwing calls fail
  /// with ``EngineError/Kind/ended``, and others change nothing. Also called on deinitialization.
  public func end() {
    guard !hasEnded else { return }
    progress.hasEnded = true
    endTimer.stop()
    setAlarm()
    connected.end()
    do throws(OutputError) {
      try output.recording?.finish()
    } catch {
      recordingFailure = error
      onEvent(EngineEvent(time: scheduler.now, kind: .error(EngineError(error))))
    }
  }

  /// Throws `ended` after `end()`. Called before each change.
  func requireLife() throws(EngineError) {
    guard hasEnded else { return }
    throw EngineError(.ended, "The engine has ended.", remedy: "Make another one.")
  }

  /// The clock and timers of the player.
  var scheduler: any Scheduler { offline ?? events }

  /// The player, for the program's own modules.
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

  /// Whether `main` has called `runWorkerIfAsked`, so that this program can serve as its own worker.
  private static let isWorker = Atomic<Bool>(false)

  /// Runs this process as a decoder or stream fetcher if the engine started it as one, and exits; otherwise returns
  /// at once.
  ///
  /// Must be the first statement of `main`: the engine decodes each track in a sandboxed process, for which it
  /// executes the same program again.
  public static func runWorkerIfAsked() {
    isWorker.store(true, ordering: .relaxed)
    let arguments = Arguments.all()
    if FetcherMain.isAsked(arguments) { exit(FetcherMain.run(Array(arguments.dropFirst(2)))) }
    guard CodecWorkerMain.isAsked(arguments) else { return }
    exit(CodecWorkerMain.run(arguments.dropFirst(2)))
  }
}
