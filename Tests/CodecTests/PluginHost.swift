// A minimal host for codec plugins: loads the built shared object, gives it an I/O table for bytes in memory,
// and calls it like the worker. Test threads.

import ChildSupport
import CodecPlugin
import Foundation

/// A loaded plugin; it is never unloaded.
struct Plugin: @unchecked Sendable, CustomStringConvertible {
  let table: UnsafePointer<swiftlet_codec>

  static let all: [Plugin] = ShippedCodecs.names.map { Plugin($0) }

  static func named(_ name: String) -> Plugin {
    all.first { $0.name == name } ?? Plugin(name)
  }

  var name: String { String(cString: table.pointee.name) }

  var description: String { name }

  init(_ name: String) {
    let path = Self.buildDirectory.appendingPathComponent(ShippedCodecs.file(name)).path
    guard let library = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
      fatalError("\(path): \(String(cString: dlerror()))")
    }
    guard let symbol = dlsym(library, SWIFTLET_CODEC_ENTRY) else { fatalError("\(path): no entry point") }
    let entry = unsafeBitCast(symbol, to: (@convention(c) () -> UnsafePointer<swiftlet_codec>?).self)
    guard let table = entry() else { fatalError("\(path): no table") }
    self.table = table
  }

  /// The plugins' directory: next to the test executable, or else this package's debug build.
  static let buildDirectory: URL = {
    let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let candidates = [
      executable.deletingLastPathComponent(),
      URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent(),
      package.appendingPathComponent(".build/debug"),
    ]
    return candidates.first {
      FileManager.default.fileExists(atPath: $0.appendingPathComponent("libSwiftletCodecPCM.so").path)
    } ?? candidates[2]
  }()

  func probe(_ bytes: some Sequence<UInt8>) -> Int32 {
    Array(bytes).withUnsafeBufferPointer { table.pointee.probe($0.baseAddress, $0.count) }
  }

  func open(_ bytes: [UInt8], failingAt: Int? = nil, isStream: Bool = false) throws -> Stream {
    try Stream(table, MemoryFile(bytes, failingAt: failingAt, isStream: isStream))
  }

  /// Opens a file whose far reads have a cost.
  func open(_ bytes: [UInt8], farReads: swiftlet_far_reads) throws -> Stream {
    let file = MemoryFile(bytes)
    file.farReads = farReads
    return try Stream(table, file)
  }

  /// The strings of a NULL-terminated list.
  static func strings(_ list: UnsafePointer<UnsafePointer<CChar>?>?) -> [String] {
    guard let list else { return [] }
    var strings: [String] = []
    while let text = list[strings.count] { strings.append(String(cString: text)) }
    return strings
  }
}

/// The error that a plugin returned.
struct PluginError: Error, CustomStringConvertible {
  let status: Int64
  let sentence: String

  var description: String { "\(status): \(sentence)" }
}

/// Bytes behind an I/O table.
final class MemoryFile {
  let bytes: [UInt8]
  /// If set, reads that include this byte fail.
  let failingAt: Int?
  /// Whether it has no length.
  let isStream: Bool
  var position = 0
  var reads = 0
  /// Number of bytes read, and the offset of the first byte after the furthest read.
  var bytesRead = 0
  var furthest = 0
  var farReads = SWIFTLET_FAR_READS_CHEAP

  init(_ bytes: [UInt8], failingAt: Int? = nil, isStream: Bool = false) {
    self.bytes = bytes
    self.failingAt = failingAt
    self.isStream = isStream
  }

  static func from(_ context: UnsafeMutableRawPointer?) -> MemoryFile {
    Unmanaged<MemoryFile>.fromOpaque(context!).takeUnretainedValue()
  }

  var table: swiftlet_io {
    swiftlet_io(
      context: Unmanaged.passUnretained(self).toOpaque(),
      read: { context, buffer, size in
        let file = MemoryFile.from(context)
        file.reads += 1
        let count = min(size, max(0, file.bytes.count - file.position))
        if let failingAt = file.failingAt, file.position + count > failingAt { return -1 }
        file.bytes.withUnsafeBytes { bytes in
          if count > 0 { buffer!.copyMemory(from: bytes.baseAddress! + file.position, byteCount: count) }
        }
        file.position += count
        file.bytesRead += count
        if count > 0 { file.furthest = max(file.furthest, file.position) }
        return Int64(count)
      },
      seek: { context, offset in
        guard offset >= 0 else { return -1 }
        MemoryFile.from(context).position = Int(offset)
        return 0
      },
      tell: { context in Int64(MemoryFile.from(context).position) },
      length: { context in
        let file = MemoryFile.from(context)
        return file.isStream ? -1 : Int64(file.bytes.count)
      },
      far_reads: { context in Int32(MemoryFile.from(context).farReads.rawValue) })
  }
}

/// An open decoder.
final class Stream {
  let info: swiftlet_stream_info
  let file: MemoryFile
  private let table: UnsafePointer<swiftlet_codec>
  private let decoder: OpaquePointer

