// What `swiftlet doctor` knows about a machine: facts, gathered elsewhere, and nothing said about them yet. Values.

/// What was found on a machine that is to be a box.
package struct BoxFacts: Hashable, Sendable {
  /// What the board calls itself, such as `Raspberry Pi 4 Model B Rev 1.5`; empty on PCs.
  package var model = ""
  /// Whether whoever asks may see everything.
  package var isRoot = false
  /// The name of whoever asks, and the groups they are in.
  package var user = Account(name: "", groups: [])
  /// The user that the service runs as; nil: there is none.
  package var service: Account?
  /// What the supply has done to the board (`get_throttled`); nil where it is not told.
  package var power: PowerFlags?
  /// The names of the sound cards, as in `hw:CARD=…`.
  package var cards: [String] = []
  /// The lines `dtoverlay=…` of the board's config.txt; nil where there is no such file.
  package var overlays: [String]?
  /// How many codec plugins there are.
  package var codecs = 0
  /// The configuration that the service reads.
  package var configuration = ConfigurationFacts()
  /// What systemd says of the unit; nil: there is no systemd.
  package var unit: UnitFacts?
  /// Updates by the package's own timer; nil: there is no systemd.
  package var updates: UpdateFacts?
  /// What the daemon says of itself.
  package var daemon = DaemonFacts.silent
  /// Folders that music comes from.
  package var roots: [FolderFacts] = []
  /// The stored names of music, and those of them with a problem.
  package var references = References()
  /// GPIO chips that could not be opened for want of rights, or that are not there, with the reason.
  package var lines: [LineFacts] = []

  /// A user and their groups.
  package struct Account: Hashable, Sendable {
    /// The user's name.
    package var name: String
    /// The groups that the user is in.
    package var groups: [String]

    /// An account.
    package init(name: String, groups: [String]) {
      self.name = name
      self.groups = groups
    }
  }

  /// What the firmware of a Raspberry Pi says of supply and heat.
  package struct PowerFlags: OptionSet, Hashable, Sendable {
    /// The bits, as the firmware numbers them.
    package let rawValue: Int

    /// The bits as the firmware has them.
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// Less than 4.63 V just now.
    package static let isLow = PowerFlags(rawValue: 1 << 0)
    /// Slowed down just now.
    package static let isThrottled = PowerFlags(rawValue: 1 << 2)
    /// Less than 4.63 V since the board was started.
    package static let wasLow = PowerFlags(rawValue: 1 << 16)
    /// Slowed down since the board was started.
    package static let wasThrottled = PowerFlags(rawValue: 1 << 18)
  }

  /// The configuration file, as far as it matters here.
  package struct ConfigurationFacts: Hashable, Sendable {
    /// Its path.
    package var path = ""
    /// Whether it is there, as far as can be told.
    package var isThere = true
    /// Whether the user named it (`--config`), instead of doctor finding it.
    package var isNamed = false
    /// Whether it could be read.
    package var isReadable = false
    /// Lines that are skipped, a sentence each.
    package var problems: [String] = []
    /// The board whose profile it begins with.
    package var board: String?
    /// The sound card.
    package var output = "default"
    /// How many buttons and knobs there are.
    package var controls = 0

    /// Defaults.
    package init() {}
  }

  /// A unit of systemd.
  package struct UnitFacts: Hashable, Sendable {
    /// `loaded`, `not-found`.
    package var load = ""
    /// `active`, `inactive`, `failed`, `activating`.
    package var active = ""
    /// `enabled`, `disabled`, `masked`.
    package var file = ""
    /// How often it was started again.
    package var restarts = 0

    /// A unit.
    package init(load: String, active: String, file: String, restarts: Int) {
      self.load = load
      self.active = active
      self.file = file
      self.restarts = restarts
    }
  }

  /// What updates at night need.
  package struct UpdateFacts: Hashable, Sendable {
    /// Whether the configuration wants them.
    package var isAutomatic: Bool
    /// Whether apt has Swiftlet's package source.
    package var hasSource: Bool
    /// `swiftlet-update.timer`.
    package var timer: UnitFacts
    /// What came of the last one; nil: there was none.
    package var result: String?

    /// The facts about updates.
    package init(isAutomatic: Bool, hasSource: Bool, timer: UnitFacts, result: String?) {
      self.isAutomatic = isAutomatic
      self.hasSource = hasSource
      self.timer = timer
      self.result = result
    }
  }

  /// A daemon, as its socket tells.
  package enum DaemonFacts: Hashable, Sendable {
    /// It answers `status` with these fields.
    case answers([StatusField], AudioThread?)
    /// Whoever asks may not use its socket.
    case denied(group: String)
    /// Nobody listens.
    case silent
  }

  /// A line of `status`.
  package struct StatusField: Hashable, Sendable {
    /// What it is about.
    package var name: String
    /// What it says.
    package var value: String

    /// A field.
    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// How the kernel runs the thread that renders.
  package struct AudioThread: Hashable, Sendable {
    /// Whether one of the threads has real-time priority.
    package var isRealtime: Bool
    /// Memory that cannot be paged out, in KiB.
    package var lockedMemory: Int

    /// What it is.
    package init(isRealtime: Bool, lockedMemory: Int) {
      self.isRealtime = isRealtime
      self.lockedMemory = lockedMemory
    }
  }

  /// A folder, as the service sees it.
  package struct FolderFacts: Hashable, Sendable {
    /// Its path.
    package var path: String
    /// Whether it is there.
    package var isThere: Bool
    /// Whether the service may read it.
    package var isReadable: Bool
    /// Whether something that can be played is in it.
    package var hasMusic: Bool

    /// A folder.
    package init(_ path: String, isThere: Bool, isReadable: Bool, hasMusic: Bool) {
      self.path = path
      self.isThere = isThere
      self.isReadable = isReadable
      self.hasMusic = hasMusic
    }
  }

  /// A GPIO line of a button, a knob or a light that cannot be had.
  package struct LineFacts: Hashable, Sendable {
    /// The control, the chip and the line.
    package var name: String
    /// Why: the kernel's words, or who has it.
    package var reason: String

    /// A line.
    package init(_ name: String, _ reason: String) {
      self.name = name
      self.reason = reason
    }
  }

  /// Nothing found yet.
  package init() {}
}
