// Arguments of the `source` command. Pure; any thread.

import Controls
import Platform
import PlaybackModel

extension Arguments {
  private static let sourceWords = oneOf(
    [
      Choice("exec", "a command whose output is the sound; in the configuration file only"),
      Choice("fifo", "a FIFO that a program writes"), Choice("alsa", "a device that is captured"),
      Choice("snapcast", "a Snapcast server that the box joins as a client"),
      Choice("format", "RATE:BITS:CHANNELS of its samples"),
      Choice("takes-over", "when it is heard by itself"), Choice("latency", "its delay"),
    ].map { ($0, $0.name) })

  /// A source's name, the property to set, and its value.
  static let source: Argument<(ControlName, SourceChange)> = {
    let rest = ArgumentShape(
      name:
        "exec COMMAND|fifo PATH|alsa DEVICE|snapcast ADDRESS|format RATE:BITS:CHANNELS|takes-over always|idle|never|latency MS",
      wanted: sourceWords.shapes[0].wanted, sources: sourceWords.shapes[0].sources)
    return Argument<(ControlName, SourceChange)>(controlName.shapes + [rest]) {
      (cursor: inout WordCursor) throws(ConsoleError) -> (ControlName, SourceChange) in
      let name = try controlName.read(&cursor)
      let kind = try sourceWords.read(&cursor)
      return (name, try change(kind, &cursor))
    }
  }()

  private static func change(
    _ kind: String, _ cursor: inout WordCursor
  ) throws(ConsoleError) -> SourceChange {
    switch kind {
    case "exec": return .origin(.command(try receiver.read(&cursor)))
    case "fifo": return .origin(.fifo(try fifo.read(&cursor)))
    case "alsa": return .origin(.capture(try device.read(&cursor)))
    case "snapcast": return .origin(.snapcast(try server.read(&cursor)))
    case "format": return .format(try format.read(&cursor))
    case "takes-over": return .takesOver(try takeOver.read(&cursor))
    default: return .delay(try latency.read(&cursor))
    }
  }

  private static let receiver = Argument<String>("COMMAND", "a command for the shell, in quotes") {
    $0.utf8.isEmpty || $0.utf8.count > SettingKind.maxPathLength ? nil : $0
  }

  private static let fifo = Argument<String>("PATH", "the path of a FIFO, such as /run/airplay") {
    $0.utf8.first == 0x2F && $0.utf8.count <= SettingKind.maxPathLength ? $0 : nil
  }

  private static let device = Argument<String>(
    "DEVICE", "an ALSA device that 'arecord -L' lists, such as plughw:1"
  ) {
    DeviceName($0)?.text
  }

  /// The address or name of a Snapcast server. The receiving process resolves names each time the source
  /// starts.
  private static let server = Argument<String>(
    "ADDRESS", "the address or name of a Snapcast server, such as 192.168.1.20 or snapserver.local:1704"
  ) { word in
    ServerPlace(word, usualPort: LiveOrigin.snapcastPort)?.text
  }

  private static let format = Argument<LiveFormat>(
    "RATE:BITS:CHANNELS",
    "a format such as 44100:16:2: a rate from 8000 to 192000, 16, 24, 32 or float, and 1 or 2 channels"
  ) { LiveFormat(Spelling.small($0)) }

  private static let takeOver = oneOf([
    (Choice("always", "whenever its sound begins"), TakeOver.always),
    (Choice("idle", "while no music is heard"), .idle),
    (Choice("never", "only when 'listen' asks for it"), .never),
  ])

  private static let latency = Argument<Int>("MS", "a number of milliseconds from 200 to 2000") {
    SettingKind.integer($0, unit: "ms").flatMap { LiveSource.delays.contains($0) ? $0 : nil }
  }
}
