// Converts a plugin's frames to stereo at the engine's rate. Worker process only, one thread.

import PlaybackModel

/// Produces a track's frames at the engine's rate, starting at any position.
///
/// If rate and channels already match, the plugin writes to the destination directly and unchanged.
final class TrackPipeline {
  private static let chunk = 4096

  private let source: SourceDecoder
  private let rescaling: Rescaling
  private let map: ChannelMap
  private let resampler: Resampler?
  /// Frames from the plugin, if they need mixing.
  private let raw: UnsafeMutablePointer<Float>
  /// The resampler's input, mono or stereo: `pending` frames from `pendingStart` are not consumed yet.
  private let input: UnsafeMutablePointer<Float>
  private let output: UnsafeMutablePointer<Float>
  private var pendingStart = 0
  private var pending = 0
  /// Length of the track at the engine's rate, once its end was decoded.
  private(set) var total: Int64?
  /// The engine frame that the next `produce` starts with.
  private(set) var position: Int64 = 0

  /// Creates a pipeline that starts at the track's beginning.
  ///
  /// - Parameters:
  ///   - source: The decoder.
  ///   - resampler: Converts to the engine's rate; nil to keep the file's rate.
  init(_ source: SourceDecoder, _ resampler: Resampler?) {
    let info = source.info
    self.source = source
    self.resampler = resampler
    let rate = Int64(info.sourceRate)
    rescaling = resampler?.rescaling ?? Rescaling(source: rate, engine: rate)
    map = ChannelMap(channels: info.channels)
    raw = .allocate(capacity: Self.chunk * info.channels)
    input = .allocate(capacity: Self.chunk * 2)
    output = .allocate(capacity: Self.chunk * 2)
  }

  deinit {
    raw.deallocate()
    input.deallocate()
    output.deallocate()
  }

  /// The output rate in Hz.
  var engineRate: Int { Int(rescaling.engine) }

  /// Dequeues the titles and their first frames at the engine's rate.
  func takeNames() -> [LinkedTracks.Name] {
    source.takeNames().map {
      LinkedTracks.Name(position: rescaling.engineFrames($0.position), title: $0.title)
    }
  }

  /// Seeks to an engine frame, clamped to the end.
  func seek(to target: Int64) throws(WorkerFailure) {
    let target = min(target, total ?? source.sourceFrames.map(rescaling.engineFrames) ?? target)
    total = nil
    pending = 0
    guard let resampler else {
      try source.seek(to: target)
      position = source.position
      return
    }
    // Starts far enough before the target that the resampler's filter state equals that of a decode from the
    // beginning.
    let downward = max(1, rescaling.source / rescaling.engine + 1)
    let from = rescaling.commonInstant(before: target, warmUp: 4096 * downward)
    try resampler.clear()
    try source.seek(to: from.source)
    position = rescaling.engineFrames(source.position)
    let scratch = UnsafeMutablePointer<Float>.allocate(capacity: Self.chunk * 2)
    defer { scratch.deallocate() }
    while position < target {
      if try produce(into: scratch, frames: Int(min(Int64(Self.chunk), target - position))) == 0 { break }
    }
  }

  /// Writes up to `frames` stereo frames. Returns the number written; 0 at the end of the track.
  func produce(into destination: UnsafeMutablePointer<Float>, frames: Int) throws(WorkerFailure) -> Int {
    let count =
      if let resampler {
        try resample(resampler, destination, frames)
      } else {
        try passThrough(destination, frames)
      }
    position += Int64(count)
    if count == 0 { total = position }
    return count
  }

  private func passThrough(
    _ destination: UnsafeMutablePointer<Float>, _ frames: Int
  ) throws(WorkerFailure) -> Int {
    if map.channels == 2 { return try source.decode(into: destination, frames: frames, sanitized: false) }
    let count = try source.decode(into: raw, frames: min(frames, Self.chunk))
    map.apply(raw, destination, frames: count)
    return count
  }

  private func resample(
    _ resampler: Resampler, _ destination: UnsafeMutablePointer<Float>, _ frames: Int
  ) throws(WorkerFailure) -> Int {
    let width = min(2, map.channels)
    while true {
      if pending == 0, total == nil { try refill() }
      // The resampler may deliver one frame more or less than the exact length; cuts or pads with silence.
      let wanted = total.map { Int(min(Int64(frames), $0 - position)) } ?? frames
      if wanted <= 0 { return 0 }
      let capacity = width == 1 ? min(wanted, Self.chunk) : wanted
      let result = try resampler.process(
        total == nil ? input + pendingStart * width : nil, frames: pending,
        into: width == 1 ? output : destination, capacity: capacity)
      pendingStart += result.taken
      pending -= result.taken
      if width == 1 { map.apply(output, destination, frames: result.written) }
      if result.written > 0 { return result.written }
      if total != nil {
        destination.update(repeating: 0, count: wanted * 2)
        return wanted
      }
    }
  }

  /// Decodes the resampler's next input, or determines the track's length at its end.
  private func refill() throws(WorkerFailure) {
    pendingStart = 0
    let isMixed = map.channels > 2
    pending = try source.decode(into: isMixed ? raw : input, frames: Self.chunk)
    if isMixed { map.apply(raw, input, frames: pending) }
    if pending == 0 { total = rescaling.engineFrames(source.position) }
  }
}
