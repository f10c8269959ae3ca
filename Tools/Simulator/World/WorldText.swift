// Converts a world to a script that can be read and edited, and back. Pure functions; any thread.

extension TrackPlan.Fault {
  var text: String {
    switch self {
    case .none: ""
    case .refuses: " refuses"
    case .unreadable: " unreadable"
    case .hangs: " hangs"
    case .fails(let place): " fails \(place)"
    case .crashes(let place): " crashes \(place)"
    case .sticks(let place): " sticks \(place)"
    case .truncated(let place): " truncated \(place)"
    case .stalls(let place, let length): " stalls \(place) \(length)"
    case .garbage(let place): " garbage \(place)"
    case .lies(let excess): " lies \(excess)"
    case .seekFails: " seek-fails"
    }
  }
}

extension TrackPlan {
  var text: String {
    "length \(length) opening \(opening) seeking \(seeking) speed \(speed)" + (tellsLength ? "" : " untold")
      + (album > 0 ? " album \(album)" : "") + (isOnStick ? " stick" : "") + fault.text
  }

  init(words: [Substring]) throws(ScriptFault) {
    self.init(length: 0)
    var place = 0
    func number() throws(ScriptFault) -> Int {
      guard place < words.count, let value = Int(words[place]) else {
        throw ScriptFault("'track \(words.joined(separator: " "))' lacks a number")
      }
      place += 1
      return value
    }
    while place < words.count {
      let word = words[place]
      place += 1
      switch word {
      case "length": length = try number()
      case "opening": opening = try number()
      case "seeking": seeking = try number()
      case "speed": speed = try number()
      case "untold": tellsLength = false
      case "album": album = try number()
      case "stick": isOnStick = true
      case "refuses": fault = .refuses
      case "unreadable": fault = .unreadable
      case "hangs": fault = .hangs
      case "fails": fault = .fails(try number())
      case "crashes": fault = .crashes(try number())
      case "sticks": fault = .sticks(try number())
      case "truncated": fault = .truncated(try number())
      case "stalls": fault = .stalls(try number(), try number())
      case "garbage": fault = .garbage(try number())
      case "lies": fault = .lies(try number())
      case "seek-fails": fault = .seekFails
      default: throw ScriptFault("a track has no '\(word)'")
      }
    }
  }
}

extension CardPlan {
  var text: String {
    let name =
      switch mode {
      case .deep: "deep"
      case .long: "long"
      case .shallow: "shallow"
      case .stepping(let step): "stepping \(step)"
      case .batch(let step): "batch \(step)"
      }
    return name + (drift == 0 ? "" : " drift \(drift)")
  }

  init(words: [Substring]) throws(ScriptFault) {
    self.init()
    func number(_ index: Int) throws(ScriptFault) -> Int {
      guard index < words.count, let value = Int(words[index]) else {
        throw ScriptFault("'card \(words.joined(separator: " "))' lacks a number")
      }
      return value
    }
    switch words.first {
    case "deep": mode = .deep
    case "long": mode = .long
    case "shallow": mode = .shallow
    case "stepping": mode = .stepping(try number(1))
    case "batch": mode = .batch(try number(1))
    default: throw ScriptFault("a card is deep, long, shallow, stepping STEP or batch STEP")
    }
    if let place = words.firstIndex(of: "drift") { drift = try number(place + 1) }
  }
}

extension World {
  /// The script text that `init(text:)` parses.
  package var text: String {
    var text = "rate \(rate)\n"
    text += "weather \(weather.seed.map { String($0) } ?? "calm")\n"
    text += "card \(card.text)\n"
    for (number, track) in tracks.enumerated() { text += "track \(track.text)  # \(number)\n" }
    for line in box?.lines ?? [] { text += line + "\n" }
    for line in lines { text += line.text + "\n" }
    return text + "calm \(calm)\n"
  }

  /// Parses a script.
  /// - Throws: `ScriptFault` that names the line.
  package init(text: String) throws(ScriptFault) {
    var number = 0
    for whole in text.split(separator: "\n", omittingEmptySubsequences: false) {
      number += 1
      let content = whole.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)[0]
      let words = content.split(separator: " ")
      guard let first = words.first else { continue }
      do throws(ScriptFault) {
        try read(first, Array(words.dropFirst()), content)
      } catch {
        throw ScriptFault("line \(number): \(error.description)")
      }
    }
  }

  private mutating func read(
    _ first: Substring, _ rest: [Substring], _ content: Substring
  ) throws(ScriptFault) {
    func number() throws(ScriptFault) -> Int {
      guard rest.count == 1, let value = Int(rest[0]), value > 0 else {
        throw ScriptFault("'\(first)' wants a number")
      }
      return value
    }
    switch first {
    case "rate": rate = try number()
    case "calm": calm = try number()
    case "weather":
      guard rest.count == 1, rest[0] == "calm" || UInt64(rest[0]) != nil else {
        throw ScriptFault("'weather' wants a number, or 'calm'")
      }
      weather = Weather(seed: UInt64(rest[0]))
    case "card": card = try CardPlan(words: rest)
    case "box":
      var plan = box ?? BoxPlan()
      if !rest.isEmpty { try plan.read(rest) }
      box = plan
    case "track": tracks.append(try TrackPlan(words: rest))
    default: lines.append(try Line(text: content))
    }
  }
}
