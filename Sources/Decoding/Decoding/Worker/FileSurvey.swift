// Counts the frames of a file whose header does not, and finds its parts, beside the decoder that plays it. Worker process, one thread;
// between two blocks of sound, a bounded piece at a time.

import AudioRing
import CodecPlugin
import Platform

/// A second decoder on a file, which only measures.
final class FileSurvey {
  /// What a piece of work comes to.
  enum Progress { case running, done, failed }

  /// Bytes that are measured between two looks at the engine's messages.
  static let step = 256 << 10

  /// Parts that are opened before the engine waits no longer.
  private static let maxPartsAtOnce = 64

  private let plugin: Plugin
  private let reader: MediaReader
  private let io: UnsafeMutablePointer<swiftlet_io>
  private var decoder: OpaquePointer?
  private var index: Int
  /// What is known of the file.
  private(set) var parts: FileParts

  /// Pieces that were measured, and the bound of them for a file.
  private var pieces: Int64 = 0
  private let maxPieces: Int64

  /// Begins with the first part that is not counted.
  ///
  /// - Parameter waits: Where to note that the storage is asked.
  init(_ plugin: Plugin, _ file: MediaFile, _ parts: FileParts, _ waits: StorageWaits?) {
    self.plugin = plugin
    self.parts = parts
    // One to judge each part by its end, and one that is cut short by the next part.
    maxPieces = file.length / Int64(Self.step) + 2 * Int64(FileParts.limit)
    reader = MediaReader(.file(file), waits: waits)
    io = .allocate(capacity: 1)
    io.initialize(to: reader.table)
    index = parts.parts.firstIndex { $0.frames == nil } ?? parts.parts.count - 1
  }

  deinit {
    close()
    io.deallocate()
  }

  private func close() {
    if let decoder { plugin.table.pointee.close(decoder) }
    decoder = nil
  }

  /// Works until everything is known, about `limit` bytes were read, or `deadline` has passed, a time of `MonotonicClock`.
  func run(bytes limit: Int, until deadline: UInt64) -> Progress {
    var done = 0
    var parts = 0
    while true {
      let isOpening = decoder == nil
      let progress = work(bytes: Self.step)
      if isOpening { parts += 1 } else { done += Self.step }
      guard case .running = progress, done < limit, parts <= Self.maxPartsAtOnce,
        MonotonicClock.now() < deadline
      else { return progress }
    }
  }

  /// Reads about `bytes` bytes on.
  func work(bytes: Int) -> Progress {
    guard let decoder else { return begin() }
    pieces += 1
    guard pieces <= maxPieces else { return .failed }
    var extent = swiftlet_extent()
    let status = plugin.measure(decoder, bytes: bytes, &extent)
    if status == 0 { return .running }
    close()
    guard status == 1, !reader.hasFailed else { return .failed }
    let next = extent.next > 0 ? parts.parts[index].base + extent.next : nil
    parts.note(frames: extent.frames, next: next, of: index)
    index += 1
    return index < parts.parts.count ? .running : .done
  }

  /// Opens a decoder on the part. Where the plugin does not play it, the file has no more.
  private func begin() -> Progress {
    reader.enterPart(at: parts.parts[index].base, to: nil)
    do throws(WorkerFailure) {
      let (opened, info) = try SourceDecoder.opened(plugin, io)
      decoder = opened
      parts.note(rate: info.sourceRate, of: index)
      return .running
    } catch {
      guard !SourceDecoder.isBroken(error) else { return .failed }
      parts.cut(at: index)
      return .done
    }
  }
}
