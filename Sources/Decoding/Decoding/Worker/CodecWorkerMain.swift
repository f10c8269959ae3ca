// Entry point of the worker process: opens the file, loads plugins, enters the sandbox, then decodes. The
// only process of Swiftlet that passes media data to a parser.

import AudioRing
import CLinux
import Platform
import PlaybackModel
import Playlists
import Streaming

/// The hidden subcommand `worker`.
///
/// Descriptors: 0 and 1 /dev/null; 2 the engine's stderr, closed by the sandbox; 3 the message socket; 4
/// /dev/null, replaced by the media file; 5 the ring. Unneeded ones are /dev/null.
package enum CodecWorkerMain {
  /// Whether the arguments are those of a worker.
  ///
  /// - Parameter arguments: The process's arguments, including its name.
  package static func isAsked(_ arguments: [String]) -> Bool {
    arguments.prefix(2).elementsEqual(WorkerArguments.name) && WorkerArguments(arguments.dropFirst(2)) != nil
  }

  /// Runs the worker.
  ///
  /// - Parameter arguments: The arguments after `swiftlet worker`.
  /// - Returns: The exit status.
  package static func run(_ arguments: some Sequence<String>) -> Int32 {
    let given = WorkerArguments(arguments)
    if let status = HelperMain.refusal(of: "worker", parent: given?.parent) { return status }
    guard let task = given else { return HelperMain.usage }
    let socket = MessageSocket(FileDescriptor(owning: Sandbox.socket))
    do {
      switch task.task {
      case .list:
        let plugin = try Plugin.load(task.plugins)
        socket.send(WorkerMessage.plugin(plugin.description).bytes, waiting: true)
      case .probe: try probe(task, socket)
      case .playlist: try list(task, socket)
      case .decode: try decode(task, socket)
      case .live:
        let memory = try ring(RingLayout(capacity: task.capacity))
        try LiveWorkerTask.run(task, memory, socket)
      }
    } catch {
      socket.send(WorkerMessage.failed(error).bytes, waiting: true)
      leave(1)
    }
    leave(0)
  }

  /// Exits without running destructors, because those of plugins are untrusted.
  private static func leave(_ status: Int32) -> Never { _exit(status) }

  private static func probe(_ task: WorkerArguments, _ socket: borrowing MessageSocket) throws(WorkerFailure)
  {
    let memory = try ring(RingLayout(capacity: task.capacity))
    let waits = StorageWaits(base: memory.base)
    guard let file = try open(task, socket, waits) else { return }
    var info = file.info
    if case .file(let media) = file.media {
      let reader = MediaReader(.file(media), waits: waits)
      info.holdsSheet = !EmbeddedSheet(reader, name: task.place.name).entries().isEmpty
    }
    for chapter in info.chapters { socket.send(WorkerMessage.chapter(chapter).bytes, waiting: true) }
    socket.send(WorkerMessage.opened(info).bytes, waiting: true)
  }

  private static func list(_ task: WorkerArguments, _ socket: borrowing MessageSocket) throws(WorkerFailure) {
    let file = try MediaFile(task.place, nil)
    // Loads libraries, so it precedes the sandbox.
    let lists = PlaylistReader()
    _ = try Sandbox.enter(task.limits)
    let reader = MediaReader(.file(file))
    let mayHoldSheet = EmbeddedSheet.mayBeIn(reader.beginning(4) ?? [])
    let embedded = mayHoldSheet ? EmbeddedSheet(reader, name: task.place.name).entries() : []
    guard let bytes = reader.beginning(PlaylistParser.maximumBytes + 1) else {
      throw WorkerFailure(.unreadable, "The playlist cannot be read.")
    }
    // A text file may begin with the magic of a media file, so the result of parsing decides.
    if !embedded.isEmpty {
      for entry in embedded { socket.send(WorkerMessage.entry(entry).bytes, waiting: true) }
      socket.send(WorkerMessage.listed(count: UInt32(embedded.count)).bytes, waiting: true)
      return
    }
    let contents: PlaylistContents
    do throws(PlaylistFailure) {
      contents = try lists.contents(of: bytes, isCut: bytes.count > PlaylistParser.maximumBytes)
    } catch {
      throw WorkerFailure(error)
    }
    for entry in contents.entries { socket.send(WorkerMessage.entry(entry).bytes, waiting: true) }
    let count = contents.entries.count + (contents.isCut ? 1 : 0)
    socket.send(WorkerMessage.listed(count: UInt32(count)).bytes, waiting: true)
  }

  private static func decode(
    _ task: WorkerArguments, _ socket: borrowing MessageSocket
  ) throws(WorkerFailure) {
    let layout = RingLayout(capacity: task.capacity)
    let memory = try ring(layout)
    // Tolerates late timers, so that the kernel can merge wake-ups.
    _ = clinux_prctl(PR_SET_TIMERSLACK, 20_000_000)
    guard let file = try open(task, socket, StorageWaits(base: memory.base)) else { return }
    // A chained stream may change its rate, and after the sandbox is closed the resampler cannot be loaded.
    guard file.library != nil || file.rescaling.isIdentity && !file.mayChangeRate else {
      socket.send(WorkerMessage.needs(.resampler).bytes, waiting: true)
      return
    }
    let pipeline = SectionPipeline(
      try file.pipeline(task.quality), task.section,
      renew: { () throws(WorkerFailure) in
        file.source.adoptShape() ? try file.pipeline(task.quality) : nil
      }, takeDiscontinuity: { file.source.takeDiscontinuity() },
      goToPart: { (frame) throws(WorkerFailure) in
        let engine = file.rescaling.engine
        guard let start = try file.source.goToPart(holding: frame, at: engine) else { return nil }
        return (try file.pipeline(task.quality), start)
      })
    var info = file.info
    // Only a file that cannot change its format later may use 16-bit integers in the ring.
    if case .file = file.media, file.hasOnePart, info.holdsSixteenBits(at: pipeline.engineRate) {
      info.ringSamples = .integers
    }
    socket.send(WorkerMessage.opened(info).bytes, waiting: true)
    if task.start > 0 && !file.media.isLive || task.section != nil { try pipeline.seek(to: task.start) }
    var loop = WorkerLoop(
      pipeline: pipeline, ring: RingWriter(layout: layout, base: memory.base, samples: info.ringSamples),
      capacity: layout.capacity, source: file.media, mark: task.mark)
    if case .stream(let spool) = file.media, spool.isLive {
      loop.shift = StationShift(
        spool, file.source, pipeline, place: StationPlace(base: memory.base), mark: task.mark
      ) { () throws(WorkerFailure) in try file.pipeline(task.quality) }
    }
    if let survey = file.survey {
      loop.survey = (
        survey,
        {
          file.source.parts.adopt(survey.parts)
          return file.length(task.section)
        }
      )
    }
    loop.run(socket)
    _ = consume memory
  }

  private static func ring(_ layout: RingLayout) throws(WorkerFailure) -> SharedMemory {
    do throws(SystemError) {
      return try SharedMemory(mapping: FileDescriptor(owning: Sandbox.ring), size: layout.totalBytes)
    } catch {
      throw WorkerFailure(.internalError, "The ring cannot be mapped: \(error.description).")
    }
  }

  /// A file whose plugin has been found.
  private struct OpenedFile {
    let media: MediaSource
    let source: SourceDecoder
    let info: StreamInfo
    let rescaling: Rescaling
    /// The resampler; nil if not requested. A load failure is thrown only if the file needs it.
    let library: Result<ResamplingLibrary, WorkerFailure>?
    /// Counts the frames during playback if that takes long; nil if they are known or cannot be counted.
    let survey: FileSurvey?

    /// Whether the file is known to have one rate and channel count throughout.
    var hasOnePart: Bool {
      !source.mayHaveParts || source.parts.isComplete && source.parts.parts.count == 1
    }

    /// Whether the file may change its rate.
    var mayChangeRate: Bool {
      source.mayBeChained || source.mayHaveParts && !source.parts.hasOneRate(rescaling.source)
    }

    /// Length of the file or of a section of it, at the engine's rate; nil until all frames are counted.
    func length(_ section: FileSection?) -> Frames? {
      guard let whole = source.parts.total(at: rescaling.engine).map({ Frames($0) }) else { return nil }
      return section?.length(of: whole, at: SampleRate(Int(rescaling.engine))) ?? whole
    }

    /// Creates a pipeline from the decoder's present format to the engine's rate, which is constant.
    func pipeline(_ quality: ResamplingQuality) throws(WorkerFailure) -> TrackPipeline {
      let rescaling = Rescaling(source: Int64(source.info.sourceRate), engine: rescaling.engine)
      guard !rescaling.isIdentity else { return TrackPipeline(source, nil) }
      guard let library else {
        // A station may change its rate after a reconnect, when the resampler can no longer be loaded.
        throw WorkerFailure(
          .unsupportedFormat,
          media.isFile
            ? "The file continues at \(rescaling.source) Hz, and no resampler was loaded for that."
            : "The station continues at \(rescaling.source) Hz, and no resampler was loaded for that.")
      }
      return TrackPipeline(
        source,
        try Resampler(
          try library.get(), rescaling, channels: min(2, source.info.channels), quality: quality))
    }
  }

  /// Opens the file, loads libraries, enters the sandbox, and finds the plugin for the file.
  ///
  /// - Returns: Nil if the engine was sent a message instead: other plugins are needed, or the stream is a
  ///   playlist.
  private static func open(
    _ task: WorkerArguments, _ socket: borrowing MessageSocket, _ waits: StorageWaits
  ) throws(WorkerFailure) -> OpenedFile? {
    // Opened first, so that no library is loaded for a missing file.
    let media = try source(task, waits)
    let plugins = try load(task)
    var library: Result<ResamplingLibrary, WorkerFailure>?
    if task.equipment.hasResampler {
      do throws(WorkerFailure) {
        library = .success(try ResamplingLibrary())
      } catch {
        library = .failure(error)
      }
    }
    // A stream may be a playlist; only its bytes show that.
    let lists = task.window > 0 ? PlaylistReader(convertsEncodings: false) : nil
    let isSandboxed = try Sandbox.enter(task.limits, hasFetcher: task.window > 0)

    let reader = MediaReader(media, waits: waits)
    if case .stream(let spool) = media, let lists,
      let entries = try StationList.entries(of: reader, spool, at: task.place.path, by: lists)
    {
      for entry in entries { socket.send(WorkerMessage.entry(entry).bytes, waiting: true) }
      socket.send(WorkerMessage.listed(count: UInt32(entries.count)).bytes, waiting: true)
      return nil
    }
    guard let source = try Sniffer(plugins: plugins, isPartial: !task.equipment.hint.isEmpty).open(reader)
    else {
      socket.send(WorkerMessage.needs(.allPlugins).bytes, waiting: true)
      return nil
    }
    let rate = task.rate > 0 ? task.rate : source.info.playableRate.hertz
    let rescaling = Rescaling(source: Int64(source.info.sourceRate), engine: Int64(rate))
    let survey = try survey(of: source, media, waits, isProbe: task.task == .probe)
    var info = source.info
    if source.mayHaveParts {
      let whole = source.parts.total(at: rescaling.engine)
      info.sourceFrames = whole.map {
        source.parts.parts.count == 1
          ? source.parts.parts[0].frames ?? 0
          : Rescaling(source: rescaling.engine, engine: rescaling.source).engineFrames($0)
      }
      // A stream's length is what its header states.
      if whole == nil, case .stream = media { info.sourceFrames = source.info.sourceFrames }
      info.totalFrames = whole.map { Frames($0) }
    }
    info.totalFrames = (info.totalFrames ?? info.sourceFrames.map { Frames(rescaling.engineFrames($0)) }).map
    {
      task.section?.length(of: $0, at: SampleRate(rate)) ?? $0
    }
    if task.section != nil, info.totalFrames == .zero {
      throw WorkerFailure(
        .corrupt, "The file ends before this part of it begins; its cue sheet is another file's.")
    }
    if source.isChainedStation { (info.tags, info.loudness) = (StreamInfo.Tags(), StreamInfo.Loudness()) }
    info.isSandboxed = isSandboxed
    info.bytes = (0...Limits.maxFileBytes).contains(reader.length) ? reader.length : nil
    return OpenedFile(
      media: media, source: source, info: info, rescaling: rescaling, library: library, survey: survey)
  }

  /// Bytes measured before the first frame is published: if the first part's end is known from its header, if
  /// it is not, and when probing.
  private static let measuredAtOnce = 32 << 20
  private static let measuredFirst = 1 << 20
  private static let measuredByProbe = 96 << 20
  /// Time limits for that in nanoseconds, well below the engine's timeout for opening.
  private static let surveyTime: UInt64 = 1_500_000_000
  private static let surveyTimeOfProbe: UInt64 = 2_000_000_000

  /// Finds the parts of a file and their lengths as far as the limits allow.
  ///
  /// - Returns: The survey to continue during playback; nil if it is complete or not possible.
  private static func survey(
    of source: SourceDecoder, _ media: MediaSource, _ waits: StorageWaits, isProbe: Bool
  ) throws(WorkerFailure) -> FileSurvey? {
    guard case .file(let file) = media else {
      _ = try source.measure(bytes: 0)
      return nil
    }
    let deadline = MonotonicClock.now() + (isProbe ? surveyTimeOfProbe : surveyTime)
    let isKnown: Bool?
    do throws(WorkerFailure) {
      isKnown = try source.measure(bytes: FileSurvey.step)
    } catch {
      // The file is unreadable from some point on. Reopens the decoder, so that the frames before can be
      // played.
      source.isMeasurable = false
      source.close()
      try source.seek(to: 0)
      return nil
    }
    guard let isKnown, !source.parts.isComplete else { return nil }
    let survey = FileSurvey(source.plugin, file, source.parts, waits)
    let progress = survey.run(
      bytes: isProbe ? measuredByProbe : isKnown ? measuredAtOnce : measuredFirst, until: deadline)
    source.parts.adopt(survey.parts)
    try source.confineFirstPart()
    if case .running = progress { return survey }
    return nil
  }

  /// Opens the file, or maps the stream's spool.
  private static func source(
    _ task: WorkerArguments, _ waits: StorageWaits
  ) throws(WorkerFailure) -> MediaSource {
    guard task.window > 0 else { return .file(try MediaFile(task.place, waits)) }
    // The ring is mapped by now, so its descriptor number is free.
    guard dup2(Sandbox.givenFetcher, Sandbox.fetcher) == Sandbox.fetcher else {
      throw WorkerFailure(
        .internalError, "The stream's socket is missing: \(SystemError("dup2").description).")
    }
    do throws(SystemError) {
      let spool = try SpoolReader(
        spool: Sandbox.media, capacity: task.window,
        socket: MessageSocket(FileDescriptor(owning: Sandbox.fetcher)))
      spool.onWait = { waits.begin(at: MonotonicClock.now()) }
      spool.onProgress = { waits.end(at: MonotonicClock.now()) }
      return .stream(spool)
    } catch {
      throw WorkerFailure(.internalError, "The stream cannot be mapped: \(error.description).")
    }
  }

  private static func load(_ task: WorkerArguments) throws(WorkerFailure) -> [Plugin] {
    var plugins: [Plugin] = []
    let hint = task.equipment.hint
    if !hint.isEmpty {
      for path in PluginDirectory.paths(task.plugins, name: hint) where access(path, R_OK) == 0 {
        if let plugin = try? Plugin.load(path) { return [plugin] }
      }
      return []
    }
    for path in PluginDirectory.paths(task.plugins) {
      if let plugin = try? Plugin.load(path) { plugins.append(plugin) }
    }
    if plugins.isEmpty {
      let places = PluginDirectory.candidates(task.plugins).joined(separator: ", ")
      throw WorkerFailure(
        .internalError, "No usable codec plugin is installed. Looked in: \(places). See `swiftlet codecs`.")
    }
    return plugins
  }
}

