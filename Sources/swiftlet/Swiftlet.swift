// The executable's entry: picks the subcommand.

import CLinux
import Decoding
import Platform

@main
struct Swiftlet {
  static func main() {
    let arguments = Arguments.all()
    let rest = Array(arguments.dropFirst(2))
    switch arguments.dropFirst().first {
    case "worker": exit(CodecWorkerMain.run(rest))
    case "probe": exit(ProbeCommand.run(rest))
    case "codecs": exit(CodecsCommand.run(rest))
    default: print("swiftlet")
    }
  }
}
