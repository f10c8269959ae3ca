// Simulated decoders: all frames of a track have the same value. One thread.

import AudioRing
import Platform
import PlaybackModel
import Player
import RealtimeAudio

@testable import Simulator

/// A track that can be decoded.
struct SimulatedTrack {
  var seconds: Double
  /// The value of every sample.
  var level: Float
  /// The station, if the track is one: endless, and not always available.
  var station: SimulatedStation?
  /// Bit rate in kbit/s, if known.
  var kilobits: Int?
  /// Position in seconds at which the decoder crashes, and how often; each replacement but the last crashes
  /// at once.
  var crashes: (at: Double, times: Int)?
  /// The error with which opening fails.
  var failure: PlaybackError.Kind?
  /// The value of every right sample, if different.
  var right: Float?
  /// Loudness from the tags.
  var loudness: Loudness?
  /// Seconds after opening at which the length becomes known; nil for at once, infinite for never.
  var measured: Double?
  /// Seconds until the decoder has opened the track. Until then it reports the length 100 times a second.
  var opening = 0.02
}

/// A station that can be switched on and off.
final class SimulatedStation: @unchecked Sendable {
  var isOn = true
  /// How often it was opened.
  var openings = 0
  /// Seconds of the station's past that are kept; then it arrives in real time, and each second is a step
  /// louder. 0 keeps nothing.
  var kept = 0

  /// Difference of the level between two successive seconds.
  static let step: Float = 1.0 / 1024
}

final class SimulatedDecoders: DecoderSource {
  private let scheduler: SimulatedScheduler
  private let storage: SimulatedStorage
  private let rate: SampleRate
  private let layout: RingLayout

  init(
    _ scheduler: SimulatedScheduler, _ storage: SimulatedStorage, rate: SampleRate, ring: RingLayout?
  ) {
    self.scheduler = scheduler
    self.storage = storage
    self.rate = rate
    layout = ring ?? RingLayout(rate: rate)
  }

  /// Conditions for streams opened from now on.
  private var conditions = StreamConditions()
  func adopt(_ conditions: StreamConditions) { self.conditions = conditions }

  func open(_ track: Track, at position: Frames) throws(PlaybackError) -> any TrackDecoder {
    if storage.absentRoots.contains(where: { track.lives(beneath: $0) }) {
      throw PlaybackError(.storageRemoved, path: track.path)
    }
    guard let found = storage.tracks[track.path] else { throw PlaybackError(.missing, path: track.path) }
    if let failure = found.failure { throw PlaybackError(failure, path: track.path) }
    storage.conditions = conditions
    var track = track
    track.loudness = found.loudness
    let frames = Int(rate.frames(Seconds(found.seconds)).count)
    let decoder = SimulatedDecoder(
      track, frames: frames, level: found.level, at: Int(position.count), layout: layout,
      station: found.station, measured: found.measured, opening: found.opening, rate: rate, scheduler)
    decoder.kilobitsPerSecond = found.kilobits
    decoder.right = found.right ?? found.level
    if let crashes = found.crashes {
      decoder.crashes = (Int(rate.frames(Seconds(crashes.at)).count), crashes.times, track.path)
    }
    return decoder
  }
}

final class SimulatedDecoder: TrackDecoder {
  /// The part of a kept station that has arrived.
  private struct Arrival {
    let scheduler: SimulatedScheduler
    let rate: Int
    let opened: UInt64
    var newest = 0
    /// Number of successive polls in which the station was off.
    var silentLooks = 0

    mutating func look(at station: SimulatedStation) {
      if station.isOn { newest = rate * 3 + Int((scheduler.now - opened) / 1_000_000) * rate / 1000 }
    }
  }

  var onEvents: () -> Void = {}
  fileprivate(set) var kilobitsPerSecond: Int?
  fileprivate var crashes: (at: Int, left: Int, path: String) = (0, 0, "")
  private let news: DeadlineTimer
  private let timer: DeadlineTimer
  private let survey: DeadlineTimer
  private let layout: RingLayout
  private let base: UnsafeMutableRawPointer
  private var writer: RingWriter
  private let frames: Int
  private let level: Float
  fileprivate lazy var right = level
  private var position: Int
  private var pending: [DecoderEvent] = []
  private var isTerminated = false
  private let station: SimulatedStation?
  private var arrival: Arrival