/// Selects the plugin for a file by its content.
struct Sniffer {
  let plugins: [Plugin]
  /// Whether more plugins are installed than loaded.
  let isPartial: Bool

  /// Minimum score for which the plugin loaded for the file's extension is used without trying others.
  static let sure = 50
  /// Number of bytes passed to `probe`.
  static let beginning = 4096

  /// Opens the file with the best plugin. A station's connection that breaks before its first frame is
  /// skipped.
  ///
  /// - Returns: Nil if a plugin that is not loaded may recognise the file.
  func open(_ reader: MediaReader) throws(WorkerFailure) -> SourceDecoder? {
    for _ in 1..<Self.maxLinks {
      do throws(WorkerFailure) {
        return try openLink(reader)
      } catch {
        guard error.kind == .unsupportedFormat || error.kind == .corrupt, reader.isLive, reader.enterLink()
        else { throw error }
      }
    }
    return try openLink(reader)
  }

  /// The error for an unrecognised file. Names the Debian package if the format is known but its plugin is
  /// missing.
  private func missing(_ bytes: [UInt8]) -> String {
    for (plugin, kind, isContent) in [
      ("AAC", "AAC (M4A, M4B, ADTS)", Self.isAAC(bytes)),
      ("WavPack", "WavPack", bytes.starts(with: Array("wvpk".utf8))),
    ] where isContent && !plugins.contains(where: { $0.name == plugin }) {
      let package = MusicKind.debianPackage(ofCodec: plugin)
      return "The codec plugin for \(kind) is not installed: 'sudo apt install \(package)' installs it."
    }
    if let sentence = Self.playlist(bytes) { return sentence }
    return "No codec plugin knows this file's content. `swiftlet codecs` lists the plugins."
  }

