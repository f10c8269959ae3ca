// Collects facts about the machine for `swiftlet doctor`, without judging them. Main thread; blocks on files and child
// processes.

import CLinux
import Console
import Controls
import Daemon
import Decoding
import Media
import Platform
import Streaming

/// Collects `BoxFacts`.
struct FactFinder {
  /// Path given by --config; nil: the service's configuration.
  let configuration: String?
  let socket: String?

  private static let maxLength = 1 << 20
  /// Nanoseconds that the daemon has for its whole reply.
  private static let replyTimeout: UInt64 = 5_000_000_000

  /// Collects all facts.
  func find() -> BoxFacts {
    var facts = BoxFacts()
    let users = Self.text("/etc/passwd") ?? ""
    let groups = Self.text("/etc/group") ?? ""
    func account(_ name: String) -> BoxFacts.Account? {
      FactText.account(name, in: users).map {
        BoxFacts.Account(name: name, groups: FactText.groups(of: name, primary: $0.group, in: groups))
      }
    }
    facts.isRoot = geteuid() == 0
    facts.user = FactText.name(ofUser: Int(geteuid()), in: users).flatMap { account($0) } ?? facts.user
    facts.service = account("swiftlet")
    facts.model = Self.model
    facts.power = (Self.text("/sys/devices/platform/soc/soc:firmware/get_throttled")).flatMap {
      FactText.power($0)
    }
    facts.cards = FactText.cards(Self.text("/proc/asound/cards") ?? "")
    facts.overlays = (Self.text("/boot/firmware/config.txt") ?? Self.text("/boot/config.txt")).map {
      FactText.overlays($0)
    }
    let codecs = Inspection.plugins(in: Environment.value("SWIFTLET_CODECS") ?? "").compactMap {
      $0.description
    }
    facts.codecs = codecs.count
    facts.unit = Self.unit("swiftlet.service")
    facts.daemon = daemon(groups)
    let found = configurationFile()
    facts.configuration = found.facts
    let ids = facts.unit?.load == "loaded" ? FactText.account("swiftlet", in: users) : nil
    let serviceGroups = (facts.service?.groups ?? []).compactMap { FactText.account($0, in: groups)?.user }
    facts.updates = Self.unit("swiftlet-update.timer").map { timer in
      BoxFacts.UpdateFacts(
        isAutomatic: found.settings.updatesAutomatically,
        hasSource: access(UpdateResult.packageSource, F_OK) == 0, timer: timer, result: UpdateResult.read())
    }
    facts.roots = found.settings.mediaRoots.map { Self.folder($0, ids?.user, serviceGroups) }
    if facts.roots.allSatisfy({ !$0.hasMusic }), let folder = found.settings.removableFolder,
      let mounts = try? MountTable().points(beneath: folder)
    {
      facts.roots += mounts.map { Self.folder($0, ids?.user, serviceGroups) }.filter { $0.hasMusic }
    }
    // A running daemon holds the lines itself.
    if facts.daemon == .silent { facts.lines = Self.missing(found.controls.declarations) }
    facts.controlWarnings = found.controls.warnings
    let plugins = InstalledPlugins(
      codecs: codecs.map { ($0.name, $0.extensions) },
      hasTransport: StreamRequest.isInstalled(in: Environment.value("SWIFTLET_TRANSPORTS") ?? ""))
    facts.references = Self.references(found.settings, found.controls, plugins)
    return facts
  }

  private static func text(_ path: String) -> String? { try? TextFile.read(path, limit: maxLength) }

  /// Strings of the device tree end with a zero byte, which `printable` removes.
  private static var model: String {
    (text("/proc/device-tree/model") ?? "").printable()
  }

  // MARK: The configuration

  private func configurationFile() -> (
    facts: BoxFacts.ConfigurationFacts, settings: Settings, controls: ControlTable
  ) {
    var facts = BoxFacts.ConfigurationFacts()
    // The first that exists; a path in a folder without access counts as existing.
    let candidates = configuration.map { [$0] } ?? RunCommand.configurations
    let found = candidates.first { access($0, F_OK) == 0 || clinux_errno() == EACCES }
    facts.path = found ?? candidates[candidates.count - 1]
    facts.isThere = found != nil
    facts.isNamed = configuration != nil
    var bytes: [UInt8] = []
    if let read = try? TextFile.bytes(facts.path, limit: Configuration.maxFileBytes + 1) {
      bytes = read
      facts.isReadable = true
    }
    let read = Configuration(bytes) { BoardProfiles.text(of: $0) }
    facts.problems = read.problems.map { $0.sentence }
    if let name = read.settings.timeZone, let refusal = TimeZoneDatabase.refusal(of: name) {
      facts.problems.append(Setting.clockTimezone.key + " " + refusal)
    }
    if let name = read.settings.socketGroup, let refusal = GroupDatabase.refusal(of: name) {
      facts.problems.append(Setting.socketGroup.key + " " + refusal)
    }
    facts.board = read.base.board
    facts.output = read.settings.outputDevice
    let controls = read.controls.declarations
    facts.controls = controls.buttons.count + controls.knobs.count
    return (facts, read.settings, read.controls)
  }

  /// Configured GPIO lines that another program uses, or whose chip cannot be opened.
  private static func missing(_ controls: ControlDeclarations) -> [BoxFacts.LineFacts] {
    controls.gpioLines.compactMap { name, line in
      do throws(SystemError) {
        let chip = try GPIOChip.named(line.chip, in: "/dev")
        guard let user = chip.user(of: line.offset) else { return nil }
        let who = user.utf8.isEmpty ? "the kernel" : "'" + user.printable() + "'"
        return BoxFacts.LineFacts(name, "has no line \(line.offset) of \(line.chip): \(who) uses it")
      } catch {
        return BoxFacts.LineFacts(name, "has no chip \(line.chip): \(error.reason)")
      }
    }
  }

