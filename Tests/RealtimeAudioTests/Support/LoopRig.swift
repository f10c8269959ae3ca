// An audio loop on a fake card, driven turn by turn. Test threads.
import AudioRing
import Foundation
import PlaybackModel
import RealtimeAudio

/// The control side and the audio thread in one.
final class LoopRig {
  let device: FakeDevice
  let link: AudioLink
  let loop: AudioLoop
  private(set) var reports: [(report: AudioReport, time: UInt64)] = []
  private var nextID: UInt32 = 0
  /// Retains the rings while the loop may read them.
  private var rings: [RingBox] = []
  /// Called synchronously with each report.
  var react: ((AudioReport) -> Void)?
  /// Called with each deck whose ring was released.
  var onRelease: ((Deck) -> Void)?
  /// Called when the card is back.
  var onRestored: (() -> Void)?

  init(_ device: FakeDevice = FakeDevice()) {
    self.device = device
    link = AudioLink(wakeAudio: { device.wake() }, notifyControl: {})
    loop = AudioLoop(device: device, link: link)
  }

  /// Sends commands as one batch.
  @discardableResult
  func send(_ commands: MixerCommand..., at frame: Int? = nil) -> UInt32 {
    for command in commands {
      nextID += 1
      let pin: Pin = frame.map { .at(Frames(Int64($0))) } ?? .now
      precondition(link.send(CommandRequest(id: nextID, pin: pin, command: command)))
    }
    link.flush()
    return nextID
  }

  func play(_ ring: RingBox, on deck: Deck = .a) {
    send(attaching(ring, to: deck), .start(deck, ramp: .zero))
  }

  /// The command that attaches a ring; the ring is retained.
  func attaching(_ ring: RingBox, to deck: Deck, at index: UInt64 = 0) -> MixerCommand {
    rings.append(ring)
    return .attach(deck, ring.reader, index: index, trackGain: .unity)
  }

  /// Runs `action` some milliseconds later on the device's clock.
  func after(_ milliseconds: Double, _ action: @escaping () -> Void) {
    device.at(device.clock + UInt64(milliseconds * 1e6), action)
  }

  /// Runs for some milliseconds of the device's clock.
  func run(milliseconds: Double) {
    let end = device.clock + UInt64(milliseconds * 1e6)
    var isOver = false
    device.at(end) { [device] in
      isOver = true
      device.wake()
    }
    while !isOver {
      let pause = loop.turn()
      take()
      device.wait(pause)
    }
    take()
  }

  private func take() {
    while let report = link.takeReport() {
      reports.append((report, device.clock))
      if case .mixer(let event) = report, case .released(let deck) = event.event { onRelease?(deck) }
      react?(report)
    }
  }

  /// Names of the reports other than `applied`.
  var news: [String] {
    reports.compactMap { entry in
      switch entry.report {
      case .mixer(let event):
        if case .applied = event.event { return nil }
        return event.event.words
      case .underrun: return "underrun"
      case .deviceLost: return "deviceLost"
      case .deviceRestored: return "deviceRestored"
      case .wentShallow: return "wentShallow"
      case .ringLow: return "ringLow"
      case .limitReached: return "limitReached"
      }
    }
  }

  func count(_ name: String) -> Int { news.filter { $0 == name }.count }

  /// The timeline frame on which a command took effect.
  func applied(_ id: UInt32) -> Int? {
    for case (.mixer(let event), _) in reports {
      if case .applied(id) = event.event { return Int(event.positions.frame.count) }
    }
    return nil
  }
}

/// The coded frames that were played, in order, as contiguous runs; silence is omitted. Numbers beyond 32766
/// wrap to zero and count as continuing the previous ones.
func heardRuns(_ output: [Frame]) -> [ClosedRange<Int>] {
  var runs: [ClosedRange<Int>] = []
  var turns = 0
  for frame in output {
    guard let number = decode(frame) else { continue }
    if let last = runs.last, number == 0, last.upperBound % 32767 == 32766 { turns += 32767 }
    let index = number + turns
    if let last = runs.last, index == last.upperBound + 1 {
      runs[runs.count - 1] = last.lowerBound...index
    } else {
      runs.append(index...index)
    }
  }
  return runs
}

/// Frames missing between runs; negative if some were repeated.
func gaps(_ runs: [ClosedRange<Int>]) -> [Int] {
  zip(runs, runs.dropFirst()).map { $1.lowerBound - $0.upperBound - 1 }
}
