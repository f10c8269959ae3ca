// Where media may come from, and sticks that come and go. Control thread.

import Console
import Decoding
import Flight
import PlaybackModel
import Platform
import Player

extension Box {
  /// The folders that media may come from.
  var roots: MediaRoots { Self.roots(settings) }

  static func roots(_ settings: Settings) -> MediaRoots {
    MediaRoots(settings.mediaRoots + (settings.removableFolder.map { [$0] } ?? []))
  }

  /// Watches the folder of removable storage, if one is set.
  func watchStorage() {
    storage = nil
    offered = nil
    player.isToldOfStorage = false
    guard let folder = settings.removableFolder, settings.removableAction != "ignore" else { return }
    do throws(SystemError) {
      storage = try RemovableStorage(
        folder: folder, in: try machine.mountPoints(), scheduler: scheduler
      ) { [unowned(unsafe) self] in take($0) }
      player.isToldOfStorage = true
      player.isStorageAway = { [unowned(unsafe) self] in storage?.isAway($0.path) == true }
    } catch {
      log.write(.error, "Removable storage is not noticed: \(error.description)")
    }
  }

  private func take(_ change: RemovableStorage.Change) {
    switch change {
    case .removed(let point):
      log.write(.warning, "\(point) was removed.")
      flight.noteStorage(point, isThere: false)
      if offered == point { offered = nil }
      player.handle(.storageRemoved(path: point))
    case .appeared(let point):
      log.write(.info, "\(point) has appeared.")
      flight.noteStorage(point, isThere: true)
      player.queue.forgetFailures(beneath: point)
      if case .failed(let error, let track?, _, _) = player.machine.state, error.kind == .storageRemoved,
        track.lives(beneath: point)
      {
        player.handle(.retry)
      } else if settings.removableAction == "play" {
        _ = performLater(.play(path: point))
      } else {
        offered = point
        log.write(.info, "To hear it: play \(CommandLineText.quoted(point))")
      }
    }
    watchSoon()
  }
}
