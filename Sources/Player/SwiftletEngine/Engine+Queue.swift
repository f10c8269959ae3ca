// The queue and the queries of `Engine`: adding and removing tracks, current state, file inspection. The engine's
// thread.

import Decoding
import Media
import Platform
import PlaybackModel
import Player
import RealtimeAudio
import Synchronization

extension Engine {
  /// Adds a file, a folder or a playlist to the end of the queue: all of its tracks, or none.
  ///
  /// A folder adds the media files below it in natural order, a playlist (m3u, m3u8, pls, xspf, cue) its entries. If
  /// nothing is loaded, the first track is cued (``EngineState/ready``). Blocks on storage, and up to 5 s on the
  /// process that reads a playlist.
  ///
  /// ```swift
  /// let count = try engine.add("Music/Album")
  /// ```
  ///
  /// - Parameter path: Absolute, or relative to the working directory. A file is tried whatever its extension; in
  ///   folders, extensions decide.
  /// - Returns: The number of tracks added; 0 for a folder without music.
  /// - Throws: ``EngineError/Kind/media`` if the folder or playlist cannot be read, ``EngineError/Kind/queueFull``,
  ///   ``EngineError/Kind/ended``. A missing file is not an error here: it is reported as
  ///   ``EngineEvent/Kind/error(_:)`` when the track is due.
  @discardableResult
  public func add(_ path: String) throws(EngineError) -> Int {
    try requireLife()
    let tracks: [Track]
    do throws(PlaybackError) {
      tracks = try MediaList.expand(path, executable: options.worker ?? Executable.own).tracks
    } catch {
      throw EngineError(error)
    }
    try change { (queue) throws(QueueError) in try queue.add(tracks) }
    player.cueIfIdle()
    settle()
    return tracks.count
  }

  /// Removes a track from the queue.
  ///
  /// If it is playing, the next track replaces it with the fade of a skip; after the last track the music stops. If
  /// it is paused, the next track is cued.
  ///
  /// - Parameter id: The track's ``EngineTrack/id``.
  /// - Throws: ``EngineError/Kind/command`` if the queue does not hold the track, ``EngineError/Kind/ended``.
  public func remove(_ id: UInt64) throws(EngineError) {
    try change { (queue) throws(QueueError) in try queue.remove(id) }
  }

  /// Empties the queue. Playing music stops with the ramp of a stop. Does nothing after ``end()``.
  public func removeAll() {
    guard !hasEnded else { return }
    player.queue.clear()
    settle()
  }

  private func change(_ body: (inout PlayQueue) throws(QueueError) -> Void) throws(EngineError) {
    try requireLife()
    do throws(QueueError) {
      try body(&player.queue)
    } catch {
      if case .full = error { throw EngineError(.queueFull, error.sentence) }
      throw EngineError(.command, error.sentence)
    }
    settle()
  }

  // MARK: Queries

  /// The queue's tracks in the order in which they were added.
  public var queue: [EngineTrack] { player.queue.tracks.map(describe) }

  /// The present state.
  public var state: EngineState { EngineState(player.machine.state.kind) }

  /// The current track; in a crossfade the incoming one. Nil if none is loaded.
  public var track: EngineTrack? { player.machine.state.heardTrack.map(describe) }

  /// The position in ``track`` in seconds. Exact to the frame at rest, to a few milliseconds while playing.
  public var position: Double { seconds(player.position) }

  /// Progress of a crossfade, 0 to 1; nil if none is running or held.
  public var fadeProgress: Double? {
    player.fadeProgress.map { $0.length.count > 0 ? Double($0.index.count) / Double($0.length.count) : 1 }
  }

  /// The volume in percent, 0 to 100.
  public var volume: Double { Double(player.volume.percent) }

  /// The number of output underruns so far.
  public var underruns: Int { Int(host.link.counters.underruns.load(ordering: .relaxed)) }

  func describe(_ track: Track) -> EngineTrack { EngineTrack(track, rate: player.machine.settings.rate) }
  func seconds(_ frames: Frames) -> Double { player.machine.settings.rate.seconds(frames).value }

  /// Reads a file's format and tags in a sandboxed worker process. Blocks on storage, and up to 4 s on the process.
  ///
  /// ```swift
  /// let media = try Engine.inspect("Music/song.flac")
  /// print(media.format, media.rate, media.title)
  /// ```
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - options: The codec folders and the worker program; other options are ignored.
  /// - Returns: The file's format, length and tags.
  /// - Throws: ``EngineError/Kind/media`` with the reason if the file cannot be played.
  public static func inspect(
    _ path: String, options: EngineOptions = EngineOptions()
  ) throws(EngineError) -> MediaDescription {
    do throws(WorkerFailure) {
      return MediaDescription(try Inspection.probe(path) { options.adjust(&$0) })
    } catch {
      throw EngineError(PlaybackError(error, path: path))
    }
  }
}

extension EngineOptions {
  /// Sets the worker program and codec folders of a request.
  func adjust(_ request: inout WorkerRequest) {
    if let worker { request.executable = worker }
    if !codecs.isEmpty { request.plugins = codecs.joined(separator: ":") }
  }
}
