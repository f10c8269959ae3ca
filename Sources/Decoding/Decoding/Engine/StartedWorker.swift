// Starts worker processes. Control thread.

import AudioRing
import CLinux
import Platform
import PlaybackModel
import Streaming

/// What every worker of a track gets: the first one, and one that replaces it.
struct WorkerSupplies: ~Copyable {
  /// The ring's file.
  let ring: FileDescriptor
  /// What takes the place of processes; nil for processes.
  let standIn: (any WorkerStandIn)?
  /// Fetches what is decoded, where that is a stream.
  var fetcher: Fetcher?
}

/// A worker process and the engine's end of its socket.
struct StartedWorker: ~Copyable {
  let socket: MessageSocket
  let process: any WorkerProcess

  /// Starts a worker that decodes or probes a file, or has a stand-in take its place.
  ///
  /// - Parameter messages: Sent before the process runs: a worker in a ring that another one has filled writes nothing before its first
  ///   seek.
  init(
    _ request: WorkerRequest, _ layout: RingLayout, _ equipment: WorkerEquipment,
    _ supplies: borrowing WorkerSupplies, _ messages: [EngineMessage] = []
  ) throws(SystemError) {
    if let standIn = supplies.standIn {
      let pair = try MessageSocket.Pair()
      for message in messages { pair.mine.send(message.bytes) }
      let process = try standIn.start(
        request.place.path, at: request.start, socket: pair.theirs,
        ring: SharedMemory(mapping: supplies.ring, size: layout.totalBytes), layout)
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
    task.window = supplies.fetcher?.window ?? 0
    task.mark = request.stream?.startMilliseconds ?? task.mark
    try self.init(
      task, executable: request.executable, ring: supplies.ring.raw, supplies.fetcher, messages: messages)
  }

  /// Starts a worker that describes the plugin at a path.
  init(listing plugin: String, executable: String) throws(SystemError) {
    var task = WorkerArguments(task: .list, parent: getpid())
    task.plugins = plugin
    try self.init(task, executable: executable, ring: nil)
  }

  /// Starts a worker that reads a playlist.
  init(reading playlist: MediaPlace, executable: String) throws(SystemError) {
    var task = WorkerArguments(task: .playlist, parent: getpid())
    task.place = playlist
    try self.init(task, executable: executable, ring: nil)
  }

  /// Starts a worker on a live source, whose bytes come by a descriptor; nil: it opens a FIFO itself.
  init(
    live source: LiveSource, rate: SampleRate, bytes: Int32?, ring: borrowing FileDescriptor,
    executable: String,
    confinement: SandboxLimits.Confinement
  ) throws(SystemError) {
    var task = WorkerArguments(task: .live, parent: getpid())
    task.live = WorkerArguments.Live(source)
    task.rate = rate.hertz
    task.capacity = RingLayout(rate: rate).capacity
    // It goes on as long as the box does.
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
    // Never a descriptor of anybody's storage: the worker opens its file itself, in the place that is kept for it.
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
