// Handles mounts and unmounts: plays or offers sticks, and reports unmounted media roots. Control thread.

import Console
import PlaybackModel
import Platform
import Player
import RealtimeAudio

/// Watches all mounts, and treats those below `media.removable` as sticks.
final class RemovableStorageController {
  /// Mount point of a stick that is plugged in and not played yet; nil: none.
  private(set) var offered: String?
  /// Mount point at which a stick has appeared while its predecessor's track waits; nil once that track was found, or
  /// was missing because this is another stick.
  private var returned: String?
  /// Mount points of the sticks.
  var mounted: [String] { storage?.mounted.filter { isStick($0) } ?? [] }
  /// Watch of the whole mount table; nil if it cannot be watched.
  private var storage: RemovableStorage?
  /// Folder below which sticks are mounted; nil: sticks are ignored.
  private var folder: String?
  private let absentRoots: AbsentRootController
  private let configuration: ConfigurationStore
  private let outputs: OutputController
  private let cues: CueController
  private let commands: CommandEntry
  private let machine: any Machine
  private let feed: EventFeed
  private let log: Log
  private var subscription: EventSubscription?

  init(
    _ configuration: ConfigurationStore, _ outputs: OutputController, _ media: MediaController,
    _ cues: CueController, _ commands: CommandEntry, on machine: any Machine, feed: EventFeed, log: Log
  ) {
    absentRoots = AbsentRootController(
      configuration, outputs, media, scheduler: machine.scheduler, feed: feed, log: log)
    self.configuration = configuration
    self.outputs = outputs
    self.cues = cues
    self.commands = commands
    self.machine = machine
    self.feed = feed
    self.log = log
    subscription = feed.listen { [unowned(unsafe) self] stamped in
      switch stamped.event {
      case .setting(.mediaRemovable?, _), .setting(.mediaRemovableAction?, _), .setting(nil, _): watch()
      // Once anything on the stick is played, it is no longer offered.
      case .began(let track, _):
        if let offered, track.lives(beneath: offered) { self.offered = nil }
        if let returned, track.lives(beneath: returned) { self.returned = nil }
      case .error(let error):
        guard error.kind == .missing, let returned, error.path.isBeneath(returned) else { break }
        self.returned = nil
        welcome(returned)
      default: break
      }
    }
    absentRoots.isSeen = { [unowned(unsafe) self] in storage != nil && isOnStick($0) }
  }

  /// Starts watching according to the settings.
  func watch() {
    storage = nil
    offered = nil
    returned = nil
    defer { attach(to: outputs.player) }
    let settings = configuration.settings
    folder = settings.removableAction == "ignore" ? nil : settings.removableFolder
    do throws(SystemError) {
      storage = try RemovableStorage(
        folder: "/", in: try machine.mountPoints(), scheduler: machine.scheduler
      ) { [unowned(unsafe) self] in take($0) }
      // A stick may be mounted before the daemon starts. It is not played: the saved state may belong to it.
      offered = mounted.last { !isInUse($0) }
    } catch {
      log.write(.error, "Removable storage goes unnoticed: \(error.description)")
    }
  }

  /// Lets a player check whether a track's storage is unmounted.
  func attach(to player: Player) {
    player.isStorageWatched = true
    player.isStorageAway = { [unowned(unsafe) self] in isAway($0) }
  }

  /// Stops watching.
  func end() {
    storage = nil
    absentRoots.end()
  }

  private func isOnStick(_ track: Track) -> Bool { folder.map { track.lives(beneath: $0) } ?? false }

  /// Whether a mount point belongs to a media root, or its track is being heard.
  private func isInUse(_ point: String) -> Bool {
    let isRoot = configuration.settings.mediaRoots.contains {
      $0 == point || $0.isBeneath(point) || point.isBeneath($0)
    }
    return isRoot || outputs.openedPlayer?.machine.state.heardTrack?.lives(beneath: point) == true
  }

  private func isStick(_ point: String) -> Bool { folder.map { point.isBeneath($0) } ?? false }

  /// Whether a track is on a stick that is not mounted now.
  private func isAway(_ track: Track) -> Bool {
    guard let storage, isOnStick(track) else { return false }
    return !storage.mounted.contains { isStick($0) && track.lives(beneath: $0) }
  }

  private func take(_ change: RemovableStorage.Change) {
    let player = outputs.player
    switch change {
    case .removed(let point) where !isStick(point): absentRoots.noteUnmount(of: point)
    case .appeared(let point) where !isStick(point): absentRoots.noteMount(on: point)
    case .removed(let point):
      log.write(.warning, "\(point) was removed.")
      feed.post(.storage(path: point, isThere: false))
      if offered == point { offered = nil }
      if returned == point { returned = nil }
      player.handle(.storageRemoved(path: point))
    case .appeared(let point):
      log.write(.info, "\(point) has appeared.")
      feed.post(.storage(path: point, isThere: true))
      player.queue.forgetFailures(beneath: point)
      if case .failed(let error, let track?, _, _) = player.machine.state, error.kind == .storageRemoved,
        track.lives(beneath: point)
      {
        returned = point
        player.handle(.retry)
      } else {
        welcome(point)
      }
    }
  }

  /// Plays or offers a stick that has appeared, as `media.removable-action` says.
  private func welcome(_ point: String) {
    guard configuration.settings.removableAction != "play" else {
      _ = commands.performFromButton(.play(path: point))
      return
    }
    offered = point
    cues.play(.storage)
    log.write(.info, "To hear it: play \(CommandLineText.quoted(point))")
  }
}
