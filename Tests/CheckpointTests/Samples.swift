// Random but plausible checkpoints and queues. Test threads.
import Checkpoints
import PlaybackModel
import Platform

func empty(_ layout: CheckpointLayout) -> MemoryStorage {
  MemoryStorage([UInt8](repeating: 0, count: layout.fileBytes))
}

/// A checkpoint and the record of its queue, in any state.
func randomPair(_ random: inout ShuffleGenerator, tracks: Int = 8) -> (Checkpoint, QueueRecord) {
  var queue = PlayQueue(seed: random.next())
  for i in 0..<Int.random(in: 0...tracks, using: &random) {
    _ = try? queue.add(randomTrack(i, &random))
    if Int.random(in: 0..<4, using: &random) == 0 { queue.shuffle(Bool.random(using: &random)) }
    if Int.random(in: 0..<3, using: &random) == 0 { _ = queue.advance() }
  }
  queue.repeatMode = RepeatMode.allCases.randomElement(using: &random)!
  queue.endOfQueue = EndOfQueue.allCases.randomElement(using: &random)!
  if let failed = queue.tracks.randomElement(using: &random) { queue.markFailed(failed.id) }
  let removed = Track(id: 9_999, path: "/media/gone/removed.flac", title: "Removed")
  let state = randomState(&random, queue.tracks + [removed])
  queue.stopPoint = ([nil] + StopPoint.allCases).randomElement(using: &random)!
  let checkpoint = Checkpoint(
    state: state, moment: randomMoment(&random),
    rate: SampleRate([44_100, 48_000].randomElement(using: &random)!),
    volume: Volume(Float(Int.random(in: 0...100, using: &random))),
    sleepTimer: Bool.random(using: &random) ? Seconds(Double(Int.random(in: 1...5400, using: &random))) : nil,
    cursor: queue.cursor)
  return (checkpoint, QueueRecord(queue, playing: state))
}

func randomTrack(_ i: Int, _ random: inout ShuffleGenerator) -> Track {
  let album = Int.random(in: 0..<3, using: &random)
  var track = Track(id: 0, path: "/media/Künstler/Album \(album)/\(i) – Stück.flac")
  if Bool.random(using: &random) {
    track.title = "Stück \(i)"
    track.artist = "Künstler"
    track.album = "Album \(album)"
    track.trackNumber = i + 1
  }
  if Bool.random(using: &random) {
    track.section = FileSection(start: i * 1000, end: Bool.random(using: &random) ? i * 1000 + 999 : nil)
  }
  if Bool.random(using: &random) { track.length = frames(&random) }
  if Bool.random(using: &random) {
    track.loudness = Loudness(trackGain: -7.25, albumGain: Bool.random(using: &random) ? -6.5 : nil)
  }
  return track
}

private func frames(_ random: inout ShuffleGenerator) -> Frames {
  Frames(Int64.random(in: 0...48_000 * 600, using: &random))
}

private func randomProgress(_ random: inout ShuffleGenerator) -> FadeProgress {
  let length = Int64.random(in: 1...48_000 * 15, using: &random)
  return FadeProgress(index: Frames(Int64.random(in: 0...length, using: &random)), length: Frames(length))
}

private func randomMoment(_ random: inout ShuffleGenerator) -> Moment {
  Moment(
    time: random.next(), current: frames(&random), next: Bool.random(using: &random) ? frames(&random) : nil,
    fade: Bool.random(using: &random) ? randomProgress(&random) : nil,
    deck: Deck.allCases.randomElement(using: &random)!)
}

private func randomState(_ random: inout ShuffleGenerator, _ tracks: [Track]) -> PlayerState {
  let (a, b) = (tracks.randomElement(using: &random)!, tracks.randomElement(using: &random)!)
  let reason = PauseReason.allCases.randomElement(using: &random)!
  let intent = Bool.random(using: &random) ? Intent.play : .pause(reason)
  let curve = FadeCurve.allCases.randomElement(using: &random)!
  let position = frames(&random)
  let kind = PlaybackError.Kind.allCases.randomElement(using: &random)!
  switch PlayerState.Kind.allCases.randomElement(using: &random)! {
  case .idle:
    let cause = PlaybackError(kind, path: "hw:0,0", detail: "gone")
    return .idle(cause: Bool.random(using: &random) ? cause : nil, armed: .armed)
  case .preparing: return .preparing(track: a, intent: intent, start: position)
  case .ready: return .ready(track: a, position: position)
  case .playing: return .playing(track: a)
  case .paused: return .paused(track: a, position: position, reason: reason)
  case .buffering: return .buffering(track: a, intent: intent)
  case .seeking: return .seeking(track: a, target: position, intent: intent)
  case .preparingCrossfade:
    let fade = Fade(length: randomProgress(&random).length, curve: curve)
    return .preparingCrossfade(
      current: a, next: b, plan: PlannedFade(.manual, fade, start: position, isArmed: true))
  case .crossfading:
    return .crossfading(
      from: a, to: b, curve: curve, progress: randomProgress(&random),
      pace: Bool.random(using: &random) ? .ordered : .quick)
  case .crossfadePaused:
    let snapshot = CrossfadeSnapshot(
      from: a.id, to: b.id, fromPosition: position, toPosition: frames(&random),
      progress: randomProgress(&random), curve: curve, rate: SampleRate(48_000), deck: .b, time: 5)
    return .crossfadePaused(from: a, to: b, strategy: .quickFinish, snapshot: snapshot, reason: reason)
  case .fadingOut: return .fadingOut(track: a, duration: position)
  case .finished: return .finished(last: a)
  case .failed:
    let hasTrack = Bool.random(using: &random)
    return .failed(
      error: PlaybackError(kind, path: hasTrack ? a.path : "", detail: "broken at frame 12"),
      track: hasTrack ? a : nil, position: position, intent: intent)
  }
}
