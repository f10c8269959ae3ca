// Messages from a worker to the engine, and their wire format. The engine treats them as untrusted input. Any
// thread.

import AudioRing
import PlaybackModel
import Platform
import Playlists

/// A message from a worker to the engine.
enum WorkerMessage: Equatable {
  /// The file was recognised. First message of a decoding worker.
  case opened(StreamInfo)
  /// Enough frames to start are in the ring: frame `position` of the track is at ring index `index`.
  case ready(index: UInt64, position: Int64)
  /// Enough frames are in the ring after seek `generation`: frame `position` of the track is at ring index
  /// `index`.
  case seeked(generation: UInt32, index: UInt64, position: Int64)
  /// The track ends before ring index `index`; it has `total` frames at the engine's rate.
  case ended(generation: UInt32, index: UInt64, total: Int64)
  /// Decoding has failed. The last message of a worker.
  case failed(WorkerFailure)
  /// The worker lacks a library that the file needs, and exits. A replacement may decode it.
  case needs(WorkerNeed)
  /// The sandbox refused a system call; the worker exits.
  case violated(systemCall: UInt32)
  /// One entry of a playlist, in order.
  case entry(PlaylistEntry)
  /// The end of a playlist. `count` is the number of its entries, which exceeds those sent if the playlist
  /// was cut.
  case listed(count: UInt32)
  /// The description of a plugin, from a worker that lists it.
  case plugin(PluginDescription)
  /// Answer to `mark`: the audio of the stream's byte `offset` begins at ring index `index`.
  case passed(offset: UInt64, index: UInt64)
  /// The stream's own tags give the audio from ring index `index` on this title; empty if they give none.
  case named(index: UInt64, String)
  /// A discontinuity at ring index `index`: the station's stream was joined again.
  case seam(index: UInt64)
  /// A live source has fallen silent; its next audio begins at ring index `index` or later.
  case silent(index: UInt64)
  /// The track's length, `total` frames at the engine's rate, measured during decoding.
  case measured(total: Int64)
  /// One chapter of the file; sent by probing workers only, before `opened`.
  case chapter(StreamInfo.Chapter)

  var bytes: [UInt8] {
    var packet = PacketWriter()
    switch self {
    case .opened(let info):
      packet.put(1 as UInt32)
      packet.put(info)
    case .ready(let index, let position):
      packet.put(2 as UInt32)
      packet.put(index)
      packet.put(position)
    case .seeked(let generation, let index, let position):
      packet.put(3 as UInt32)
      packet.put(generation)
      packet.put(index)
      packet.put(position)
    case .ended(let generation, let index, let total):
      packet.put(4 as UInt32)
      packet.put(generation)
      packet.put(index)
      packet.put(total)
    case .failed(let failure):
      packet.put(5 as UInt32)
      packet.put(failure.kind.rawValue)
      packet.put(failure.sentence, size: Limits.sentence)
    case .needs(let need):
      packet.put(6 as UInt32)
      packet.put(need.rawValue)
    case .violated(let systemCall):
      packet.put(7 as UInt32)
      packet.put(systemCall)
    case .plugin(let plugin):
      packet.put(8 as UInt32)
      packet.put(plugin.name, size: Limits.text)
      packet.put(plugin.version, size: Limits.text)
      packet.put(plugin.extensions, size: Limits.text)
      packet.put(plugin.mimeTypes, size: Limits.sentence)
    case .entry(let entry):
      packet.put(9 as UInt32)
      packet.put(entry)
    case .listed(let count):
      packet.put(10 as UInt32)
      packet.put(count)
    case .passed(let offset, let index):
      packet.put(11 as UInt32)
      packet.put(offset)
      packet.put(index)
    case .named(let index, let title):
      packet.put(12 as UInt32)
      packet.put(index)
      packet.put(title, size: Limits.text)
    case .seam(let index):
      packet.put(13 as UInt32)
      packet.put(index)
    case .silent(let index):
      packet.put(14 as UInt32)
      packet.put(index)
    case .measured(let total):
      packet.put(15 as UInt32)
      packet.put(total)
    case .chapter(let chapter):
      packet.put(16 as UInt32)
      packet.put(chapter)
    }
    return packet.bytes
  }

  /// Parses a message; nil unless `bytes` are exactly one valid message.
  init?(_ bytes: ArraySlice<UInt8>) {
    var packet = PacketReader(bytes)
    guard let tag = packet.uint32(), let message = Self.body(tag, &packet), packet.isAtEnd else { return nil }
    self = message
  }

