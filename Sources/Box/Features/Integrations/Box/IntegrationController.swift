// Starts and stops the integrations (MPD server, its mDNS announcement, MQTT client) as configured. Control thread;
// never blocks.

import Console
import Integrations
import Platform

/// Keeps the integration processes in line with the settings.
final class IntegrationController: StatusSource {
  private let configuration: ConfigurationStore
  private let log: Log
  private let sessions: SessionController
  private let processes: IntegrationProcesses
  private var isOpen = false
  private var subscription: EventSubscription?

  /// Creates a controller of processes that connect to the control socket of `sessions`.
  init(
    _ configuration: ConfigurationStore, _ sessions: SessionController, _ processes: IntegrationProcesses,
    feed: EventFeed, log: Log
  ) {
    self.configuration = configuration
    self.sessions = sessions
    self.processes = processes
    self.log = log
    processes.mpd.onUp = { [unowned(unsafe) self] in followDiscovery() }
    subscription = feed.listen { [unowned(unsafe) self] stamped in
      if case .setting = stamped.event { adopt() }
    }
  }

  /// Starts the configured integrations; call once the control socket is open.
  func open() {
    isOpen = true
    adopt()
  }

  /// Stops all integrations.
  func end() {
    isOpen = false
    adopt()
  }

  var statusFields: [Field] {
    let (mpd, mqtt, discovery) = (processes.mpd, processes.mqtt, processes.discovery)
    return [("mpd", mpd.statusText), ("mqtt", mqtt.statusText), ("discovery", discovery.statusText)]
      .compactMap { name, text in text.map { Field(name, $0) } }
  }

  /// Path of the control socket that integrations connect to; empty: there is none.
  private var socket: String { sessions.socketPath ?? "" }

  private func adopt() {
    let settings = configuration.settings
    let mpd = processes.mpd
    let former = mpd.order
    let order = isOpen ? mpdOrder(settings) : nil
    if order != former, let address = settings.mpdAddress, let order {
      let isOpenToAll = order.password == nil && !address.isLoopback
      log.write(
        isOpenToAll ? .warning : .info,
        "The MPD server \(order.standing)."
          + (isOpenToAll
            ? " Every device that can reach it may use the box; 'set mpd.password' asks for a password." : "")
      )
    }
    mpd.follow(order)
    processes.mqtt.follow(isOpen ? mqttOrder(settings) : nil)
    followDiscovery()
  }

  /// Announces the MPD server only while it is running.
  private func followDiscovery() {
    processes.discovery.follow(isOpen && processes.mpd.isUp ? discoveryOrder(configuration.settings) : nil)
  }

  private func discoveryOrder(_ settings: Settings) -> IntegrationOrder? {
    guard settings.isDiscoveryEnabled, let address = settings.mpdAddress, !address.isLoopback else {
      return nil
    }
    return IntegrationOrder(
      name: "discovery",
      words: ["--mpd", address.text] + (settings.discoveryName.map { ["--name", $0] } ?? []), password: nil,
      socket: socket, standing: "looks for avahi-daemon")
  }

  private func mpdOrder(_ settings: Settings) -> IntegrationOrder? {
    guard let address = settings.mpdAddress else { return nil }
    return IntegrationOrder(
      name: "mpd", words: ["--listen", address.text, "--guests", settings.mpdGuests],
      password: settings.mpdPassword, socket: socket, standing: "listens at " + address.text)
  }

  private func mqttOrder(_ settings: Settings) -> IntegrationOrder? {
    guard let host = settings.mqttHost else { return nil }
    var words = ["--host", host, "--port", String(settings.mqttPort)]
    if settings.usesMQTTOverTLS { words.append("--tls") }
    if let path = settings.mqttAuthority { words += ["--ca", path] }
    if let user = settings.mqttUser { words += ["--user", user] }
    if let prefix = settings.mqttPrefix { words += ["--prefix", prefix] }
    words += ["--discovery", settings.mqttDiscovery ?? "off"]
    if let name = settings.mqttName { words += ["--name", name] }
    return IntegrationOrder(
      name: "mqtt", words: words, password: settings.mqttPassword, socket: socket,
      standing: "connecting to \(host), port \(settings.mqttPort)")
  }
}