  // MARK: The service

  private static func unit(_ name: String) -> BoxFacts.UnitFacts? {
    guard access("/run/systemd/system", F_OK) == 0 else { return nil }
    let words = ["-p", "LoadState", "-p", "ActiveState", "-p", "UnitFileState", "-p", "NRestarts"]
    return output(of: "/usr/bin/systemctl", ["systemctl", "show", name] + words).map {
      FactText.unit($0)
    }
  }

  /// Output of a program; nil if it cannot be run.
  private static func output(of program: String, _ arguments: [String]) -> String? {
    guard let pipe = try? Pipe(), let child = try? spawn(program, arguments, output: pipe.input) else {
      return nil
    }
    // Only the child has the write end now, so that reading ends when it exits.
    let reading = pipe.takeOutput()
    var bytes: [UInt8] = []
    while bytes.count < maxLength, let more = try? reading.read(atMost: 4096), !more.isEmpty { bytes += more }
    _ = child
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func spawn(
    _ program: String, _ arguments: [String], output: borrowing FileDescriptor
  ) throws(SystemError) -> ChildProcess {
    let silence = try FileDescriptor.open("/dev/null", O_RDWR)
    return try ChildProcess.spawn(
      program, arguments: arguments, environment: Environment.all,
      descriptors: [silence.raw, output.raw, silence.raw])
  }

  // MARK: The daemon

  private func daemon(_ groups: String) -> BoxFacts.DaemonFacts {
    let path = socket ?? Environment.value("SWIFTLET_SOCKET") ?? Setting.usualSocketPath
    do throws(SystemError) {
      return try Self.ask(path)
    } catch {
      if socket == nil, let other = ControlCommand.socketOfUser, let answer = try? Self.ask(other) {
        return answer
      }
      switch error.code {
      case SystemError.accessDenied: return .denied(group: Self.group(of: path, in: groups) ?? "swiftlet")
      // EAGAIN: the listener's queue is full, because the daemon accepts no connections.
      case ETIMEDOUT, EAGAIN: return .unresponsive(socket: path)
      default: return .silent
      }
    }
  }

  /// Name of the group that owns a file.
  ///
  /// - Parameter groups: Text of /etc/group.
  static func group(of path: String, in groups: String? = text("/etc/group")) -> String? {
    var status = stat()
    return stat(path, &status) == 0
      ? groups.flatMap { FactText.name(ofGroup: Int(status.st_gid), in: $0) } : nil
  }

  /// Asks the daemon for its status.
  ///
  /// - Throws: ETIMEDOUT if the reply is not complete after `replyTimeout`.
  private static func ask(_ path: String) throws(SystemError) -> BoxFacts.DaemonFacts {
    let end = MonotonicClock.now() &+ replyTimeout
    let connection = try LocalConnection(path: path)
    try connection.socket.writeAll(Array("status\n".utf8))
    var text: [UInt8] = []
    while text.count < maxLength, !isWhole(text) {
      let now = MonotonicClock.now()
      guard now < end else { throw SystemError("read", on: path, code: ETIMEDOUT) }
      var entry = pollfd(fd: connection.socket.raw, events: Int16(POLLIN), revents: 0)
      guard poll(&entry, 1, Int32((end - now) / 1_000_000) + 1) > 0 else { continue }
      guard let more = try connection.socket.read(atMost: 4096), !more.isEmpty else { break }
      text += more
    }
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n").map { String($0) }
    let process = clinux_peer_process(connection.socket.raw)
    return .answers(FactText.status(lines), process > 0 ? thread(of: Int(process)) : nil)
  }

  private static func isWhole(_ answer: [UInt8]) -> Bool {
    guard answer.last == 0x0A else { return false }
    let last = answer.dropLast().split(separator: 0x0A).last ?? []
    return last.starts(with: "ok".utf8) || last.starts(with: "error:".utf8)
  }

  private static func thread(of process: Int) -> BoxFacts.AudioThread? {
    let folder = "/proc/\(process)"
    guard let status = text(folder + "/status"), let threads = try? Directory.entries(of: folder + "/task")
    else {
      return nil
    }
    let isRealtime = threads.contains {
      text(folder + "/task/" + $0.name + "/stat").map { FactText.isRealtime($0) } == true
    }
    return BoxFacts.AudioThread(isRealtime: isRealtime, lockedMemory: FactText.lockedMemory(status))
  }

  // MARK: Folders

  /// Checks a media root with the rights of the service's user; without that user, with those of the caller.
  private static func folder(_ path: String, _ user: Int?, _ groups: [Int]) -> BoxFacts.FolderFacts {
    var status = stat()
    guard stat(path, &status) == 0 else {
      return BoxFacts.FolderFacts(path, isThere: false, isReadable: false, hasMusic: false)
    }
    var isReadable = access(path, R_OK | X_OK) == 0
    if let user {
      let mode = Int(status.st_mode)
      let bits =
        Int(status.st_uid) == user ? mode >> 6 : groups.contains(Int(status.st_gid)) ? mode >> 3 : mode
      isReadable = bits & 5 == 5
    }
    return BoxFacts.FolderFacts(
      path, isThere: true, isReadable: isReadable, hasMusic: hasMusic(path, depth: 0))
  }

  /// Whether a folder contains a playable file, up to four levels deep.
  private static func hasMusic(_ path: String, depth: Int) -> Bool {
    guard depth < 4, let entries = try? Directory.entries(of: path) else { return false }
    if entries.contains(where: { !$0.isDirectory && MediaList.isPlayable($0.name) }) { return true }
    return entries.contains { $0.isDirectory && hasMusic(path + "/" + $0.name, depth: depth + 1) }
  }
}
