// `swiftlet serve`: integrations (MPD server, MQTT, discovery), each as a process of its own. Main thread.

import CLinux
import Console
import Integrations
import Platform

/// The subcommand `serve`.
enum ServeCommand {
  static let help = """
    swiftlet serve mpd [--listen ADDRESS:PORT] [--guests WHAT] [--socket PATH]
      Lets clients of MPD (mpc, ncmpcpp, Home Assistant, Music Assistant, apps on
      a phone) use a running box (swiftlet run). A box does that by itself after
      'set mpd.listen 0.0.0.0:6600'. docs/using/mpd.md lists what is not as in MPD.
      swiftlet serve mpd                        for clients on this machine
      swiftlet serve mpd --listen '[::]:6600'   for all that reach this machine

      --listen ADDRESS:PORT   where to listen (default: 127.0.0.1:6600); numeric
      --guests WHAT           what clients without the password may do: nothing
                              (default), read or add
      --socket PATH           the box's control socket (default: as swiftlet ctl)

      The variable SWIFTLET_PASSWORD holds the password that clients have to give;
      without it they need none.

    swiftlet serve mqtt --host HOST [--port PORT] [--tls] [--ca FILE]
        [--user USER] [--prefix TOPIC] [--discovery TOPIC|off] [--name NAME]
        [--socket PATH]
      Publishes what a running box does at an MQTT broker, takes commands from
      there, and shows its entities in Home Assistant. A box does that by itself
      after 'set mqtt.host BROKER'. docs/using/mqtt.md lists the topics.
      swiftlet serve mqtt --host homeassistant.local --user box

      --host HOST             the broker's name or address
      --port PORT             its port (default: 1883, or 8883 with --tls)
      --tls                   encrypt the connection
      --ca FILE               the authority's certificate (default: the system's)
      --user USER             the user's name at the broker
      --prefix TOPIC          the topic of the box (default: swiftlet/HOSTNAME)
      --discovery TOPIC|off   where Home Assistant looks (default: homeassistant)
      --name NAME             what the box is called (default: the machine's name)

      The variable SWIFTLET_PASSWORD holds the user's password.

    swiftlet serve discovery --mpd ADDRESS:PORT [--name NAME]
      Announces an MPD server in the local network by Avahi, so that clients find
      it. A box does that by itself after 'set discovery.enabled on'.

      --mpd ADDRESS:PORT      where the MPD server listens
      --name NAME             what clients show (default: the machine's name)

    Exit status: 0 ended by a signal, 64 wrong usage, 69 it cannot listen, or
    libmosquitto or libavahi-client is missing, 71 it cannot run at all.

    """

  static func run(_ arguments: [String]) -> Int32 {
    var words = OptionWords(arguments)
    do throws(UsageError) {
      switch try words.next() {
      case "mpd": return runMPD(&words)
      case "mqtt": return runMQTT(&words)
      case "discovery": return runDiscovery(&words)
      case "--help", "-h":
        TextOutput.standardOutput.write(help)
        return 0
      case nil: return refuse("what to serve is missing: mpd, mqtt or discovery")
      case let other?:
        return refuse(
          "there is nothing called '\(other.printable())' to serve; there are mpd, mqtt and discovery"
        )
      }
    } catch {
      return refuse(error.sentence)
    }
  }

  private static func runMPD(_ words: inout OptionWords) -> Int32 {
    var address = "127.0.0.1:6600"
    var guests = "nothing"
    var socket = Environment.value("SWIFTLET_SOCKET")
    var reports = ServeReports()
    do throws(UsageError) {
      while let word = try words.next() {
        switch word {
        case "--help", "-h":
          TextOutput.standardOutput.write(help)
          return 0
        case "--listen": address = try words.value("an address such as 127.0.0.1:6600")
        case "--guests": guests = try words.value("what they may: nothing, read or add")
        case "--socket": socket = try words.value("a path")
        case "--parent": guard try reports.readParent(&words) else { return 71 }
        default: return refuse("there is no option '\(word.printable())'")
        }
      }
    } catch {
      return refuse(error.sentence)
    }
    guard let permission = MPDPermission(name: guests), permission != .everything else {
      return refuse("--guests \(guests.printable()): they may do nothing, read or add")
    }
    guard let place = NetworkAddress(address) else {
      return refuse("'\(address.printable())' is no numeric address with a port, such as 127.0.0.1:6600")
    }
    let access = MPDAccess(password: Environment.value("SWIFTLET_PASSWORD"), guests: permission)
    return serve(at: place, access, socket: socket ?? usualSocket, reports)
  }

  /// Default control socket: the service's, or the user's if only that exists.
  static var usualSocket: String {
    guard let other = ControlCommand.socketOfUser, access(Setting.usualSocketPath, F_OK) != 0,
      access(other, F_OK) == 0
    else { return Setting.usualSocketPath }
    return other
  }

  private static func serve(
    at address: NetworkAddress, _ access: MPDAccess, socket: String, _ reports: ServeReports
  ) -> Int32 {
    do throws(SystemError) {
      let signals = try TerminationSignals()
      let loop = try EventLoop()
      let listener: NetworkListener
      do throws(SystemError) {
        listener = try NetworkListener(address)
      } catch {
        return reports.giveUp("\(error.description). \(advice(error))")
      }
      try IntegrationSandbox.profile(.listening).enter()
      let link = BoxLink(path: socket, subjects: MPDServer.subjects, scheduler: loop)
      let server = try MPDServer(listener, box: link, access: access, scheduler: loop)
      server.onNote = { reports.note($0) }
      link.onEvent = { server.note($0, $1) }
      link.onPresence = { _ in server.noteBox() }
      link.start()
      try turn(loop, until: signals, reports)
      return 0
    } catch {
      TextOutput.standardError.line("swiftlet serve: cannot run: \(error.description)")
      return 71
    }
  }

  /// Runs the event loop until a termination signal. If started by the daemon, sends it heartbeats.
  static func turn(_ loop: EventLoop, until signals: TerminationSignals, _ reports: ServeReports)
    throws(SystemError)
  {
    let voice = reports.hasParent ? IntegrationVoice(loop) : nil
    var isOver = false
    let end = try DescriptorWatch(loop, readable: signals.descriptor) { isOver = true }
    while !isOver { loop.turn(waits: true) }
    withExtendedLifetime((voice, end)) {}
  }

  private static func advice(_ error: SystemError) -> String {
    switch error.code {
    case SystemError.addressInUse:
      "Another program listens there, perhaps MPD itself; end it, or name another port."
    case SystemError.accessDenied: "Ports below 1024 are for the system's own services; name another one."
    default: "Name an address of this machine, or 0.0.0.0 or [::] for all of them."
    }
  }

  static func refuse(_ reason: String) -> Int32 {
    TextOutput.standardError.write("swiftlet serve: \(reason).\n" + help)
    return 64
  }
}
