// A part of a track's frames as a track of its own, or a stream whose shape changes as one track. Worker only, one thread.

import PlaybackModel

extension FileSection {
  /// How many frames at `rate` it has of a file that has `whole`.
  func length(of whole: Frames, at rate: SampleRate) -> Frames {
    let last = end.map { Self.frame($0, at: rate).count } ?? .max
    return Frames(max(0, min(whole.count, last) - Self.frame(start, at: rate).count))
  }
}

/// Cuts a part out of what a pipeline produces, at the engine's rate: parts that meet are the whole again, frame by
/// frame and bit by bit; converted to another rate, but for how the converter rounds (below -130 dB).
final class SectionPipeline {
  private var whole: TrackPipeline
  /// Makes what follows at the end of a pipeline; nil where nothing does.
  private let renew: () throws(WorkerFailure) -> TrackPipeline?
  /// The discontinuity before what was renewed last: one sound is faded out there and the other in. Nil where there is none.
  private let takeDiscontinuity: () -> Discontinuity?
  /// Brings the source to the part of a file that holds an engine frame: that part's pipeline and first frame; nil where the pipeline is
  /// that part's.
  private let goToPart: (Int64) throws(WorkerFailure) -> (pipeline: TrackPipeline, start: Int64)?
  private var seam = SeamRamp()
  /// Frames of the pipelines before, and names in them.
  private var passed: Int64 = 0
  private var names: [LinkedTracks.Name] = []
  private let first: Int64
  /// The frame after the last one; nil where the file ends.
  private let last: Int64?

  /// A section, or all for nil. It begins at the file's beginning: seek before the first `produce`.
  ///
  /// - Parameters:
  ///   - renew: Makes the pipeline of what follows at the end of one, the next link of a stream or the next part of a file, at the same
  ///     engine's rate; nil where it ends.
  ///   - goToPart: Finds the part of a file that holds an engine frame.
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

  /// The rate of what it produces.
  var engineRate: Int { whole.engineRate }

  /// The part's frame that the next `produce` starts with.
  var position: Int64 { max(0, passed + whole.position - first) }

  /// What the frames from a position on are called, as far as was not taken before.
  func takeNames() -> [LinkedTracks.Name] {
    collectNames()
    defer { names = [] }
    return names
  }

  /// Where the connection was made again, as far as was not taken before.
  func takeSeams() -> [Int64] {
    defer { seams = [] }
    return seams
  }
  private var seams: [Int64] = []

  /// Goes on with another pipeline, whose first frame is that one.
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

  /// Goes to a frame of the part, or to its end if that lies beyond.
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

  /// Writes up to `frames` stereo frames; 0 at the end of the part.
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
