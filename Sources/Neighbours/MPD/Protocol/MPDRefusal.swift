// Why a command of MPD's protocol is not done. Pure values.

import Platform

/// The numbers of the protocol (MPD's `protocol/Ack.hxx`).
package enum MPDFault: Int, Sendable {
  case argument = 2
  case password = 3
  case permission = 4
  case unknown = 5
  case noSuchThing = 50
  case queueFull = 51
  case system = 52
  case playlistLoad = 53
  case player = 55
  case exists = 56
}

/// A refusal, as a line that begins with `ACK`.
package struct MPDRefusal: Error, Hashable, Sendable {
  /// What kind.
  package let fault: MPDFault
  /// Why, for a person.
  package let text: String

  /// A refusal.
  package init(_ fault: MPDFault, _ text: String) {
    self.fault = fault
    self.text = text
  }

  static let gone = MPDRefusal(.system, "the box does not answer; is 'swiftlet run' running?")
  static let noSuchSong = MPDRefusal(.noSuchThing, "No such song")
  static let badSongIndex = MPDRefusal(.argument, "Bad song index")

  /// What a box has refused, in the protocol's kinds.
  static func box(_ sentence: String, _ fault: MPDFault) -> MPDRefusal {
    MPDRefusal(sentence.utf8.starts(with: "The queue holds".utf8) ? .queueFull : fault, sentence)
  }

  /// The line, for the command at a place of its list.
  package func line(command: String, index: Int) -> String {
    "ACK [\(fault.rawValue)@\(index)] {\(command)} \(text.replacingControls())\n"
  }
}
