// The integration processes of the box. Control thread.

import Console
import Integrations
import Platform

/// The supervisors of all integration processes.
final class IntegrationProcesses {
  /// The MPD server.
  let mpd: IntegrationSupervisor
  /// The MQTT client.
  let mqtt: IntegrationSupervisor
  /// The announcement of the MPD server by mDNS.
  let discovery: IntegrationSupervisor

  init(on machine: any Machine, log: Log) {
    mpd = IntegrationSupervisor(.mpd, on: machine, log: log)
    mqtt = IntegrationSupervisor(.mqtt, on: machine, log: log)
    discovery = IntegrationSupervisor(.discovery, on: machine, log: log)
  }

  /// Integration whose process group this is; nil: none.
  func kind(ofGroup group: Int32) -> IntegrationKind? {
    [mpd, mqtt, discovery].first { $0.has(group: group) }?.kind
  }
}
