// Adapts an embedder's `AudioOutput` to the audio loop's `PCMDevice`. Audio thread, except `wake`; without a clock,
// the engine's thread.

import Outputs
import PlaybackModel
import Platform
import RealtimeAudio

/// Translates calls and faults between the two protocols, and implements waiting, which `AudioOutput` does not have.
final class CustomDevice: PCMDevice, @unchecked Sendable {
  let rate: SampleRate
  let format: SampleFormat
  let channels = 2
  let bufferFrames: Int
  let strategy: BufferStrategy
  private let output: any AudioOutput
  private let wakeUp: WakeUp
  /// Reopens the output after a loss, on a thread of its own; nil without a clock, since such an output cannot be
  /// lost.
  private let comingBack: DeviceReturn?
  private let frameBytes: Int

  /// Throws `outputRefused` if the output's rate or capacity is invalid.
  init(_ output: any AudioOutput) throws(EngineError) {
    func refuse(_ reason: String) -> EngineError {
      EngineError(.outputRefused, "The program's own output " + reason)
    }
    guard (8000...384_000).contains(output.rate) else {
      throw refuse("has a rate of \(output.rate) Hz; 8000 to 384000 are possible.")
    }
    guard output.capacity == 0 || output.capacity >= 64 else {
      throw refuse("has a capacity of \(output.capacity) frames; it wants 0 for no clock, or 64 and more.")
    }
    self.output = output
    rate = SampleRate(output.rate)
    format = output.format.model
    frameBytes = output.format.frameBytes
    bufferFrames = output.capacity == 0 ? 1024 : output.capacity
    strategy = output.capacity == 0 ? .offline(chunk: bufferFrames) : .shallow(queue: bufferFrames)
    do throws(SystemError) {
      let wakeUp = try WakeUp()
      self.wakeUp = wakeUp
      comingBack =
        output.capacity == 0
        ? nil
        : try DeviceReturn(
          watching: nil, attempt: { output.reopen() }, wake: { wakeUp.signal() })
    } catch {
      throw EngineError(error)
    }
  }

  private var hasClock: Bool { if case .offline = strategy { false } else { true } }

  /// Calls the output and converts its faults into those of the audio loop.
  private func ask<Answer>(_ call: () throws(AudioOutputFault) -> Answer) throws(PCMFault) -> Answer {
    do throws(AudioOutputFault) {
      return try call()
    } catch {
      switch error {
      case .ranDry: throw .underrun
      case .lost: throw .lost
      }
    }
  }

  func prepare() throws(PCMFault) { if hasClock { output.stop() } }
  func start() throws(PCMFault) { try ask { () throws(AudioOutputFault) in try output.start() } }

  func available() throws(PCMFault) -> Int {
    guard hasClock else { return bufferFrames }
    let queued = try ask { () throws(AudioOutputFault) in try output.queued() }
    return max(0, min(bufferFrames, bufferFrames - queued))
  }

  func write(_ bytes: UnsafeRawPointer, frames: Int) throws(PCMFault) -> Int {
    let buffer = UnsafeRawBufferPointer(start: bytes, count: frames * frameBytes)
    let taken = try ask { () throws(AudioOutputFault) in try output.write(buffer, frames: frames) }
    return max(0, min(frames, taken))
  }

  func rewind(_ frames: Int) -> Int { 0 }
  func stop() { output.stop() }
  var announcesReturn: Bool { comingBack != nil }

  func reopen() -> Bool { comingBack?.isBack() ?? false }

  func now() -> UInt64 { MonotonicClock.now() }
  func wait(_ nanoseconds: Int64?) { wakeUp.wait(nanoseconds) }
  func wake() { wakeUp.signal() }
}
