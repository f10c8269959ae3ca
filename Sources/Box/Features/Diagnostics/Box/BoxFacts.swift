// Input of `swiftlet doctor`: facts about the machine, collected by `FactFinder` and judged by `Diagnostics`. Plain
// values.

/// Facts about a machine that runs, or will run, Swiftlet.
package struct BoxFacts: Hashable, Sendable {
  /// Board model from the device tree, such as `Raspberry Pi 4 Model B Rev 1.5`; empty on PCs.
  package var model = ""
  /// Whether doctor runs as root and can read everything.
  package var isRoot = false
  /// The user who runs doctor.
  package var user = Account(name: "", groups: [])
  /// The user that the service runs as; nil: that user does not exist.
  package var service: Account?
  /// Undervoltage and throttling flags (`get_throttled`); nil if the board does not report them.
  package var power: PowerFlags?
  /// Names of the sound cards, as in `hw:CARD=…`.
  package var cards: [String] = []
  /// Values of the `dtoverlay=…` lines of the board's config.txt; nil: no such file.
  package var overlays: [String]?
  /// Number of installed codec plugins.
  package var codecs = 0
  /// Configuration file of the service.
  package var configuration = ConfigurationFacts()
  /// State of the systemd unit; nil: systemd is not running.
  package var unit: UnitFacts?
  /// State of automatic updates; nil: systemd is not running.
  package var updates: UpdateFacts?
  /// Reply of the running daemon.
  package var daemon = DaemonFacts.silent
  /// Media roots.
  package var roots: [FolderFacts] = []
  /// Stored media names, and those that do not resolve.
  package var references = References()
  /// GPIO lines that could not be opened, with the reason.
  package var lines: [LineFacts] = []
  /// Bindings, timings and GPIO lines of the configuration that cannot work, a sentence each.
  package var controlWarnings: [String] = []

  /// A user and the user's groups.
  package struct Account: Hashable, Sendable {
    /// User name.
    package var name: String
    /// Names of the user's groups.
    package var groups: [String]

    /// Creates an account.
    package init(name: String, groups: [String]) {
      self.name = name
      self.groups = groups
    }
  }

  /// Undervoltage and throttling flags of a Raspberry Pi's firmware.
  package struct PowerFlags: OptionSet, Hashable, Sendable {
    /// Bits in the firmware's numbering.
    package let rawValue: Int

    /// Creates flags from the firmware's bits.
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// Supply below 4.63 V now.
    package static let isLow = PowerFlags(rawValue: 1 << 0)
    /// CPU throttled now.
    package static let isThrottled = PowerFlags(rawValue: 1 << 2)
    /// Supply was below 4.63 V at some time since boot.
    package static let wasLow = PowerFlags(rawValue: 1 << 16)
    /// CPU was throttled at some time since boot.
    package static let wasThrottled = PowerFlags(rawValue: 1 << 18)
  }

  /// State of the configuration file.
  package struct ConfigurationFacts: Hashable, Sendable {
    /// Path of the file.
    package var path = ""
    /// Whether the file exists, as far as the user may see.
    package var isThere = true
    /// Whether the user passed the path (`--config`) rather than doctor choosing the default.
    package var isNamed = false
    /// Whether the file could be read.
    package var isReadable = false
    /// Invalid lines, a sentence each.
    package var problems: [String] = []
    /// Board whose profile supplies the defaults; nil: none.
    package var board: String?
    /// ALSA name of the sound card.
    package var output = "default"
    /// Number of declared buttons and knobs.
    package var controls = 0

    /// Creates facts with defaults.
    package init() {}
  }

  /// State of a systemd unit.
  package struct UnitFacts: Hashable, Sendable {
    /// Load state: `loaded`, `not-found`.
    package var load = ""
    /// Active state: `active`, `inactive`, `failed`, `activating`.
    package var active = ""
    /// Unit file state: `enabled`, `disabled`, `masked`.
    package var file = ""
    /// Number of automatic restarts.
    package var restarts = 0

    /// Creates a unit's state.
    package init(load: String, active: String, file: String, restarts: Int) {
      self.load = load
      self.active = active
      self.file = file
      self.restarts = restarts
    }
  }

  /// State of automatic updates.
  package struct UpdateFacts: Hashable, Sendable {
    /// Whether the configuration enables automatic updates.
    package var isAutomatic: Bool
    /// Whether Swiftlet's apt package source is installed.
    package var hasSource: Bool
    /// State of `swiftlet-update.timer`.
    package var timer: UnitFacts
    /// Result of the last update; nil: there was none.
    package var result: String?

    /// Creates the state of automatic updates.
    package init(isAutomatic: Bool, hasSource: Bool, timer: UnitFacts, result: String?) {
      self.isAutomatic = isAutomatic
      self.hasSource = hasSource
      self.timer = timer
      self.result = result
    }
  }

  /// Reply of the daemon on its control socket.
  package enum DaemonFacts: Hashable, Sendable {
    /// Fields of `status`, and the state of the audio thread if it could be read.
    case answers([StatusField], AudioThread?)
    /// The user has no access to the socket, which belongs to this group.
    case denied(group: String)
    /// A process listens on this socket, but has not replied in time.
    case unresponsive(socket: String)
    /// No process listens on the socket.
    case silent
  }

  /// A line of `status`.
  package struct StatusField: Hashable, Sendable {
    /// Field name.
    package var name: String
    /// Field value.
    package var value: String

    /// Creates a field.
    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// Scheduling and memory locking of the daemon's audio thread.
  package struct AudioThread: Hashable, Sendable {
    /// Whether any thread has real-time priority.
    package var isRealtime: Bool
    /// Locked memory, in KiB.
    package var lockedMemory: Int

    /// Creates the state of the audio thread.
    package init(isRealtime: Bool, lockedMemory: Int) {
      self.isRealtime = isRealtime
      self.lockedMemory = lockedMemory
    }
  }

  /// A media root as the service's user sees it.
  package struct FolderFacts: Hashable, Sendable {
    /// Path of the folder.
    package var path: String
    /// Whether the folder exists.
    package var isThere: Bool
    /// Whether the service's user may read it.
    package var isReadable: Bool
    /// Whether it contains a playable file.
    package var hasMusic: Bool

    /// Creates the state of a folder.
    package init(_ path: String, isThere: Bool, isReadable: Bool, hasMusic: Bool) {
      self.path = path
      self.isThere = isThere
      self.isReadable = isReadable
      self.hasMusic = hasMusic
    }
  }

  /// A GPIO line of a button, knob or light that cannot be opened.
  package struct LineFacts: Hashable, Sendable {
    /// Control, chip and line.
    package var name: String
    /// The reason: the kernel's error, or the consumer that holds the line.
    package var reason: String

    /// Creates a line's problem.
    package init(_ name: String, _ reason: String) {
      self.name = name
      self.reason = reason
    }
  }

  /// Creates empty facts.
  package init() {}
}
