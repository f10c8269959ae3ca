// The properties of all declared commands agree with each other. Test threads.

import Testing

@testable import Console

@Suite struct CommandPropertyTests {
  /// A line for each declared command: its examples, or its name if it needs no argument.
  private static let lines: [String] = CommandTable.declarations.flatMap { declaration in
    declaration.examples.isEmpty ? [declaration.name] : declaration.examples
  }

  private static func command(_ line: String) throws -> Command {
    try #require(try Interpreter.parse(Array(line.utf8)), "\(line)")
  }

  @Test func eachDeclarationIsCovered() throws {
    #expect(Self.lines.count > 80)
    for line in Self.lines { _ = try Self.command(line) }
  }

  @Test(arguments: lines) func propertiesAgree(line: String) throws {
    let command = try Self.command(line)
    let properties = command.properties
    // A command that requests silence starts nothing.
    if properties.silence == .requests { #expect(properties.starts == .never, "\(line)") }
    // A command that starts chosen music revokes an earlier request for silence.
    if properties.starts == .always, properties.chooses == .always {
      #expect(properties.silence == .ends, "\(line)")
    }
    // A command that plays paths looks them up.
    if !command.playedNames.isEmpty { #expect(properties.reply == .mayWait, "\(line)") }
    // A locked session neither plays nor changes anything.
    if properties.uses.contains(.locked) {
      #expect(properties.starts == .never && properties.uses.isDisjoint(with: [.network, .binding, .file]))
    }
    // Network clients get no more than local users.
    if properties.uses.contains(.network) { #expect(properties.uses.contains(.binding), "\(line)") }
    #expect(IntegrationKind.mpd.mayGive(command) == properties.uses.contains(.mpd))
    // What a network client publishes for MQTT is sent by the MQTT client.
    if properties.uses.contains(.network) { #expect(IntegrationKind.mqtt.mayGive(command), "\(line)") }
  }

  /// A session that is locked accepts what unlocks, explains or ends it, and no other command.
  @Test func aLockedSessionAcceptsFourCommands() throws {
    let accepted = try Self.lines.filter { try Self.command($0).properties.uses.contains(.locked) }
    #expect(Set(accepted.compactMap { $0.split(separator: " ").first }) == ["format", "pin", "help", "exit"])
  }
}
