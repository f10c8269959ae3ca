// Repeated losses of the card while commands are pending. Released rings become unreadable, so a later read
// of one crashes the tests. Test threads.
import AudioRing
import Foundation
import Outputs
import PlaybackModel
import RealtimeAudio
import Testing
import VirtualCardSupport

extension CardTests {
  @Suite struct CardLossTests {
    /// A ring with a track whose memory can be made unreadable.
    private final class Ring {
      private static let content = Track(1 << 16)
      private let base: UnsafeMutableRawPointer
      private var size: Int { Self.content.layout.totalBytes }

      init() {
        base = mmap(
          nil, Self.content.layout.totalBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        base.copyMemory(from: Self.content.base, byteCount: size)
      }

      var reader: RingReader { RingReader(layout: Self.content.layout, base: base) }

      /// As if it were unmapped, but the address is never reused.
      func end() { mprotect(base, size, PROT_NONE) }
    }

    /// The control thread's view of the decks.
    private struct Decks {
      var rings: [Ring?] = [nil, nil]
      var isLeaving = [false, false]
      var seen = 0

      /// Makes the rings unreadable that were reported as released.
      mutating func take(_ rig: CardRig) {
        for case .mixer(let event) in rig.reports[seen...] {
          guard case .released(let deck) = event.event else { continue }
          rings[Int(deck.rawValue)]?.end()
          rings[Int(deck.rawValue)] = nil
          isLeaving[Int(deck.rawValue)] = false
        }
        seen = rig.reports.count
      }
    }

    @Test(arguments: zip([VirtualCardSettings.Loss.told, .shownByState], [BufferMode.automatic, .shallow]))
    func nothingReadsARingThatWasReleased(loss: VirtualCardSettings.Loss, mode: BufferMode) throws {
      let card = try plainCard { $0.loss = loss }
      var options = cardOptions
      options.mode = mode
      let rig = try CardRig(card, options)
      var random = InstantAnswerTests.Generator(state: 17)
      var decks = Decks()
      var restorations = 0
      func act() {
        decks.take(rig)
        let deck: Deck = Bool.random(using: &random) ? .a : .b
        let place = Int(deck.rawValue)
        let ramp = Frames(Int64.random(in: 0...2000, using: &random))
        if decks.isLeaving[place] {
          rig.send([.setVolume(Gain(Float.random(in: 0.1...1, using: &random)), ramp: ramp)])
        } else if decks.rings[place] != nil {
          decks.isLeaving[place] = true
          rig.send([.release(deck, ramp: ramp)])
        } else {
          let ring = Ring()
          decks.rings[place] = ring
          rig.send([
            .attach(deck, ring.reader, index: UInt64.random(in: 0...9000, using: &random), trackGain: .unity),
            .start(deck, ramp: ramp), .openGate(ramp: ramp),
          ])
        }
      }
      for turn in 1...50 {
        for _ in 0..<Int.random(in: 1...6, using: &random) {
          act()
          usleep(UInt32.random(in: 0...6000, using: &random))
        }
        card.unplug(openError: 19)
        for _ in 0..<Int.random(in: 0...3, using: &random) { act() }
        card.plugIn()
        act()
        #expect(rig.wait { $0.lostAt.count > restorations || $0.link.isParked }, "turn \(turn)")
        #expect(rig.wait { $0.lostAt.count == $0.restorations }, "turn \(turn)")
        restorations = rig.restorations
        rig.send([.openGate(ramp: .zero)])
        act()
      }
      let last = rig.send([.setVolume(Gain(0.7), ramp: .zero)])
      #expect(rig.wait(2) { $0.applied(last) != nil }, "every command is taken")
      #expect(restorations > 25)
      var ids: [UInt32] = []
      for case .mixer(let event) in rig.reports {
        if case .applied(let id) = event.event, id > 0 { ids.append(id) }
      }
      #expect(ids == Array(1...last), "each takes effect once, in its order")
      rig.stop()
    }
  }
}