  /// The error for the beginning of a playlist, which is no music itself; nil for other content.
  static func playlist(_ bytes: [UInt8]) -> String? {
    let isUTF16 =
      bytes.count >= 4
      && (bytes.starts(with: [0xFF, 0xFE]) && bytes[3] == 0 || bytes.starts(with: [0xFE, 0xFF, 0]))
    // The characters of these words are ASCII, so that UTF-16 has a zero byte beside each.
    let text = (isUTF16 ? bytes.dropFirst(2).filter { $0 != 0 } : bytes).map { $0 | 0x20 }
    let marks = ["#extm3u", "[playlist]", "<?xml", "<playlist", "<asx", "http://", "https://"]
    guard isUTF16 || marks.contains(where: { mark in text.starts(with: mark.utf8.map { $0 | 0x20 }) }) else {
      return nil
    }
    return isUTF16
      ? "This is text in UTF-16, such as a playlist. Save it as UTF-8, or name the address of the stream in it."
      : "This is a playlist or a web page, not music. Name it with the ending of its kind, such as .m3u or .pls, or name an address in it."
  }

  /// Whether bytes begin an MP4 or ADTS file.
  private static func isAAC(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 8 else { return false }
    return bytes[4..<8].elementsEqual("ftyp".utf8) || bytes[0] == 0xFF && bytes[1] & 0xF6 == 0xF0
  }

  /// Maximum number of connections of a station that are opened to find its first frame.
  private static let maxLinks = 4

  private func openLink(_ reader: MediaReader) throws(WorkerFailure) -> SourceDecoder? {
    guard let bytes = reader.beginning(Self.beginning) else {
      throw WorkerFailure(.unreadable, "Reading the file failed: \(SystemError("pread").reason).")
    }
    if bytes.isEmpty { throw WorkerFailure(.corrupt, "The file is empty.") }
    var candidates = plugins.map { (plugin: $0, score: $0.probe(bytes)) }.filter { $0.score > 0 }
    candidates.sort { $0.score > $1.score }
    if isPartial {
      guard let best = candidates.first, best.score >= Self.sure else { return nil }
    }
    var refusal = WorkerFailure(.unsupportedFormat, missing(bytes))
    for candidate in candidates {
      do throws(WorkerFailure) {
        return try SourceDecoder(candidate.plugin, reader)
      } catch {
        guard error.kind == .unsupportedFormat else { throw error }
        if candidate.score == candidates[0].score { refusal = error }
      }
    }
    if isPartial { return nil }
    throw refusal
  }
}
