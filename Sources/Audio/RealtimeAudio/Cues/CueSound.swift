// The built-in notification sounds (cues) of the player, and recorded clips that replace them. Plain values that are
// sent through the command queue; any thread.

import AudioRing
import PlaybackModel

/// A cue that the player can synthesise.
package enum CueName: UInt8, Sendable, CaseIterable {
  /// The player has started.
  case ready
  /// A track cannot be played.
  case errorFile
  /// The network or a server failed.
  case errorNetwork
  /// The sound card failed.
  case errorOutput
  /// The storage that holds the track is missing.
  case errorStorage
  /// The player or a decoder failed.
  case errorInternal
  /// The volume is at its limit.
  case volumeLimit
  /// The sleep timer was set.
  case sleepTimer
  /// A USB stick was inserted and can be played.
  case storage
  /// Playback waits for storage that does not respond.
  case storageWait
  /// Fallback sound of an alarm.
  case alarm
  /// The tag has no command.
  case tagUnknown
  /// The tag has been assigned its command.
  case tagLearnt
  /// A request was rejected because of a usage limit.
  case limit
  /// A change cannot be saved.
  case notSaved
  /// Lines of the configuration were skipped.
  case configuration
  /// One second of 440 Hz on the left, then one second on the right.
  case testTone

  /// Name in settings and in `PlaybackError.cue`.
  package var name: String {
    switch self {
    case .ready: "ready"
    case .errorFile: "error-file"
    case .errorNetwork: "error-network"
    case .errorOutput: "error-output"
    case .errorStorage: "error-storage"
    case .errorInternal: "error-internal"
    case .volumeLimit: "volume-limit"
    case .sleepTimer: "sleep-timer"
    case .storage: "storage"
    case .storageWait: "storage-wait"
    case .alarm: "alarm"
    case .tagUnknown: "tag-unknown"
    case .tagLearnt: "tag-learnt"
    case .limit: "limit"
    case .notSaved: "not-saved"
    case .configuration: "configuration"
    case .testTone: "test-tone"
    }
  }

  /// The cue with a name; nil if there is none.
  package init?(name: String) {
    guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = found
  }
}

/// The audio of a cue.
package enum CueSound: Sendable {
  /// Synthesised during rendering.
  case builtIn(CueName)
  /// Decoded in advance from a file.
  case clip(CueClip)

  @_noLocks @_noAllocation
  func isSame(as other: CueSound) -> Bool {
    switch (self, other) {
    case (.builtIn(let a), .builtIn(let b)): a.rawValue == b.rawValue
    case (.clip(let a), .clip(let b)): a.samples == b.samples
    case (.builtIn, .clip), (.clip, .builtIn): false
    }
  }

  /// Length at the engine's rate, in frames.
  @_noLocks @_noAllocation
  func length(_ rate: SampleRate) -> Frames {
    switch self {
    case .builtIn(let name): rate.frames(name.length)
    case .clip(let clip): Frames(Int64(clip.frames))
    }
  }
}

/// A view of immutable, interleaved stereo frames at the engine's rate. The owner keeps the memory until the mixer is
/// gone.
package struct CueClip: Sendable {
  nonisolated(unsafe) let samples: UnsafePointer<Float>
  let frames: Int

  /// Views frames of finite samples.
  ///
  /// - Parameters:
  ///   - samples: Interleaved stereo samples.
  ///   - frames: Number of frames, at least one.
  package init(samples: UnsafePointer<Float>, frames: Int) {
    precondition(frames > 0, "a cue has frames")
    self.samples = samples
    self.frames = frames
  }
}

/// Owns the memory of a clip. Created on the control thread; must outlive every mixer that received the clip.
package final class CueRecording {
  /// Maximum length; longer clips are cut.
  package static var maxLength: Seconds { Seconds(5) }
  /// The clip to pass to `MixerCommand.playCue`.
  package let clip: CueClip
  /// Whether the clip was cut at the maximum length.
  package let isCut: Bool
  private let memory: UnsafeMutablePointer<Float>

  /// Copies a ring's frames; nil if there are none.
  ///
  /// The ring's writer is untrusted: samples that are not finite become silence, others are clamped to full scale.
  ///
  /// - Parameters:
  ///   - ring: Ring with the decoded clip.
  ///   - index: Ring index of the first frame.
  ///   - rate: The engine's rate.
  package init?(ring: RingReader, from index: UInt64, rate: SampleRate) {
    guard case .frames(let available) = ring.look().available(from: index), available > 0 else { return nil }
    let most = Int(rate.frames(Self.maxLength).count)
    let count = min(available, most)
    memory = .allocate(capacity: 2 * count)
    isCut = available > most
    let fade = isCut ? min(count, Int(rate.frames(Seconds(0.05)).count)) : 0
    for i in 0..<count {
      let gain = count - i <= fade ? Float(count - i - 1) / Float(fade) : 1
      let frame = ring.frames(at: index &+ UInt64(i))[0]
      for channel in 0..<2 {
        let sample = frame[channel]
        memory[2 * i + channel] = sample.isFinite ? max(-1, min(1, sample)) * gain : 0
      }
    }
    clip = CueClip(samples: memory, frames: count)
  }

  deinit { memory.deallocate() }
}
