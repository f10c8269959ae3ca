// The box's own short sounds: which there are, and what stands in for one that a file replaces.
// Plain values that cross the command queue; any thread.

import AudioRing
import PlaybackModel

/// A sound that the box can synthesise.
package enum CueName: UInt8, Sendable, CaseIterable {
  /// The box is there.
  case ready
  /// A track cannot be played.
  case errorFile
  /// The network or a server fails.
  case errorNetwork
  /// The sound card fails.
  case errorOutput
  /// The storage with the track is gone.
  case errorStorage
  /// The player itself, or a decoder, fails.
  case errorInternal
  /// It will not get any louder.
  case volumeLimit
  /// The sleep timer was set.
  case sleepTimer
  /// A stick was put in and can be played.
  case storage
  /// Music is waited for, because its storage does not answer.
  case storageWait
  /// An alarm has nothing else to ring with.
  case alarm
  /// A tag has no command.
  case tagUnknown
  /// A tag has got its command.
  case tagLearnt
  /// What was asked for is not played, because of limits.
  case limit
  /// A change cannot be stored.
  case notSaved
  /// Lines of the configuration are skipped.
  case configuration
  /// A second of 440 Hz on the left, then one on the right.
  case testTone

  /// The name that settings and `PlaybackError.cue` use.
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

  /// The sound of that name; nil if there is none.
  package init?(name: String) {
    guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = found
  }
}

/// What a cue sounds like.
package enum CueSound: Sendable {
  /// Synthesised while it is rendered.
  case builtIn(CueName)
  /// Frames that were decoded before.
  case clip(CueClip)

  @_noLocks @_noAllocation
  func isSame(as other: CueSound) -> Bool {
    switch (self, other) {
    case (.builtIn(let a), .builtIn(let b)): a.rawValue == b.rawValue
    case (.clip(let a), .clip(let b)): a.samples == b.samples
    case (.builtIn, .clip), (.clip, .builtIn): false
    }
  }

  /// How long it lasts at the engine's rate.
  @_noLocks @_noAllocation
  func length(_ rate: SampleRate) -> Frames {
    switch self {
    case .builtIn(let name): rate.frames(name.length)
    case .clip(let clip): Frames(Int64(clip.frames))
    }
  }
}

/// A view of interleaved stereo frames at the engine's rate that nobody changes. Whoever owns the memory keeps
/// it until the mixer is gone.
package struct CueClip: Sendable {
  nonisolated(unsafe) let samples: UnsafePointer<Float>
  let frames: Int

  /// Views `frames` finite frames at `samples`.
  package init(samples: UnsafePointer<Float>, frames: Int) {
    precondition(frames > 0, "a cue has frames")
    self.samples = samples
    self.frames = frames
  }
}

/// The memory of a clip. Made on the control thread; it outlives every mixer that was told of the clip.
package final class CueRecording {
  /// The longest clip; what is longer ends there.
  package static var maxLength: Seconds { Seconds(5) }
  /// For `MixerCommand.playCue`.
  package let clip: CueClip
  /// Whether it was cut.
  package let isCut: Bool
  private let memory: UnsafeMutablePointer<Float>

  /// Copies what a ring holds from `index` on; nil if that is nothing. The ring's writer is not trusted: what is
  /// no number is silence, what is beyond full scale is cut.
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
