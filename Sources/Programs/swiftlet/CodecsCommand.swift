// `swiftlet codecs`: lists codec plugins, and why some cannot be loaded. Main thread.

import Decoding
import Platform

/// The subcommand `codecs [DIRECTORY]`.
enum CodecsCommand {
  static let help = """
    swiftlet codecs [FOLDER]
      Lists the codec plugins with the files they play, and says of each other one
      why it cannot be used. Without FOLDER: those that 'swiftlet play' takes, from
      the folder beside the program or from SWIFTLET_CODECS.

    """

  /// Runs the subcommand.
  ///
  /// - Parameter arguments: Arguments after the subcommand.
  /// - Returns: Exit status.
  static func run(_ arguments: [String]) -> Int32 {
    guard !HelpCommand.isAsked(arguments) else {
      HelpCommand.show("codecs")
      return 0
    }
    guard arguments.count <= 1 else {
      TextOutput.standardError.write("swiftlet codecs: names one folder at most.\n" + help)
      return 64
    }
    // The default search path of `swiftlet play`.
    let plugins = Inspection.plugins(in: arguments.first ?? Environment.value("SWIFTLET_CODECS") ?? "")
    if plugins.isEmpty {
      TextOutput.standardError.line(
        "swiftlet codecs: no plugins found; they are called libSwiftletCodec….so, and 'swiftlet codecs FOLDER' looks elsewhere."
      )
      return 1
    }
    var status: Int32 = 0
    for plugin in plugins {
      if let description = plugin.description {
        TextOutput.standardOutput.line("\(description.name) \(description.version)")
        TextOutput.standardOutput.line("  files  \(description.extensions)")
        TextOutput.standardOutput.line("  types  \(description.mimeTypes)")
        TextOutput.standardOutput.line("  from   \(plugin.path)")
      } else {
        TextOutput.standardError.line("swiftlet codecs: \(plugin.path) is not usable. \(plugin.refusal)")
        status = 1
      }
    }
    return status
  }
}