  init(
    _ track: Track, frames: Int, level: Float, at position: Int, layout: RingLayout,
    station: SimulatedStation?, measured: Double?, opening: Double, rate: SampleRate,
    _ scheduler: SimulatedScheduler
  ) {
    self.station = station
    arrival = Arrival(scheduler: scheduler, rate: rate.hertz, opened: scheduler.now)
    station?.openings += 1
    self.frames = frames
    self.level = level
    self.position = min(position, frames)
    self.layout = layout
    news = DeadlineTimer(scheduler)
    timer = DeadlineTimer(scheduler)
    survey = DeadlineTimer(scheduler)
    base = .allocate(byteCount: layout.totalBytes, alignment: 4096)
    base.initializeMemory(as: UInt8.self, repeating: 0, count: layout.totalBytes)
    writer = RingWriter(layout: layout, base: base)
    var track = track
    track.length = station == nil && measured == nil ? Frames(Int64(frames)) : nil
    let (begin, first) = (track, Frames(Int64(self.position)))
    // A worker process takes time to start.
    if opening > 0.02 { report(begin) }
    timer.start(after: UInt64(opening * 1e9)) { [unowned self] in
      guard station?.isOn ?? true else {
        return tell(.failed(PlaybackError(.network, path: begin.path, detail: "It is away.")))
      }
      fill()
      tell(.opened(begin))
      tell(.ready(index: 0, position: first))
      survey.stop()
      guard let measured, measured < .infinity else { return }
      survey.start(after: UInt64(measured * 1e9)) { [unowned self] in
        var track = begin
        track.length = Frames(Int64(frames))
        tell(.measured(track))
      }
    }
  }

  deinit { base.deallocate() }

  private func tell(_ event: DecoderEvent) {
    pending.append(event)
    news.start(after: 0) { [unowned self] in onEvents() }
  }

  private func report(_ track: Track) {
    tell(.measured(track))
    survey.start(after: 10_000_000) { [unowned self] in report(track) }
  }

  /// Writes as many frames as fit, and again half a second later.
  private func fill() {
    guard !isTerminated else { return }
    if let station, station.kept > 0 { return fill(station) }
    if let station, !station.isOn {
      arrival.silentLooks += 1
      if arrival.silentLooks > 14 { return tell(.failed(PlaybackError(.network, detail: "It is gone."))) }
      timer.start(after: 500_000_000) { [unowned self] in fill() }
      return
    }
    arrival.silentLooks = 0
    let end = crashes.left > 0 ? crashes.at : frames
    if position >= end, crashes.left > 0 {
      crashes.left -= 1
      return tell(
        .died(PlaybackError(.decoderCrashed, path: crashes.path, detail: "The decoder crashed (SIGSEGV).")))
    }
    while position < end {
      let place = writer.contiguous()
      let count = min(end - position, place.count / 2)
      guard count > 0 else {
        timer.start(after: 500_000_000) { [unowned self] in fill() }
        return
      }
      for i in 0..<(2 * count) { place[i] = i % 2 == 0 ? level : right }
      writer.commit(count)
      position += count
    }
    if end < frames { return fill() }
    writer.finish()
    tell(.ended(index: writer.writeIndex))
  }

  /// Writes the frames of a kept station that have arrived.
  private func fill(_ station: SimulatedStation) {
    arrival.look(at: station)
    let (newest, rate) = (arrival.newest, arrival.rate)
    while position < newest {
      let place = writer.contiguous()
      let count = min(newest - position, place.count / 2, rate - position % rate)
      guard count > 0 else { break }
      let level = level + Float(position / rate) * SimulatedStation.step
      for i in 0..<(2 * count) { place[i] = level }
      writer.commit(count)
      position += count
    }
    timer.start(after: 250_000_000) { [unowned self] in fill() }
  }

  var stationWindow: StationWindow? {
    guard let station, station.kept > 0, arrival.newest > 0 else { return nil }
    arrival.look(at: station)
    let (newest, rate) = (arrival.newest, arrival.rate)
    return StationWindow(
      oldest: Frames(Int64(max(0, newest - station.kept * rate))), newest: Frames(Int64(newest)), lag: .zero)
  }

  var ring: RingReader { RingReader(layout: layout, base: base) }

  func takeEvents() -> [DecoderEvent] {
    defer { pending = [] }
    return isTerminated ? [] : pending
  }

  func seek(to target: Frames, continuingAt index: UInt64) {
    writer.restart(at: index)
    position = min(Int(target.count), frames)
    // Like a real worker, which starts with some buffered sound.
    if let station, station.kept > 0 { position = min(position, arrival.newest - 2 * arrival.rate) }
    let landed = Frames(Int64(position))
    timer.start(after: 10_000_000) { [unowned self] in
      // Reported before the end of the track, in case that follows at once.
      tell(.seeked(index: index, position: landed))
      fill()
    }
  }

  func restart(at position: Frames, continuingAt index: UInt64) { seek(to: position, continuingAt: index) }
  func wake() {}
  func expectRefill() {}

  func seal() -> UInt64 {
    writer.finish()
    return writer.writeIndex
  }

  func terminate() {
    isTerminated = true
    timer.stop()
    news.stop()
    survey.stop()
  }
}
