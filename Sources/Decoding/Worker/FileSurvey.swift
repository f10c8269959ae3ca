// Counts the frames of a file whose header does not, and finds its parts, beside the decoder that plays it. Worker process, one thread;
// between two blocks of sound, a bounded piece at a time.

import CodecPlugin

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

  /// Begins with the first part that is not counted.
  init(_ plugin: Plugin, _ file: MediaFile, _ parts: FileParts) {
    self.plugin = plugin
    self.parts = parts
    reader = MediaReader(.file(file))
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

  /// Works until everything is known, or about so many bytes were read.
  func run(bytes limit: Int) -> Progress {
    var done = 0
    var parts = 0
    while true {
      let isOpening = decoder == nil
      let progress = work(bytes: Self.step)
      if isOpening { parts += 1 } else { done += Self.step }
      guard case .running = progress, done < limit, parts <= Self.maxPartsAtOnce else { return progress }
    }
  }

  /// Reads about so many bytes on.
  func work(bytes: Int) -> Progress {
    guard let decoder else { return begin() ? .running : .done }
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

  /// Opens a decoder on the part; false where the plugin does not play it: then the file has no more.
  private func begin() -> Bool {
    reader.enterPart(at: parts.parts[index].base, to: nil)
    do throws(WorkerFailure) {
      let (opened, info) = try SourceDecoder.opened(plugin, io)
      decoder = opened
      parts.note(rate: info.sourceRate, of: index)
      return true
    } catch {
      parts.cut(at: index)
      return false
    }
  }
}
