// Fuzz target: messages of MPD clients, an MQTT broker, and the box's answers to integrations. The first byte of an
// input selects which.

import Fuzzing
import Glibc
import Integrations

@main struct FuzzIntegrations {
  static func main() {
    exit(
      runFuzzer { data, size in
        let bytes = input(data, size)
        let rest = Array(bytes.dropFirst())
        switch bytes.first {
        case 0x62: IntegrationFuzzing.answers(rest)
        case 0x6D: IntegrationFuzzing.messages(rest)
        default: IntegrationFuzzing.client(rest)
        }
        return 0
      })
  }
}
