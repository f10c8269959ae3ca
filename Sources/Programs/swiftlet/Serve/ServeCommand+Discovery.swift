// `swiftlet serve discovery`: announces the MPD server on the local network by mDNS (Avahi). Main thread.

import CLinux
import Console
import Integrations
import Platform

extension ServeCommand {
  static func runDiscovery(_ words: inout OptionWords) -> Int32 {
    var address: NetworkAddress?
    var name = MachineName.own
    var reports = ServeReports()
    do throws(UsageError) {
      while let word = try words.next() {
        switch word {
        case "--help", "-h":
          TextOutput.standardOutput.write(help)
          return 0
        case "--mpd": address = NetworkAddress(try words.value("where the MPD server listens"))
        case "--name":
          name = try words.value("a name")
          guard !name.utf8.isEmpty, name.utf8.count <= 63 else {
            return refuse("a name has from 1 to 63 bytes")
          }
        // The daemon passes this option to all integrations; discovery does not use it.
        case "--socket": _ = try words.value("a path")
        case "--parent": guard try reports.readParent(&words) else { return 71 }
        default: return refuse("there is no option '\(word.printable())'")
        }
      }
    } catch {
      return refuse(error.sentence)
    }
    guard let address else { return refuse("what to announce is missing: --mpd 0.0.0.0:6600") }
    return announce(
      AnnouncedService(name: name, type: "_mpd._tcp", port: address.port, isIPv4Only: address.isIPv4),
      reports)
  }

  private static func announce(_ service: AnnouncedService, _ reports: ServeReports) -> Int32 {
    do throws(SystemError) {
      let signals = try TerminationSignals()
      let loop = try EventLoop()
      guard let library = AvahiLibrary() else { return reports.giveUp(AvahiLibrary.missing) }
      try IntegrationSandbox.profile(.announcing).enter()
      let registrar = AvahiRegistrar(library, scheduler: loop)
      let integration = DiscoveryIntegration(registrar, service, scheduler: loop)
      integration.onStanding = { reports.say($0, isTrouble: $1) }
      integration.start()
      try turn(loop, until: signals, reports)
      integration.end()
      return 0
    } catch {
      TextOutput.standardError.line("swiftlet serve: cannot run: \(error.description)")
      return 71
    }
  }
}