  private static func body(_ tag: UInt32, _ packet: inout PacketReader) -> WorkerMessage? {
    switch tag {
    case 1:
      guard let info = packet.streamInfo() else { return nil }
      return .opened(info)
    case 2:
      guard let index = packet.uint64(), let position = packet.int64() else { return nil }
      return .ready(index: index, position: position)
    case 3:
      guard let generation = packet.uint32(), let index = packet.uint64(), let position = packet.int64()
      else { return nil }
      return .seeked(generation: generation, index: index, position: position)
    case 4:
      guard let generation = packet.uint32(), let index = packet.uint64(), let total = packet.int64()
      else { return nil }
      return .ended(generation: generation, index: index, total: total)
    case 5:
      guard let raw = packet.uint32(), let kind = WorkerFailure.Kind(rawValue: raw),
        let sentence = packet.text(size: Limits.sentence)
      else { return nil }
      return .failed(WorkerFailure(kind, sentence))
    case 6: return packet.uint32().flatMap { WorkerNeed(rawValue: $0) }.map { .needs($0) }
    case 7: return packet.uint32().map { .violated(systemCall: $0) }
    case 8:
      guard let name = packet.text(size: Limits.text), let version = packet.text(size: Limits.text),
        let extensions = packet.text(size: Limits.text), let types = packet.text(size: Limits.sentence)
      else { return nil }
      return .plugin(
        PluginDescription(name: name, version: version, extensions: extensions, mimeTypes: types))
    case 9: return packet.playlistEntry().map { .entry($0) }
    case 10: return packet.uint32().map { .listed(count: $0) }
    case 11:
      guard let offset = packet.uint64(), let index = packet.uint64() else { return nil }
      return .passed(offset: offset, index: index)
    case 12:
      guard let index = packet.uint64(), let title = packet.text(size: Limits.text) else { return nil }
      return .named(index: index, title)
    case 13: return packet.uint64().map { .seam(index: $0) }
    case 14: return packet.uint64().map { .silent(index: $0) }
    case 15: return packet.int64().map { .measured(total: $0) }
    case 16: return packet.chapter().map { .chapter($0) }
    default: return nil
    }
  }
}

/// A codec plugin as listed by `swiftlet codecs`. Texts are sanitised.
package struct PluginDescription: Hashable, Sendable {
  /// The plugin's name.
  package var name: String
  /// The plugin's version, often that of the library that it wraps.
  package var version: String
  /// File name extensions, separated by spaces.
  package var extensions: String
  /// MIME types, separated by spaces.
  package var mimeTypes: String
}

extension PacketWriter {
  /// The encoding of an unknown length, as in the plugin ABI.
  private static var unknown: Int64 { .min }

  mutating func put(_ info: StreamInfo) {
    put(UInt32(info.sourceRate))
    put(UInt32(info.channels))
    put(UInt32(info.bits))
    put(info.isFloat)
    put(info.ringSamples.areIntegers)
    put(info.holdsSheet)
    put(info.sourceFrames ?? Self.unknown)
    put(info.totalFrames?.count ?? Self.unknown)
    put(info.bytes ?? Self.unknown)
    put(info.canSeek)
    put(info.isSandboxed)
    put(UInt32(info.tags.trackNumber ?? 0))
    put(UInt32(info.tags.discNumber ?? 0))
    put(info.loudness.trackGain ?? .nan)
    put(info.loudness.albumGain ?? .nan)
    put(info.loudness.trackPeak ?? .nan)
    put(info.loudness.albumPeak ?? .nan)
    put(info.format, size: Limits.text)
    put(info.codec, size: Limits.text)
    put(valuesOf: info.tags)
  }
}

extension PacketReader {
  /// Reads a stream description; nil unless all of its fields are plausible.
  mutating func streamInfo() -> StreamInfo? {
    guard let rate = uint32(), let channels = uint32(), let bits = uint32(), let isFloat = bool(),
      let areIntegers = bool(), let holdsSheet = bool(),
      let sourceFrames = int64(), let totalFrames = int64(), let bytes = int64(), let canSeek = bool(),
      let isSandboxed = bool(), let trackNumber = uint32(), let discNumber = uint32(),
      let trackGain = float(),
      let albumGain = float(), let trackPeak = float(), let albumPeak = float(),
      let format = text(size: Limits.text), let codec = text(size: Limits.text),
      // On 32-bit systems `Int` does not hold every UInt32.
      let rate = Int(exactly: rate), let channels = Int(exactly: channels), let bits = Int(exactly: bits),
      let trackNumber = Int(exactly: trackNumber), let discNumber = Int(exactly: discNumber),
      var tags = textTags()
    else { return nil }
    tags.trackNumber = trackNumber == 0 ? nil : trackNumber
    tags.discNumber = discNumber == 0 ? nil : discNumber
    var loudness = StreamInfo.Loudness()
    loudness.trackGain = trackGain.isNaN ? nil : trackGain
    loudness.albumGain = albumGain.isNaN ? nil : albumGain
    loudness.trackPeak = trackPeak.isNaN ? nil : trackPeak
    loudness.albumPeak = albumPeak.isNaN ? nil : albumPeak
    var info = StreamInfo(
      sourceRate: rate, channels: channels, bits: bits, isFloat: isFloat,
      sourceFrames: sourceFrames == .min ? nil : sourceFrames,
      totalFrames: totalFrames == .min ? nil : Frames(totalFrames),
      canSeek: canSeek, isSandboxed: isSandboxed, format: format, codec: codec, tags: tags,
      loudness: loudness, bytes: bytes == .min ? nil : bytes)
    info.ringSamples = areIntegers ? .integers : .floats
    info.holdsSheet = holdsSheet
    return info.isPlausible ? info : nil
  }
}
