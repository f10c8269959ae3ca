// What becomes of sticks that come and go. Control thread.

import Console
import PlaybackModel
import Platform
import Player

/// Watches the folder of removable storage, if one is set, and plays or offers what appears.
final class RemovableStorageController {
  /// Called to play what has appeared.
  var onPlay: (_ path: String) -> Void = { _ in }

  /// Called when what has appeared waits to be played.
  var onOffer: () -> Void = {}

  /// Storage that has appeared and was not played yet.
  private(set) var offered: String?
  /// Where storage is mounted.
  var mounted: [String] { storage?.mounted ?? [] }
  private var storage: RemovableStorage?
  private let configuration: ConfigurationStore
  private let outputs: OutputController
  private let machine: any Machine
  private let feed: EventFeed
  private let log: Log
  private var subscription: EventSubscription?

  init(
    _ configuration: ConfigurationStore, _ outputs: OutputController, on machine: any Machine,
    feed: EventFeed,
    log: Log
  ) {
    self.configuration = configuration
    self.outputs = outputs
    self.machine = machine
    self.feed = feed
    self.log = log
    subscription = feed.listen { [unowned(unsafe) self] stamped in
      switch stamped.event {
      case .setting(.mediaRemovable?, _), .setting(.mediaRemovableAction?, _), .setting(nil, _): watch()
      default: break
      }
    }
  }

  /// Watches the folder that the settings name.
  func watch() {
    storage = nil
    offered = nil
    defer { attach(to: outputs.player) }
    let settings = configuration.settings
    guard let folder = settings.removableFolder, settings.removableAction != "ignore" else { return }
    do throws(SystemError) {
      storage = try RemovableStorage(
        folder: folder, in: try machine.mountPoints(), scheduler: machine.scheduler
      ) { [unowned(unsafe) self] in take($0) }
    } catch {
      log.write(.error, "Removable storage goes unnoticed: \(error.description)")
    }
  }

  /// Tells a player from now on which tracks lie on storage that is away.
  func attach(to player: Player) {
    player.isStorageWatched = storage != nil
    player.isStorageAway = { [unowned(unsafe) self] in storage?.isAway($0) == true }
  }

  /// Watches nothing any more.
  func end() { storage = nil }

  private func take(_ change: RemovableStorage.Change) {
    let player = outputs.player
    switch change {
    case .removed(let point):
      log.write(.warning, "\(point) was removed.")
      feed.post(.storage(path: point, isThere: false))
      if offered == point { offered = nil }
      player.handle(.storageRemoved(path: point))
    case .appeared(let point):
      log.write(.info, "\(point) has appeared.")
      feed.post(.storage(path: point, isThere: true))
      player.queue.forgetFailures(beneath: point)
      if case .failed(let error, let track?, _, _) = player.machine.state, error.kind == .storageRemoved,
        track.lives(beneath: point)
      {
        player.handle(.retry)
      } else if configuration.settings.removableAction == "play" {
        onPlay(point)
      } else {
        offered = point
        onOffer()
        log.write(.info, "To hear it: play \(CommandLineText.quoted(point))")
      }
    }
  }
}
