// Starts worker processes with their arguments and descriptors. Control thread.

import AudioRing
import CLinux
import Platform
import PlaybackModel
import Streaming

/// A worker process and the engine's end of its socket.
struct StartedWorker: ~Copyable {
  let socket: MessageSocket
  let process: any WorkerProcess

  /// Starts a worker that decodes or probes a file, or its stand-in.
  ///
  /// - Parameters:
  ///   - request: The track and how to decode it.
  ///   - layout: Sizes of the ring.
  ///   - equipment: The libraries to load.
  ///   - ring: The ring's shared memory file.
  ///   - fetcher: The fetcher of the stream; nil for a file.
  ///   - standIn: Replaces the process in tests; nil for a real process.
  ///   - messages: Sent before the process runs, so that a replacement writes nothing to a used ring before
  ///     its first seek.
  init(
    _ request: WorkerRequest, _ layout: RingLayout, _ equipment: WorkerEquipment,
    ring: borrowing FileDescriptor, fetcher: Fetcher?, standIn: (any WorkerStandIn)?,
    _ messages: [EngineMessage] = []
  ) throws(SystemError) {
    if let standIn {
      let pair = try MessageSocket.Pair()
      for message in messages { pair.mine.send(message.bytes) }
      let process = try standIn.start(
        request.place.path, at: request.start, socket: pair.theirs,
        ring: SharedMemory(mapping: ring, size: layout.totalBytes), layout)
      self.init(socket: pair.mine, process: process)
      return
    }
    var task = WorkerArguments(task: request.isProbe ? .probe : .decode, parent: getpid())
    task.plugins = request.plugins
    task.equipment = equipment
    task.rate = request.takesNativeRate ? 0 : request.rate.hertz
    task.capacity = layout.capacity
    task.start = request.start.count
    task.section = request.section
    task.quality = request.quality
    task.limits = request.limits
    task.place = request.place
    task.window = fetcher?.window ?? 0
    task.mark = request.stream?.startMilliseconds ?? task.mark
    try self.init(
      task, executable: request.executable, ring: ring.raw, fetcher, messages: messages)
  }

  /// Starts a worker that describes a plugin.
  init(listing plugin: String, executable: String) throws(SystemError) {
    var task = WorkerArguments(task: .list, parent: getpid())
    task.plugins = plugin
    try self.init(task, executable: executable, ring: nil)
  }

  /// Starts a worker that reads a playlist or cue sheet.
  init(reading playlist: MediaPlace, executable: String) throws(SystemError) {
    var task = WorkerArguments(task: .playlist, parent: getpid())
    task.place = playlist
    try self.init(task, executable: executable, ring: nil)
  }

  /// Starts a worker on a live source.
  ///
  /// - Parameters:
  ///   - source: The live source.
  ///   - rate: The engine's rate.
  ///   - bytes: The descriptor to read from; nil for a FIFO, which the worker opens itself.
  ///   - ring: The ring's file.
  ///   - executable: The program with the hidden subcommand `worker`.
  ///   - confinement: Whether the worker may run without a sandbox.
  init(
    live source: LiveSource, rate: SampleRate, bytes: Int32?, ring: borrowing FileDescriptor,
    executable: String,
    confinement: SandboxLimits.Confinement
  ) throws(SystemError) {
    var task = WorkerArguments(task: .live, parent: getpid())
    task.live = WorkerArguments.Live(source)
    task.rate = rate.hertz
    task.capacity = RingLayout(rate: rate).capacity
    // A live source runs as long as the daemon.
    task.limits.cpuSeconds = 365 * 86_400
    task.limits.confinement = confinement
    if case .fifo(let path) = source.origin { task.place = MediaPlace(anywhere: path) }
    try self.init(task, executable: executable, ring: ring.raw, media: bytes)
  }

  private init(socket: consuming MessageSocket, process: any WorkerProcess) {
    self.socket = socket
    self.process = process
  }

  private init(
    _ task: WorkerArguments, executable: String, ring: Int32?, _ fetcher: Fetcher? = nil, media: Int32? = nil,
    messages: [EngineMessage] = []
  ) throws(SystemError) {
    // The engine never opens the media file, because that could block. The worker opens it at this descriptor
    // number.
    let null = try FileDescriptor.open("/dev/null", O_RDWR)
    let pair = try MessageSocket.Pair()
    for message in messages { pair.mine.send(message.bytes) }
    var given = [
      null.raw, null.raw, 2, pair.theirs.raw, fetcher?.spool.raw ?? media ?? null.raw, ring ?? null.raw,
    ]
    if let fetcher { given.append(fetcher.workerSocket.raw) }
    process = WorkerChild(
      try ChildProcess.spawn(
        executable, arguments: task.words, environment: Environment.sandboxed(["OMP_NUM_THREADS=1"]),
        descriptors: given,
        storage: task.place.root))
    socket = pair.mine
  }
}
