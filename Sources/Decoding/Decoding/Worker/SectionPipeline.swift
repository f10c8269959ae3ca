// Produces a section of a file as a track, or joins the parts or links of a source into one track. Worker
// process only, one thread.

import PlaybackModel

extension FileSection {
  /// Length of the section in frames.
  ///
  /// - Parameters:
  ///   - whole: Length of the file at `rate`.
  ///   - rate: The rate to count in.
  func length(of whole: Frames, at rate: SampleRate) -> Frames {
    let last = end.map { Self.frame($0, at: rate).count } ?? .max
    return Frames(max(0, min(whole.count, last) - Self.frame(start, at: rate).count))
  }
}

/// Cuts a section out of a pipeline's frames at the engine's rate.
///
/// Adjacent sections join to the whole file bit-exactly; after resampling, up to the resampler's rounding
/// (below -130 dB).
final class SectionPipeline {
  private var whole: TrackPipeline
  /// Creates the pipeline for what follows at the end of the present one; nil if nothing follows.
  private let renew: () throws(WorkerFailure) -> TrackPipeline?
  /// Returns the discontinuity before the pipeline that `renew` created last; nil if there is none.
  private let takeDiscontinuity: () -> Discontinuity?
  /// Opens the part of a file that contains an engine frame. Returns the part's pipeline and first frame; nil
  /// if the present pipeline is the part's.
  private let goToPart: (Int64) throws(WorkerFailure) -> (pipeline: TrackPipeline, start: Int64)?
  private var seam = SeamRamp()
  /// Frames of the earlier pipelines, and their pending titles.
  private var passed: Int64 = 0
  private var names: [LinkedTracks.Name] = []
  private let first: Int64
  /// The frame after the section; nil if it extends to the end of the file.
  private let last: Int64?

  /// Creates a pipeline for a section, or for the whole track. It starts at the beginning of the file: seek
  /// before the first `produce`.
  ///
  /// - Parameters:
  ///   - whole: The pipeline of the file or stream.
  ///   - section: The section; nil for the whole track.
  ///   - renew: Creates the pipeline for the next link of a stream or the next part of a file, at the same
  ///     engine rate; returns nil at the end.
  ///   - takeDiscontinuity: Returns the discontinuity before the last renewed pipeline.
  ///   - goToPart: Opens the part of a file that contains an engine frame.
  init(
    _ whole: TrackPipeline, _ section: FileSection?,
    renew: @escaping () throws(WorkerFailure) -> TrackPipeline? = { nil },
    takeDiscontinuity: @escaping () -> Discontinuity? = { nil },
    goToPart:
      @escaping (Int64) throws(WorkerFailure) -> (pipeline: TrackPipeline, start: Int64)? = { _ in nil }
  ) {
    self.whole = whole
    self.renew = renew
    self.takeDiscontinuity = takeDiscontinuity
    self.goToPart = goToPart
    let rate = SampleRate(whole.engineRate)
    first = section.map { FileSection.frame($0.start, at: rate).count } ?? 0
    last = section?.end.map { FileSection.frame($0, at: rate).count }
  }

  /// The output rate in Hz.
  var engineRate: Int { whole.engineRate }

  /// The frame of the section that the next `produce` starts with.
  var position: Int64 { max(0, passed + whole.position - first) }

  /// Dequeues the titles and their first frames.
  func takeNames() -> [LinkedTracks.Name] {
    collectNames()
    defer { names = [] }
    return names
  }

  /// Dequeues the frames at which a station was reconnected.
  func takeSeams() -> [Int64] {
    defer { seams = [] }
    return seams
  }
  private var seams: [Int64] = []

  /// Continues with another pipeline.
  ///
  /// - Parameters:
  ///   - whole: The pipeline.
  ///   - position: The track's frame at which it starts.
  func restart(_ whole: TrackPipeline, at position: Int64) {
    self.whole = whole
    passed = max(0, position)
    (names, seams, seam) = ([], [], SeamRamp())
  }

  private func collectNames() {
    for name in whole.takeNames() {
      names.append(LinkedTracks.Name(position: passed + name.position, title: name.title))
    }
  }

  /// Seeks to a frame of the section, clamped to its end.
  func seek(to target: Int64) throws(WorkerFailure) {
    let wanted = min(first + min(target, Limits.maxTrack), last ?? .max)
    if let part = try goToPart(wanted) {
      (whole, passed) = (part.pipeline, part.start)
      seam = SeamRamp()
    }
    guard wanted >= passed else {
      throw WorkerFailure(.unreadable, "What the stream was before its format changed is gone.")
    }
    try whole.seek(to: wanted - passed)
  }

  /// Writes up to `frames` stereo frames. Returns the number written; 0 at the end of the section.
  func produce(into destination: UnsafeMutablePointer<Float>, frames: Int) throws(WorkerFailure) -> Int {
    while true {
      let rest = last.map { $0 - passed - whole.position } ?? .max
      guard rest > 0 else { return 0 }
      let frames = Int(min(Int64(frames), rest))
      let count = try whole.produce(into: destination, frames: frames)
      if count > 0 {
        seam.note(destination, frames: count)
        return count
      }
      collectNames()
      guard let next = try renew() else { return 0 }
      passed += whole.position
      whole = next
      guard let discontinuity = takeDiscontinuity() else { continue }
      if discontinuity == .reconnect { seams.append(position) }
      let tail = seam.fade(into: destination, frames: frames, rate: engineRate)
      passed += Int64(tail)
      if tail > 0 { return tail }
    }
  }
}
