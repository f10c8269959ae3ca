// An open ALSA card, and the slot in which two threads hand it over. A card has one owner at a time.

import CALSA
import RealtimeAudio
import Synchronization

/// An open PCM with its negotiated configuration. Closes it on deinit.
final class OpenCard {
  let pcm: OpaquePointer
  private(set) var setup: ALSASetup
  private(set) var writer: CardWriter
  /// Buffer strategy, depending on the PCM type and the rewind probe.
  private(set) var strategy: BufferStrategy
  /// Rewinds are possible only in multiples of this many frames.
  let blockFrames: Int
  private let name: String
  private let options: OutputOptions

  /// Opens, configures and probes a PCM.
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

  /// Reconfigures the card with the short buffer, since it cannot rewind. Only while it is stopped.
  ///
  /// - Returns: Whether the card accepted the configuration.
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
  /// Whether audio rendered for the other setup fits this one.
  func isLike(_ other: ALSASetup) -> Bool {
    rate == other.rate && format == other.format && channels == other.channels
  }
}

/// Where the audio thread leaves a dead card and collects the reopened one. `DeviceReturn` decides which thread may
/// access it.
final class CardSlot: @unchecked Sendable {
  private let name: String
  private let options: OutputOptions
  private let wanted: ALSASetup
  private let isShallow = Atomic<Bool>(false)
  private var dead: OpenCard?
  private var returned: OpenCard?

  /// A slot for a card with the configuration `setup`.
  init(name: String, options: OutputOptions, like setup: ALSASetup) {
    self.name = name
    self.options = options
    wanted = setup
  }

  /// Marks the card as unable to rewind, also after a reopen. Audio thread.
  func forgoRewinding() { isShallow.store(true, ordering: .relaxed) }

  /// Leaves a card to be closed before the next one is opened. Audio thread, while no request is pending.
  func dispose(of card: OpenCard) { dead = card }

  /// Takes the reopened card. Audio thread, after `DeviceReturn` has reported it.
  func take() -> OpenCard? {
    defer { returned = nil }
    return returned
  }

  /// Tries to open the card with its former configuration. Background thread, while a request is pending.
  ///
  /// - Returns: Whether the card was opened.
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