  init(_ table: UnsafePointer<swiftlet_codec>, _ file: MemoryFile) throws {
    self.table = table
    self.file = file
    var io = file.table
    var info = swiftlet_stream_info()
    var decoder: OpaquePointer?
    var reason = [CChar](repeating: 0x7F, count: 256)
    let status = table.pointee.open(&io, &decoder, &info, &reason, reason.count)
    guard status == 0, let decoder else {
      throw PluginError(status: Int64(status), sentence: reason.withUnsafeBufferPointer { text($0) })
    }
    self.decoder = decoder
    self.info = info
  }

  deinit { table.pointee.close(decoder) }

  var channels: Int { Int(info.channels) }

  /// Frames of the track; nil if the plugin does not report them.
  var totalFrames: Int64? { info.total_frames == .min ? nil : info.total_frames }

  var format: String { withUnsafeBytes(of: info.format) { text($0.bindMemory(to: CChar.self)) } }
  var title: String { withUnsafeBytes(of: info.title) { text($0.bindMemory(to: CChar.self)) } }
  var artist: String { withUnsafeBytes(of: info.artist) { text($0.bindMemory(to: CChar.self)) } }
  var album: String { withUnsafeBytes(of: info.album) { text($0.bindMemory(to: CChar.self)) } }
  var albumArtist: String { withUnsafeBytes(of: info.album_artist) { text($0.bindMemory(to: CChar.self)) } }

  var genre: String { withUnsafeBytes(of: info.genre) { text($0.bindMemory(to: CChar.self)) } }
  var date: String { withUnsafeBytes(of: info.date) { text($0.bindMemory(to: CChar.self)) } }

  /// Decodes up to `frames` frames.
  func decode(_ frames: Int) throws -> [Float] {
    var samples = [Float](repeating: .nan, count: frames * channels)
    let got = table.pointee.decode(decoder, &samples, frames)
    guard got >= 0 else { throw PluginError(status: got, sentence: lastError) }
    precondition(got <= frames)
    samples.removeLast((frames - Int(got)) * channels)
    return samples
  }

  /// Decodes to the end in portions of uneven sizes; at most `limit` frames.
  func decodeAll(portions: [Int] = [1024, 7, 4096, 333], limit: Int = 10_000_000) throws -> [Float] {
    var samples: [Float] = []
    var turn = 0
    while samples.count < limit * channels {
      let portion = try decode(portions[turn % portions.count])
      if portion.isEmpty { break }
      samples += portion
      turn += 1
    }
    return samples
  }

  func seek(to frame: Int64) throws {
    let status = table.pointee.seek(decoder, frame)
    guard status == 0 else { throw PluginError(status: Int64(status), sentence: lastError) }
  }

  /// The plugin's knowledge of the stream's end after reading about `bytes` more bytes; nil if it cannot
  /// determine it.
  func measure(_ bytes: Int) -> (isKnown: Bool, frames: Int64, next: Int64)? {
    var extent = swiftlet_extent()
    guard let measure = table.pointee.measure else { return nil }
    let status = measure(decoder, bytes, &extent)
    return status < 0 ? nil : (status == 1, extent.frames, extent.next)
  }

  /// Multi-valued tags and chapters reported by the plugin.
  func details() -> ReportedDetails {
    let reported = ReportedDetails()
    guard let describe = table.pointee.describe else { return reported }
    var sink = swiftlet_details(
      context: Unmanaged.passUnretained(reported).toOpaque(),
      value: { context, tag, text, size in
        let reported = Unmanaged<ReportedDetails>.fromOpaque(context!).takeUnretainedValue()
        reported.values[tag, default: []].append(reportedText(text, size))
        return 0
      },
      chapter: { context, start, end, title, size in
        let reported = Unmanaged<ReportedDetails>.fromOpaque(context!).takeUnretainedValue()
        reported.chapters.append(
          ReportedChapter(start: start, end: end == .min ? nil : end, title: reportedText(title, size)))
        return 0
      })
    withExtendedLifetime(reported) { _ = describe(decoder, &sink) }
    return reported
  }

  var lastError: String { String(cString: table.pointee.last_error(decoder)!) }
}

/// A C string in a fixed field; a missing NUL or invalid UTF-8 is a bug of the plugin.
func text(_ field: UnsafeBufferPointer<CChar>) -> String {
  guard let end = field.firstIndex(of: 0) else { fatalError("a text field without an end") }
  guard let text = String(validating: field[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self) else {
    fatalError("a text field that is not UTF-8")
  }
  return text
}

/// The details that a plugin reported in `describe`.
final class ReportedDetails {
  /// By tag number.
  var values: [UInt32: [String]] = [:]
  var chapters: [ReportedChapter] = []
}

struct ReportedChapter: Equatable {
  var start: Int64
  var end: Int64?
  var title: String
}

/// A reported text; invalid UTF-8 or more bytes than fit a field are a bug of the plugin.
private func reportedText(_ text: UnsafePointer<CChar>?, _ size: Int) -> String {
  let bytes = UnsafeRawBufferPointer(start: text, count: text == nil ? 0 : size)
  precondition(size < Int(SWIFTLET_TEXT_SIZE), "a text longer than a field")
  guard let text = String(validating: bytes, as: UTF8.self) else { fatalError("a text that is not UTF-8") }
  return text
}
