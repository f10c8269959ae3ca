// `swiftlet run`: parses the daemon's command line and runs it. Main thread.

import Daemon
import CLinux
import Platform

/// The subcommand `run`.
enum RunCommand {
  static let help = """
    swiftlet run [--config FILE] [--board NAME] [--strict]
      Runs the daemon of a box: plays its queue and takes commands on the control
      socket (swiftlet ctl) and on a serial console, until 'shutdown' or SIGTERM.
      Without a configuration it uses defaults; whatever fails is logged and
      retried.

      --config FILE   settings and commands, one per line (default:
                      /etc/swiftlet/swiftlet.conf)
      --board NAME    begin with a board's profile ('swiftlet boards' lists them)
      --strict        exit at the first event that the engine does not expect (for
                      tests)

      'swiftlet help --markdown' prints all commands and settings.

    Exit status: 0 ended by a signal, 10 by the command 'shutdown', 64 wrong usage,
    71 it cannot run at all.

    """

  static let usualConfiguration = "/etc/swiftlet/swiftlet.conf"
  /// Configuration of the service, and the initial one from the package, which the service copies.
  static let configurations = ["/var/lib/swiftlet/swiftlet.conf", usualConfiguration]

  static func run(_ arguments: [String]) -> Int32 {
    var options = BoxOptions()
    options.configuration = usualConfiguration
    options.version = Swiftlet.version
    // A folder in /run (memory), which systemd keeps across restarts of the service.
    options.starts = Environment.value("RUNTIME_DIRECTORY").map { $0 + "/starts" }
    options.socketOfUser = ControlCommand.socketOfUser
    do throws(UsageError) {
      var words = OptionWords(arguments)
      while let word = try words.next() {
        switch word {
        case "--help", "-h":
          TextOutput.standardOutput.write(help)
          return 0
        case "--strict": options.isStrict = true
        case "--board":
          let name = try words.value("a name")
          guard BoardProfiles.text(of: name) != nil else {
            TextOutput.standardError.line(
              "swiftlet run: there is no board '\(name)'; 'swiftlet boards' lists them")
            return 64
          }
          options.board = name
        case "--config": options.configuration = try words.value("a file")
        default: return refuse("there is no option '\(word)'")
        }
      }
    } catch {
      return refuse(error.sentence)
    }
    do throws(SystemError) {
      return try Box(options, on: LinuxMachine()).run()
    } catch {
      TextOutput.standardError.line("swiftlet: cannot run: \(error.description)")
      return 71
    }
  }

  private static func refuse(_ reason: String) -> Int32 {
    TextOutput.standardError.write("swiftlet run: \(reason).\n" + help)
    return 64
  }
}
