// State that a box must restore after a power cut. Values; one thread.

import PlaybackModel
import Player

/// Player state, queue and volume at one moment, as far as they must be restored.
struct Kept: Equatable {
  enum Mode: Equatable {
    case nothing
    case ended(String)
    case track(String, plays: Bool)
    case fade(from: String, to: String, plays: Bool)

    /// Whether something must be heard after the restore.
    var plays: Bool {
      switch self {
      case .nothing, .ended: false
      case .track(_, let plays), .fade(_, _, let plays): plays
      }
    }
  }

  var mode: Mode
  /// Position in frames; for a fade, the index within the fade.
  var position: Int
  var queue: [String]
  var current: Int?
  var volume: Int

  init(_ player: Player) { self.init(player, queue: player.queue.tracks.map { $0.path }) }

  init(_ player: Player, queue: [String]) {
    let here = player.moment()
    var position = here.current
    switch player.machine.state {
    case .idle: mode = .nothing
    case .finished(let track), .fadingOut(let track, _):
      mode = player.queue.hasRemoved(track.id) ? .nothing : .ended(track.path)
    case .failed(let error, let track?, let place, let intent) where error.isRecoverable:
      mode = .track(track.path, plays: Self.plays(intent))
      position = place
    case .failed: mode = .nothing
    case .preparing(let track, let intent, let start):
      mode = .track(track.path, plays: Self.plays(intent))
      position = start
    case .ready(let track, let place):
      mode = .track(track.path, plays: false)
      position = place
    case .paused(let track, let place, let reason):
      mode = .track(track.path, plays: Self.plays(.pause(reason)))
      position = place
    case .buffering(let track, let intent): mode = .track(track.path, plays: Self.plays(intent))
    case .seeking(let track, let target, let intent):
      mode = .track(track.path, plays: Self.plays(intent))
      position = target
    case .preparingCrossfade(let current, let next, _) where player.queue.hasRemoved(current.id):
      mode = .track(next.path, plays: true)
      position = .zero
    case .playing(let track), .preparingCrossfade(let track, _, _): mode = .track(track.path, plays: true)
    // A removed outgoing track is not restored with the fade.
    case .crossfading(let from, let to, _, _, _) where player.queue.hasRemoved(from.id):
      mode = .track(to.path, plays: true)
      position = here.next ?? .zero
    case .crossfadePaused(let from, let to, _, let snapshot, let reason)
    where player.queue.hasRemoved(from.id):
      mode = .track(to.path, plays: Self.plays(.pause(reason)))
      position = snapshot.toPosition
    case .crossfading(let from, let to, _, let progress, _):
      mode = .fade(from: from.path, to: to.path, plays: true)
      position = here.fade?.index ?? progress.index
    case .crossfadePaused(let from, let to, _, let snapshot, let reason):
      mode = .fade(from: from.path, to: to.path, plays: Self.plays(.pause(reason)))
      position = snapshot.progress.index
    }
    self.position = Int(position.count)
    self.queue = queue
    current = player.queue.currentIndex
    // A skip is not saved before its track is heard, although the queue has already moved on.
    if current != nil, let heard = player.machine.state.heardTrack,
      let place = player.queue.tracks.firstIndex(where: { $0.id == heard.id })
    {
      current = place
    }
    volume = Int(player.volume.percent.rounded())
  }

  /// Whether playback resumes after a restart. Interruptions and a lost output of the previous run have no end to
  /// wait for.
  private static func plays(_ intent: PlaybackModel.Intent) -> Bool {
    switch intent {
    case .play, .pause(.interruption), .pause(.outputLost), .pause(.announcement), .pause(.liveInput): true
    case .pause(.user), .pause(.standby), .cue: false
    }
  }

  /// Whether it equals another state except for the position.
  func isSame(as other: Kept, comparesVolume: Bool) -> Bool {
    mode == other.mode && queue == other.queue && current == other.current
      && (!comparesVolume || volume == other.volume)
  }

  /// Whether it equals an earlier state after a user asked for silence before it was restored; an audible fade may be
  /// reduced to its incoming track.
  func isSilenced(of before: Kept, comparesVolume: Bool) -> Bool {
    var modes: [Mode] = []
    switch before.mode {
    case .track(let track, _): modes = [.track(track, plays: false)]
    case .fade(let from, let to, _):
      modes = [.fade(from: from, to: to, plays: false), .track(to, plays: false)]
    case .nothing, .ended: break
    }
    return modes.contains { mode in
      var silenced = before
      silenced.mode = mode
      return silenced.isSame(as: self, comparesVolume: comparesVolume)
    }
  }

  /// Whether it equals an earlier state after a user pressed play before it was restored: a finished or unstarted
  /// track begins.
  func isBegun(after before: Kept, comparesVolume: Bool) -> Bool {
    guard mode.plays else { return false }
    var begun = before
    switch before.mode {
    case .fade(let from, let to, _): begun.mode = .fade(from: from, to: to, plays: true)
    case .track(let track, _): begun.mode = .track(track, plays: true)
    case .ended, .nothing:
      guard let current, queue.indices.contains(current), before.current ?? 0 == current else { return false }
      begun.mode = .track(queue[current], plays: true)
      begun.current = current
    }
    return isSame(as: begun, comparesVolume: comparesVolume)
  }

  /// Whether it is one track of a saved fade whose other track is on the absent stick.
  func isRest(of fade: Kept, comparesVolume: Bool) -> Bool {
    guard case .fade(let from, let to, let plays) = fade.mode, case .track(let track, plays: plays) = mode,
      queue == fade.queue, !comparesVolume || volume == fade.volume
    else { return false }
    func isAway(_ path: String) -> Bool { path.hasPrefix(SimulatedDecoders.stickFolder + "/") }
    return (track == from && isAway(to)) || (track == to && isAway(from))
  }

  var text: String { "\(mode) at \(position), place \(current ?? -1) of \(queue), volume \(volume)" }
}
