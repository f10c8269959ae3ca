// Counts the frames and finds the parts of a file whose header gives no length, while another decoder plays
// it. Worker process, one thread; runs between two blocks of audio, in bounded steps.

import AudioRing
import CodecPlugin
import Platform

/// A second decoder on the file that only measures.
final class FileSurvey {
  /// The result of a step.
  enum Progress { case running, done, failed }

  /// Bytes measured in one step.
  static let step = 256 << 10

  /// Maximum number of parts opened in one `run`, within the engine's timeout for opening.
  private static let maxPartsAtOnce = 64

  private let plugin: Plugin
  private let reader: MediaReader
  private let io: UnsafeMutablePointer<swiftlet_io>
  private var decoder: OpaquePointer?
  private var index: Int
  /// The known parts of the file.
  private(set) var parts: FileParts

  /// Number of steps, and its limit for the file.
  private var pieces: Int64 = 0
  private let maxPieces: Int64

  /// Starts with the first part of unknown length.
  ///
  /// - Parameters:
  ///   - plugin: The codec plugin of the file.
  ///   - file: The file.
  ///   - parts: The parts known so far.
  ///   - waits: Reports that the worker waits for storage.
  init(_ plugin: Plugin, _ file: MediaFile, _ parts: FileParts, _ waits: StorageWaits?) {
    self.plugin = plugin
    self.parts = parts
    // Allows for two steps more for each part: one to find its end, and a step cut short by the next part.
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

  /// Measures until all parts are known or a limit is reached.
  ///
  /// - Parameters:
  ///   - limit: About how many bytes to read.
  ///   - deadline: Nanoseconds of `MonotonicClock`.
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

  /// Measures about `bytes` bytes.
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

  /// Opens a decoder on the next part. The file ends here if the plugin does not recognise it.
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
