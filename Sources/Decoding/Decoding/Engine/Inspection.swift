// Blocking queries to worker processes, for command-line tools and threads that may block. Not for the
// engine's own threads.

import AudioRing
import CLinux
import Platform
import PlaybackModel
import Playlists

/// Examines files and plugins in worker processes. Every call blocks, for seconds at worst.
package enum Inspection {
  /// Determines the format and tags of a file.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - rate: The rate for `totalFrames`.
  ///   - adjusting: Modifies the request before the worker starts.
  /// - Throws: The worker's failure, also if the file cannot be opened.
  package static func probe(
    _ path: String, rate: SampleRate = SampleRate(48_000),
    adjusting: (inout WorkerRequest) -> Void = { _ in }
  ) throws(WorkerFailure) -> StreamInfo {
    var request = WorkerRequest(path: path, rate: rate)
    adjusting(&request)
    return try probe(request)
  }

  /// Determines the format and tags of a file in the media folders.
  package static func probe(_ place: MediaPlace) throws(WorkerFailure) -> StreamInfo {
    try probe(WorkerRequest(place, rate: SampleRate(48_000)))
  }

  private static func probe(_ request: WorkerRequest) throws(WorkerFailure) -> StreamInfo {
    var request = request
    request.layout = RingLayout(capacity: 4096)
    request.isProbe = true
    let worker = try CodecWorker(request, now: MonotonicClock.now())
    while true {
      for event in worker.takeEvents(now: MonotonicClock.now()) {
        switch event {
        case .opened(let info): return info
        case .failed(let failure): throw failure
        default: break
        }
      }
      var entry = pollfd(fd: worker.descriptor, events: Int16(POLLIN), revents: 0)
      poll(&entry, 1, 100)
    }
  }

  /// A shared object in a plugin directory.
  package struct Plugin: Sendable {
    /// The path of the shared object.
    package let path: String
    /// The plugin's description; nil if it cannot be used.
    package let description: PluginDescription?
    /// Why it cannot be used, as a sentence; empty if it can.
    package let refusal: String
  }

  /// Paths of the plugins that workers load, from SWIFTLET_CODECS or the default folders.
  package static var pluginFiles: [String] {
    PluginDirectory.paths(Environment.value("SWIFTLET_CODECS") ?? "")
  }

  /// Examines all plugins of a directory, each in a process of its own.
  ///
  /// - Parameters:
  ///   - directory: The folder; empty for the first default folder that has plugins.
  ///   - executable: The program with the hidden subcommand `worker`.
  /// - Returns: The plugins by name.
  package static func plugins(
    in directory: String = "", executable: String = Executable.own
  ) -> [Plugin] {
    PluginDirectory.paths(directory).map { path in
      do throws(WorkerFailure) {
        return Plugin(path: path, description: try describe(path, executable), refusal: "")
      } catch {
        return Plugin(path: path, description: nil, refusal: error.sentence)
      }
    }
  }

  private static func describe(
    _ path: String, _ executable: String
  ) throws(WorkerFailure) -> PluginDescription {
    var answer: PluginDescription?
    try converse(startedBy: { () throws(SystemError) in
      try StartedWorker(listing: path, executable: executable)
    }) { message in
      if case .plugin(let description) = message { answer = description }
      return answer != nil
    }
    guard let answer else {
      throw WorkerFailure(.decoderCrashed, "The plugin's process sent no description.")
    }
    return answer
  }

  /// Reads a playlist or cue sheet.
  ///
  /// - Parameters:
  ///   - path: The file: M3U, PLS, XSPF or a cue sheet.
  ///   - roots: The folders that may be read.
  ///   - executable: The program with the hidden subcommand `worker`.
  /// - Returns: The entries as written: relative or absolute paths, or URIs.
  /// - Throws: The worker's failure, also if the file cannot be opened.
  package static func playlist(
    _ path: String, within roots: MediaRoots = .everywhere, executable: String = Executable.own
  ) throws(WorkerFailure) -> PlaylistContents {
    guard let place = roots.place(of: path) else { throw .outsideRoots }
    if let refusal = place.refusal { throw refusal }
    var entries: [PlaylistEntry] = []
    var isCut = false
    try converse(startedBy: { () throws(SystemError) in
      try StartedWorker(reading: place, executable: executable)
    }) { message in
      guard case .entry(let entry) = message, entries.count < PlaylistContents.maxCount else {
        if case .listed(let count) = message { isCut = count > entries.count }
        return true
      }
      entries.append(entry)
      return false
    }
    return PlaylistContents(entries, isCut: isCut)
  }

  /// Receives a worker's messages until `isDone` returns true, for at most five seconds.
  private static func converse(
    startedBy start: () throws(SystemError) -> StartedWorker, isDone: (WorkerMessage) -> Bool
  ) throws(WorkerFailure) {
    let worker: StartedWorker
    do throws(SystemError) {
      worker = try start()
    } catch {
      throw WorkerFailure(.internalError, "No process can be started: \(error.description).")
    }
    var buffer = [UInt8](repeating: 0, count: MessageSocket.limit)
    let deadline = MonotonicClock.now() + 5_000_000_000
    while MonotonicClock.now() < deadline {
      _ = worker.socket.wait(milliseconds: 100)
      switch worker.socket.receive(into: &buffer) {
      case .nothing: continue
      case .message(let count):
        switch WorkerMessage(buffer[..<count]) {
        case .failed(let failure)?: throw failure
        case let message?: if isDone(message) { return }
        case nil: throw WorkerFailure(.decoderCrashed, "The worker process sent an invalid message.")
        }
      case .tooLong, .closed:
        while MonotonicClock.now() < deadline {
          if let ending = worker.process.reap() { throw failure(for: ending, violation: nil, memory: 0) }
          poll(nil, 0, 1)
        }
      }
    }
    throw WorkerFailure(.decoderHung, "The worker process did not finish within 5 s.")
  }
}
