// MPD's commands about the connection (ping, password, idle, tagtypes), about the supported commands and formats, and
// about client-to-client messages. Pure.

import Platform
import PlaybackModel

extension MPDCommand {
  static let connection: [MPDCommand] = [
    MPDCommand("ping", needs: .nothing) { (_, _) throws(MPDRefusal) in .done },
    MPDCommand("close", needs: .nothing) { (_, _) throws(MPDRefusal) in .close },
    MPDCommand("password", 1...1, needs: .nothing) { (call, session) throws(MPDRefusal) in
      .login(isRight: session.access.password.map { SecretText.matches(call.first(), $0) } ?? false)
    },
    MPDCommand("idle", many, needs: .read) { (call, _) throws(MPDRefusal) in
      var wanted: [MPDSubsystem] = []
      for name in call.arguments { wanted.append(try MPDSubsystem(named: name)) }
      return .idle(wanted.isEmpty ? MPDSubsystem.allCases : wanted)
    },
    MPDCommand("binarylimit", 1...1, needs: .nothing) { (call, session) throws(MPDRefusal) in
      let count = try MPDArguments.count(call.first(), most: MPDSession.binaryLimits.upperBound)
      guard MPDSession.binaryLimits.contains(count) else { throw MPDRefusal(.argument, "Value too small") }
      session.binaryLimit = count
      return .done
    },
    MPDCommand("tagtypes", many, needs: .nothing) { (call, session) throws(MPDRefusal) in
      try tagTypes(call.arguments, &session)
    },
    MPDCommand("commands", needs: .nothing) { (_, session) throws(MPDRefusal) in
      var lines = MPDLines()
      for command in table where command.permission <= session.permission {
        lines.add("command", command.name)
      }
      return .answer(lines)
    },
    MPDCommand("notcommands", needs: .nothing) { (_, session) throws(MPDRefusal) in
      var lines = MPDLines()
      for command in table where command.permission > session.permission {
        lines.add("command", command.name)
      }
      return .answer(lines)
    },
    MPDCommand("urlhandlers", needs: .read) { (_, _) throws(MPDRefusal) in
      var lines = MPDLines()
      for scheme in ["http://", "https://"] { lines.add("handler", scheme) }
      return .answer(lines)
    },
    MPDCommand("decoders", needs: .read) { (_, _) throws(MPDRefusal) in
      var lines = MPDLines()
      for kind in MusicKind.all {
        lines.add("plugin", kind.codec)
        for ending in kind.endings { lines.add("suffix", ending) }
      }
      return .answer(lines)
    },
    MPDCommand("channels", needs: .read) { (_, _) throws(MPDRefusal) in .listChannels },
    MPDCommand("sendmessage", 2...2) { (call, _) throws(MPDRefusal) in
      .tell(channel: try channel(call.first()), call.second())
    },
    MPDCommand("subscribe", 1...1, needs: .read) { (call, session) throws(MPDRefusal) in
      let name = try channel(call.first())
      guard !session.channels.contains(name) else {
        throw MPDRefusal(.exists, "already subscribed to this channel")
      }
      guard session.channels.count < maxChannels else {
        throw MPDRefusal(.exists, "subscription list is full")
      }
      session.channels.append(name)
      return .told(.subscription)
    },
    MPDCommand("unsubscribe", 1...1, needs: .read) { (call, session) throws(MPDRefusal) in
      guard let place = session.channels.firstIndex(of: try channel(call.first())) else {
        throw MPDRefusal(.noSuchThing, "not subscribed to this channel")
      }
      session.channels.remove(at: place)
      return .told(.subscription)
    },
    MPDCommand("readmessages", needs: .read) { (_, session) throws(MPDRefusal) in
      var lines = MPDLines()
      for message in session.messages {
        lines.add("channel", message.channel)
        lines.add("message", message.text)
      }
      session.messages = []
      return .answer(lines)
    },
  ]

  /// Maximum number of channels to which a client may subscribe.
  static let maxChannels = 16
  /// Maximum number of messages queued for a client; further ones are dropped.
  static let maxMessages = 64

  static func channel(_ name: String) throws(MPDRefusal) -> String {
    let isFine = name.utf8.allSatisfy { byte in
      (byte >= 0x30 && byte <= 0x39) || (byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A)
        || [0x2D, 0x2E, 0x3A, 0x5F].contains(byte)
    }
    guard isFine, !name.utf8.isEmpty, name.utf8.count <= 256 else {
      throw MPDRefusal(.argument, "invalid channel name")
    }
    return name
  }

  private static func tagTypes(
    _ words: [String], _ session: inout MPDSession
  ) throws(MPDRefusal) -> MPDPlan {
    guard let verb = words.first else {
      var lines = MPDLines()
      for tag in session.tags { lines.add("tagtype", tag.rawValue) }
      return .answer(lines)
    }
    var named: [MPDTag] = []
    for word in words.dropFirst()
    where !MPDTag.others.contains(where: { MPDTag.small($0) == MPDTag.small(word) }) {
      named.append(try MPDTag(named: word))
    }
    switch verb {
    case "all" where words.count == 1: session.tags = MPDTag.allCases
    case "clear" where words.count == 1: session.tags = []
    case "enable" where words.count > 1:
      session.tags = MPDTag.allCases.filter { session.tags.contains($0) || named.contains($0) }
    case "disable" where words.count > 1: session.tags = session.tags.filter { !named.contains($0) }
    case "enable", "disable": throw MPDRefusal(.argument, "Not enough arguments")
    default: throw MPDRefusal(.argument, "Unknown sub command")
    }
    return .done
  }
}
