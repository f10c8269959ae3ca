// `swiftlet sim`: creates pseudo-terminals and a configuration, and starts the daemon and the session on this terminal.
// Main thread.

import Daemon
import CLinux
import Console
import Controls
import Platform

/// The subcommand `sim`.
enum SimCommand {
  static func run(_ arguments: [String]) -> Int32 {
    switch SimOptions.read(arguments) {
    case .help:
      TextOutput.standardOutput.write(SimOptions.help)
      return 0
    case .refused(let reason):
      TextOutput.standardError.write("swiftlet sim: \(reason).\n" + SimOptions.help)
      return 64
    case .options(let options): return run(options)
    }
  }

  private static func run(_ options: SimOptions) -> Int32 {
    guard let profile = BoardProfiles.text(of: options.board) else {
      TextOutput.standardError.line(
        "swiftlet sim: there is no board '\(options.board)'; 'swiftlet boards' lists them")
      return 64
    }
    guard let terminal = Terminal() else {
      TextOutput.standardError.line(
        "swiftlet sim: the desk needs a terminal, and standard input is not one; 'swiftlet run --board "
          + "\(options.board)' and 'swiftlet ctl simulate down NAME' work without")
      return 64
    }
    let controls = Configuration(profile).controls
    do throws(SystemError) {
      let scheduler = try EventLoop()
      let console = try PseudoTerminal()
      let panel = try PseudoTerminal()
      let folder = if let kept = options.state { kept } else { try TemporaryFolder.make("swiftlet-sim") }
      defer { if options.state == nil { TemporaryFolder.remove(folder) } }
      try link(folder + "/console", to: console.farName)
      try link(folder + "/panel", to: panel.farName)
      try configure(folder, options, controls.declarations)
      let silence = try FileDescriptor.open("/dev/null", O_RDWR)
      let log = try FileDescriptor.create(folder + "/log")
      let box = try ChildProcess.spawn(
        "/proc/self/exe", arguments: ["swiftlet", "run", "--config", folder + "/swiftlet.conf"],
        environment: Environment.all, descriptors: [silence.raw, silence.raw, log.raw])
      return try SimSession(
        options, controls, terminal, console: console, panel: panel, folder: folder, scheduler: scheduler
      ).run(box)
    } catch {
      TextOutput.standardError.line("swiftlet sim: \(error.description)")
      return 71
    }
  }

  /// Pseudo-terminals get new names at each start, so the configuration refers to symbolic links.
  private static func link(_ path: String, to target: String) throws(SystemError) {
    unlink(path)
    guard symlink(target, path) == 0 else { throw SystemError("symlink", on: path) }
  }

  /// Writes a configuration with the board's controls, all attached to the simulated panel; an existing file is kept.
  private static func configure(
    _ folder: String, _ options: SimOptions, _ controls: ControlDeclarations
  ) throws(SystemError) {
    let path = folder + "/swiftlet.conf"
    guard access(path, F_OK) != 0 else { return }
    let quoted = CommandLineText.quoted
    var text = """
      # Written by 'swiftlet sim'.
      board \(options.board)
      set output.device \(quoted(options.device))
      set media.root \(quoted(options.media))
      set socket.path \(quoted(folder + "/control"))
      set checkpoint.path \(quoted(folder + "/checkpoint"))
      set console.tty \(quoted(folder + "/console"))
      panel \(quoted(folder + "/panel"))

      """
    for button in controls.buttons { text += "button " + button.name.text + " panel\n" }
    for knob in controls.knobs { text += "knob " + knob.name.text + " panel\n" }
    var lights: [ControlName] = []
    for light in controls.lights where !lights.contains(light.name) {
      lights.append(light.name)
      text += "remove " + light.name.text + "\n"
    }
    // Runs only without a saved state; otherwise the saved queue continues as it was.
    if options.playsAtOnce { text += "play\n" }
    try StateFile(path).replace(with: Array(text.utf8))
  }
}
