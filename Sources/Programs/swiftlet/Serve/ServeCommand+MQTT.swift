// `swiftlet serve mqtt`: connects the daemon to an MQTT broker. Main thread.

import CLinux
import Console
import Integrations
import Platform

extension ServeCommand {
  /// Parsed options.
  private struct Line {
    var host: String?
    var port: Int?
    var usesTLS = false
    var authority: String?
    var user: String?
    var prefix: String?
    var discovery: String? = "homeassistant"
    var name: String?
    var socket = Environment.value("SWIFTLET_SOCKET")
    var reports = ServeReports()
  }

  static func runMQTT(_ words: inout OptionWords) -> Int32 {
    var line = Line()
    do throws(UsageError) {
      while let word = try words.next() {
        switch word {
        case "--help", "-h":
          TextOutput.standardOutput.write(help)
          return 0
        case "--host": line.host = try setting(.mqttHost, try words.value("the broker's name or address"))
        case "--port":
          guard let port = Int(try words.value("a port such as 1883")), (1...65535).contains(port) else {
            return refuse("a port is a number from 1 to 65535")
          }
          line.port = port
        case "--tls": line.usesTLS = true
        case "--ca": line.authority = Executable.absolute(try words.value("a file with certificates"))
        case "--user": line.user = try words.value("a user's name")
        case "--prefix": line.prefix = try setting(.mqttPrefix, try words.value("a topic"))
        case "--discovery": line.discovery = try setting(.mqttDiscovery, try words.value("a topic, or off"))
        case "--name": line.name = try words.value("a name")
        case "--socket": line.socket = try words.value("a path")
        case "--parent": guard try line.reports.readParent(&words) else { return 71 }
        default: return refuse("there is no option '\(word.printable())'")
        }
      }
    } catch {
      return refuse(error.sentence)
    }
    guard let host = line.host else { return refuse("the broker is missing: --host NAME") }
    return serve(line, host)
  }

  /// Parses a value with the rules of a setting.
  ///
  /// - Returns: The value; nil for the setting's special word, such as `off`.
  /// - Throws: `UsageError` if the value is invalid.
  private static func setting(_ setting: Setting, _ word: String) throws(UsageError) -> String? {
    do throws(ConsoleError) {
      guard case .text(let text) = try setting.declaration.read([word]) else { return nil }
      return text
    } catch {
      throw UsageError(error.sentence)
    }
  }

  private static func serve(_ line: Line, _ host: String) -> Int32 {
    do throws(SystemError) {
      let signals = try TerminationSignals()
      let loop = try EventLoop()
      let library: MosquittoLibrary
      do throws(MosquittoMissing) {
        library = try MosquittoLibrary()
      } catch {
        return line.reports.giveUp(error.sentence)
      }
      let options = options(line, host)
      try IntegrationSandbox.profile(.connecting(reading: line.authority.map { [$0] } ?? [])).enter()
      let link = BoxLink(path: line.socket ?? usualSocket, subjects: MQTTFeed.subjects, scheduler: loop)
      let broker = MosquittoBroker(library, options, scheduler: loop)
      let integration = MQTTIntegration(
        broker, box: link, options, scheduler: loop, wallClock: WallClock.seconds)
      integration.onStanding = { line.reports.say($0, isTrouble: $1) }
      link.onEvent = { integration.note($0, $1) }
      link.onPresence = { integration.noteBox($0) }
      link.start()
      integration.start()
      try turn(loop, until: signals, line.reports)
      integration.end()
      broker.farewell()
      return 0
    } catch {
      TextOutput.standardError.line("swiftlet serve: cannot run: \(error.description)")
      return 71
    }
  }

  private static func options(_ line: Line, _ host: String) -> MQTTOptions {
    let machine = MachineName.own
    var options = MQTTOptions(
      host: host, port: line.port ?? (line.usesTLS ? 8883 : 1883),
      prefix: line.prefix ?? "swiftlet/" + MQTTOptions.level(machine), discovery: line.discovery,
      name: line.name ?? machine, identity: MQTTOptions.identity(machine: MachineName.number, name: machine),
      version: Swiftlet.version)
    options.usesTLS = line.usesTLS
    options.authority = line.authority
    options.user = line.user
    options.password = Environment.value("SWIFTLET_PASSWORD")
    return options
  }
}
