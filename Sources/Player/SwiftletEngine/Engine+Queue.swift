// What an engine plays, and what can be known of it. The engine's thread.

import Decoding
import Media
import Platform
import PlaybackModel
import Player
import RealtimeAudio
import Synchronization

extension Engine {
  /// Adds a file, a folder or a playlist at the end of the queue, all of it or nothing. Where nothing is loaded, the queue's first
  /// track is cued: ``EngineState/ready``. A folder stands for the media files below it in natural order,
  /// a playlist (m3u, m3u8, pls, xspf, cue) for its entries. Waits for storage, and up to 5 s for the process that reads a playlist.
  ///
  /// - Parameter path: Absolute, or from the working folder. A file that is named itself is tried whatever its name; in folders,
  ///   names decide.
  /// - Returns: How many tracks were added: 0 for a folder without music.
  /// - Throws: `media` where the folder or playlist cannot be read, `queueFull`. That a file is missing shows when its turn comes,
  ///   as ``EngineEvent/Kind/error(_:)``.
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

  /// Takes a track out of the queue. If it is heard, the next one plays, with the fade of a skip; behind the last one the music
  /// stops. If it is paused, the next one is cued.
  ///
  /// - Parameter id: ``EngineTrack/id``.
  /// - Throws: `command` where the queue holds no such track.
  public func remove(_ id: UInt64) throws(EngineError) {
    try change { (queue) throws(QueueError) in try queue.remove(id) }
  }

  /// Empties the queue. Music stops, over the ramp of a stop.
  public func removeAll() {
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

  // MARK: Asking

  /// The tracks, in the order in which they were added.
  public var queue: [EngineTrack] { player.queue.tracks.map(describe) }

  /// What the engine is doing.
  public var state: EngineState { EngineState(player.machine.state.kind) }

  /// The track that is heard or would be; in a crossfade the one that comes. Nil where there is none.
  public var track: EngineTrack? { player.machine.state.heardTrack.map(describe) }

  /// Where ``track`` is, in seconds from its beginning: to the frame at rest, to a few milliseconds while it plays.
  public var position: Double { seconds(player.position) }

  /// How far a crossfade has come, 0 to 1; nil where none runs or waits.
  public var fadeProgress: Double? {
    player.fadeProgress.map { $0.length.count > 0 ? Double($0.index.count) / Double($0.length.count) : 1 }
  }

  /// The volume in percent, 0 to 100.
  public var volume: Double { Double(player.volume.percent) }

  /// How often the output ran dry.
  public var underruns: Int { Int(host.link.counters.underruns.load(ordering: .relaxed)) }

  func describe(_ track: Track) -> EngineTrack { EngineTrack(track, rate: player.machine.settings.rate) }
  func seconds(_ frames: Frames) -> Double { player.machine.settings.rate.seconds(frames).value }

  /// What a file is, from within a sandboxed process. Waits for storage, and for the process up to 4 s.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - options: Where codecs and the program that decodes are.
  /// - Throws: `media` where it cannot be played, with the reason.
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
  /// What they mean for a process that decodes.
  func adjust(_ request: inout WorkerRequest) {
    if let worker { request.executable = worker }
    if !codecs.isEmpty { request.plugins = codecs.joined(separator: ":") }
  }
}
