// What clients of MPD and of an MQTT broker may say, and a box to an integration. The first byte of an input chooses which.

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
