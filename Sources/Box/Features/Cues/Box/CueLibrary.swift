// Sound files that replace built-in cues: decodes them one after another into memory. Control thread; never blocks.

import AudioRing
import Decoding
import PlaybackModel
import Platform
import Player
import RealtimeAudio

/// The sounds of all cues for one output. Must outlive the output's audio thread, which reads them.
final class CueLibrary {
  /// Receives problems for the log.
  var onNote: (String) -> Void = { _ in }

  private struct Loading {
    let name: CueName
    let path: String
    let decoder: any TrackDecoder
    var index: UInt64?
    var isOver = false
    /// Scheduler time at which loading is aborted.
    let deadline: UInt64
  }

  /// Maximum number of files loaded: replaced recordings cannot be freed, because the mixer may still play them.
  private static let maxFiles = 24
  /// Nanoseconds for decoding a file.
  private static let timeout: UInt64 = 20_000_000_000
  private let rate: SampleRate
  private let scheduler: any Scheduler
  private let decoders: any DecoderSource
  private let timer: DeadlineTimer
  private var recordings: [CueRecording] = []
  private var clips: [(name: CueName, clip: CueClip)] = []
  private var wanted: [(name: CueName, path: String)] = []
  private var waiting: [(name: CueName, path: String)] = []
  private var loading: Loading?
  private var onRest: [() -> Void] = []

  init(rate: SampleRate, on machine: any Machine) {
    self.rate = rate
    scheduler = machine.scheduler
    timer = DeadlineTimer(scheduler)
    // The ring must hold the longest clip, because it is read only once decoding has finished.
    var capacity = 4096
    while Double(capacity) < Double(rate.hertz) * (CueRecording.maxLength.value + 1) { capacity *= 2 }
    decoders = machine.decoders(rate: rate, roots: { .everywhere }, ring: RingLayout(capacity: capacity)) {
      _ in
    }
  }

  /// Sound of a cue: its file if that has been decoded, or else the built-in sound.
  func sound(_ name: CueName) -> CueSound {
    if let entry = clips.first(where: { $0.name == name }) { return .clip(entry.clip) }
    return .builtIn(name)
  }

  /// Loads files whose paths have changed.
  ///
  /// - Parameter file: Path of the file for each cue; nil: the built-in sound.
  func adopt(_ file: (CueName) -> String?) {
    for name in CueName.allCases {
      let path = file(name)
      guard path != wanted.first(where: { $0.name == name })?.path else { continue }
      wanted.removeAll { $0.name == name }
      waiting.removeAll { $0.name == name }
      clips.removeAll { $0.name == name }
      guard let path else { continue }
      wanted.append((name, path))
      guard recordings.count + waiting.count < Self.maxFiles else {
        onNote("The cue \(name.name) is played from its file only after a restart: it was changed too often.")
        continue
      }
      waiting.append((name, path))
    }
    loadNext()
  }

  /// Calls `action` once no file is being decoded.
  func whenLoaded(_ action: @escaping () -> Void) {
    if loading == nil, waiting.isEmpty { action() } else { onRest.append(action) }
  }

  /// Cancels all loading.
  func end() {
    waiting = []
    onRest = []
    drop()
  }

  private func loadNext() {
    while loading == nil, !waiting.isEmpty {
      let (name, path) = waiting.removeFirst()
      do throws(PlaybackError) {
        try load(name, path)
      } catch {
        refuse(name, path, error.detail)
      }
    }
    guard loading == nil else { return }
    let actions = onRest
    onRest = []
    for action in actions { action() }
  }

  private func load(_ name: CueName, _ path: String) throws(PlaybackError) {
    let decoder = try decoders.open(Track(id: 0, path: path), at: .zero)
    decoder.onEvents = { [unowned(unsafe) self] in look() }
    loading = Loading(
      name: name, path: path, decoder: decoder, deadline: scheduler.now &+ Self.timeout)
    lookAgain()
  }

  private func lookAgain() {
    guard loading != nil, !timer.isRunning else { return }
    timer.start(after: 100_000_000) { [unowned(unsafe) self] in look() }
  }

  private func look() {
    guard let decoder = loading?.decoder else { return }
    var failure: PlaybackError?
    for event in decoder.takeEvents() {
      switch event {
      case .ready(let index, _): loading?.index = index
      case .ended: loading?.isOver = true
      case .failed(let error), .died(let error): failure = error
      case .opened, .seeked, .titled, .leftOut, .measured: break
      }
    }
    guard let loading else { return }
    if let failure {
      drop()
      refuse(loading.name, loading.path, failure.detail)
      return loadNext()
    }
    let most = Int(rate.frames(CueRecording.maxLength).count)
    guard let index = loading.index, loading.isOver || decoder.ring.holds(most + 1, from: index) else {
      guard scheduler.now < loading.deadline else {
        drop()
        refuse(loading.name, loading.path, "Decoding it takes too long.")
        return loadNext()
      }
      return lookAgain()
    }
    let recording = CueRecording(ring: decoder.ring, from: index, rate: rate)
    drop()
    if let recording {
      recordings.append(recording)
      clips.append((loading.name, recording.clip))
      if recording.isCut {
        onNote(
          "\(loading.path) is too long for a cue; its first \(Int(CueRecording.maxLength.value)) s are played."
        )
      }
    } else {
      refuse(loading.name, loading.path, "It holds no sound.")
    }
    loadNext()
  }

  private func drop() {
    guard let loading else { return }
    self.loading = nil
    timer.stop()
    loading.decoder.terminate()
  }

  private func refuse(_ name: CueName, _ path: String, _ reason: String) {
    onNote("\(path) cannot be the cue \(name.name): \(reason) The box's own sound is played.")
  }
}
