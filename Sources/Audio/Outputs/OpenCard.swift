// A card that is open and configured, and the place at which two threads hand one over. Each has one owner at a time.

import CALSA
import RealtimeAudio
import Synchronization

/// An open PCM with what was agreed. Closed when it goes.
final class OpenCard {
  let pcm: OpaquePointer
  private(set) var setup: ALSASetup
  private(set) var writer: CardWriter
  /// As the PCM's type and a probe tell.
  private(set) var strategy: BufferStrategy
  /// Only multiples of so many frames are taken back.
  let blockFrames: Int
  private let name: String
  private let options: OutputOptions

  /// Opens, configures and probes.
  init(name: String, options: OutputOptions) throws(OutputError) {
    self.name = name
    self.options = options
    (pcm, setup) = try ALSASetup.open(name: name, options: options)
    writer = CardWriter(setup.layout)
    strategy = RewindProbe.strategy(of: pcm, setup: setup, writer: writer, mode: options.mode)
    blockFrames = RewindProbe.blockFrames(of: pcm)
    if case .shallow = strategy, setup.isLong, !shorten() {
      throw OutputError(
        subject: "ALSA device \(name)", reason: "it takes nothing back, and no short buffer either",
        isUnavailable: false)
    }
  }

  deinit { snd_pcm_close(pcm) }

  /// Gives it the short buffer of a card that takes nothing back; false where it does not take that. Only at rest.
  func shorten() -> Bool {
    guard snd_pcm_hw_free(pcm) >= 0 else { return false }
    var short = options
    short.mode = .shallow
    short.rate = setup.rate
    short.allowsOtherRates = false
    guard let agreed = try? ALSASetup.configure(pcm, name: name, options: short), agreed.isLike(setup) else {
      return false
    }
    setup = agreed
    writer = CardWriter(agreed.layout)
    strategy = RewindProbe.shallow(agreed)
    return true
  }
}

extension ALSASetup {
  /// Whether what is rendered for another setup fits this one.
  func isLike(_ other: ALSASetup) -> Bool {
    rate == other.rate && format == other.format && channels == other.channels
  }
}

/// Where the audio thread leaves a dead card, and finds it again when it is back: `DeviceReturn` says whose turn it is.
final class CardSlot: @unchecked Sendable {
  private let name: String
  private let options: OutputOptions
  private let wanted: ALSASetup
  private let isShallow = Atomic<Bool>(false)
  private var dead: OpenCard?
  private var returned: OpenCard?

  /// A place for a card like one that is there.
  init(name: String, options: OutputOptions, like setup: ALSASetup) {
    self.name = name
    self.options = options
    wanted = setup
  }

  /// The card is found to take nothing back; it stays so when it comes back. Audio thread.
  func forgoRewinding() { isShallow.store(true, ordering: .relaxed) }

  /// Leaves a card to be closed before another one is opened. Audio thread, while nothing is wanted.
  func dispose(of card: OpenCard) { dead = card }

  /// The card that is back. Audio thread, once it was told.
  func take() -> OpenCard? {
    defer { returned = nil }
    return returned
  }

  /// Tries to open the card as it was. The other thread, while it is wanted.
  func fill() -> Bool {
    dead = nil
    var options = options
    options.rate = wanted.rate
    options.format = wanted.format
    options.allowsOtherRates = false
    if isShallow.load(ordering: .relaxed) { options.mode = .shallow }
    guard let card = try? OpenCard(name: name, options: options), card.setup.isLike(wanted) else {
      return false
    }
    returned = card
    return true
  }
}
