// Connects the features of the box to each new player. Control thread.

import Checkpoints
import PlaybackModel
import Player
import RealtimeAudio

/// The features that use the output's player.
final class PlayerFeatures: OutputUser {
  private let flight: FlightController
  private let places: TagPlaces
  private let bookmarks: BookmarkController
  private let storage: RemovableStorageController
  private let announcements: AnnouncementController
  private let sources: SourceController
  private let volume: VolumeController
  private let cues: CueController
  private let checkpoints: CheckpointController
  private let waits: StorageWaitController
  private let trouble: StoreTrouble
  private let controls: ControlsController

  init(
    _ flight: FlightController, _ places: TagPlaces, _ bookmarks: BookmarkController,
    _ storage: RemovableStorageController, _ announcements: AnnouncementController,
    _ sources: SourceController, _ volume: VolumeController, _ cues: CueController,
    _ checkpoints: CheckpointController, _ waits: StorageWaitController, _ trouble: StoreTrouble,
    _ controls: ControlsController
  ) {
    self.flight = flight
    self.places = places
    self.bookmarks = bookmarks
    self.storage = storage
    self.announcements = announcements
    self.sources = sources
    self.volume = volume
    self.cues = cues
    self.checkpoints = checkpoints
    self.waits = waits
    self.trouble = trouble
    self.controls = controls
  }

  func prepare(_ playback: Playback) {
    flight.record(playback)
    playback.player.startPosition = { [unowned(unsafe) self, unowned(unsafe) playback] in
      (places.position(of: $0) ?? bookmarks.position(of: $0)).map {
        playback.player.machine.settings.rate.frames($0)
      }
    }
    playback.player.retriesRefusals = true
    storage.attach(to: playback.player)
    announcements.attach(to: playback.player)
    sources.attach(to: playback.player)
    volume.limit()
    cues.adopt()
  }

  func capture() -> (Checkpoint, PlayQueue)? { checkpoints.capture() }

  func restore(_ checkpoint: Checkpoint) { checkpoints.restore(checkpoint, isRestart: false) }

  func indicator(of state: PlayerState) -> Indicator {
    controls.startLight?.indicator(in: state) ?? trouble.indicator(waits.indicator(state), in: state)
  }
}
