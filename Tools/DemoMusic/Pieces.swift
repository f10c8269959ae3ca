// Scores of the demo's four pieces. Chords are MIDI note numbers; times are in beats.

/// Piece of music.
struct Piece: Sendable {
  let title: String
  let rate: Int
  let seconds: Double
  let play: @Sendable (inout Mix, Pulse) -> Void
  let beatsPerMinute: Double

  /// Renders the piece to interleaved stereo.
  func rendered() -> [Int16] {
    var mix = Mix(seconds: seconds, rate: rate)
    play(&mix, Pulse(beat: 60 / beatsPerMinute))
    return mix.mastered(peak: 0.8)
  }
}

/// Tempo: converts beats to seconds.
struct Pulse {
  let beat: Double

  /// Adds a note with times in beats.
  func note(
    _ mix: inout Mix, _ voice: Voice, _ at: Double, _ length: Double, _ pitch: Int, _ level: Float,
    pan: Float = 0
  ) {
    mix.add(voice, at: at * beat, for: length * beat, pitch: Double(pitch), level: level, pan: pan)
  }
}

extension Piece {
  /// The album: one piece that is cut into three tracks. D major, slow.
  static let harbour = Piece(
    title: "Harbour", rate: 44100, seconds: 36, play: playHarbour, beatsPerMinute: 88)
  /// A waltz in A minor for kalimba and music box.
  static let lanterns = Piece(
    title: "Paper Lanterns", rate: 44100, seconds: 22, play: playLanterns, beatsPerMinute: 132)
  /// A steady pulse in E minor.
  static let tram = Piece(title: "Night Tram", rate: 48000, seconds: 20, play: playTram, beatsPerMinute: 112)
  /// A lullaby in F major.
  static let lastLight = Piece(
    title: "Last Light", rate: 44100, seconds: 15, play: playLastLight, beatsPerMinute: 76)

  private static func playHarbour(_ mix: inout Mix, _ pulse: Pulse) {
    let chords = [
      [38, 57, 61, 64, 66], [35, 54, 57, 61, 62], [31, 54, 59, 62, 66], [33, 55, 59, 61, 64],
      [38, 57, 61, 64, 66], [42, 57, 61, 64, 69], [31, 55, 59, 62, 66], [33, 57, 59, 62, 64],
      [35, 54, 57, 62, 66], [40, 55, 59, 62, 66], [31, 54, 59, 62, 69], [33, 55, 61, 64, 67],
      [38, 57, 62, 66, 69],
    ]
    let melody: [(Double, Double, Int)] = [
      (4, 1.5, 69), (5.5, 0.5, 71), (6, 2, 66), (8, 1, 62), (9, 1, 64), (10, 2, 66), (12, 1.5, 64),
      (13.5, 0.5, 62), (14, 2, 61), (16, 1, 66), (17, 0.5, 69), (17.5, 2.5, 74), (20, 1.5, 73),
      (21.5, 0.5, 69), (22, 2, 64), (24, 1, 66), (25, 1, 67), (26, 1.5, 71), (27.5, 0.5, 69), (28, 3.5, 64),
      (32, 1, 74), (33, 0.5, 73), (33.5, 1.5, 69), (35, 1, 66), (36, 1.5, 71), (37.5, 0.5, 69), (38, 2, 67),
      (40, 1, 66), (41, 1, 69), (42, 1, 74), (43, 1, 78), (44, 2, 76), (46, 2, 73), (48, 4, 74),
    ]
    for (bar, chord) in chords.enumerated() {
      let at = Double(bar * 4)
      pulse.note(&mix, .bass, at, 1.8, chord[0], 0.34)
      if bar < 12 { pulse.note(&mix, .bass, at + 2.5, 1.2, chord[0] + (bar % 2 == 0 ? 7 : 12), 0.22) }
      for (i, pitch) in chord.dropFirst().enumerated() {
        let pan = Float(i) * 0.3 - 0.45
        pulse.note(&mix, .pad, at, 4, pitch, 0.052, pan: -pan)
        pulse.note(&mix, .keys, at + Double(i) * 0.035, 1.4, pitch, 0.11, pan: pan)
        if bar < 12 { pulse.note(&mix, .keys, at + 1.5 + Double(i) * 0.5, 0.9, pitch, 0.075, pan: pan) }
      }
      if bar >= 2, bar < 12 {
        for beat in [0.0, 2.5] { pulse.note(&mix, .kick, at + beat, 0.3, 36, 0.34) }
        for beat in [1.0, 3.0] { pulse.note(&mix, .brush, at + beat, 0.3, 60, 0.1, pan: 0.1) }
        for eighth in 0..<8 {
          let swing = eighth % 2 == 1 ? 0.08 : 0
          let level: Float = eighth % 2 == 1 ? 0.055 : 0.03
          pulse.note(&mix, .shaker, at + Double(eighth) / 2 + swing, 0.2, 60, level, pan: -0.35)
        }
      }
    }
    for (at, length, pitch) in melody {
      let voice: Voice = at < 16 || at >= 46 ? .kalimba : .flute
      pulse.note(&mix, voice, at, length * 0.95, pitch, voice == .flute ? 0.12 : 0.24, pan: 0.15)
      if at >= 32 { pulse.note(&mix, .bell, at, length, pitch + 12, 0.045, pan: -0.3) }
    }
  }

  private static func playLanterns(_ mix: inout Mix, _ pulse: Pulse) {
    let chords = [
      [45, 64, 69, 72], [41, 65, 69, 72], [36, 64, 67, 72], [43, 62, 67, 71], [45, 64, 69, 72],
      [38, 65, 69, 74], [40, 64, 68, 71], [45, 64, 69, 72],
    ]
    let melody: [(Double, Double, Int)] = [
      (0, 2, 76), (2, 1, 81), (3, 2, 79), (5, 1, 77), (6, 1, 76), (7, 1, 74), (8, 1, 72), (9, 3, 74),
      (12, 2, 76), (14, 1, 81), (15, 2, 84), (17, 1, 81), (18, 1, 80), (19, 1, 76), (20, 1, 80), (21, 3, 81),
    ]
    for round in 0..<2 {
      for (bar, chord) in chords.enumerated() {
        let at = Double(round * 24 + bar * 3)
        guard at < 45 else { continue }
        pulse.note(&mix, .bass, at, 1.4, chord[0], 0.22)
        pulse.note(&mix, .kalimba, at, 1, chord[0] + 12, 0.16, pan: -0.3)
        for beat in [1.0, 2.0] {
          for (i, pitch) in chord.dropFirst().enumerated() {
            pulse.note(
              &mix, .kalimba, at + beat + Double(i) * 0.03, 1, pitch, 0.09, pan: 0.35 - Float(i) * 0.35)
          }
          pulse.note(&mix, .shaker, at + beat, 0.2, 60, 0.04, pan: 0.4)
        }
      }
      for (at, length, pitch) in melody where round == 0 || at < 21 {
        pulse.note(&mix, .bell, at + Double(round * 24), length, pitch, 0.16, pan: 0.1)
        if round == 1 { pulse.note(&mix, .flute, at + 24, length * 0.9, pitch - 12, 0.07, pan: -0.25) }
      }
    }
    for (i, pitch) in [45, 57, 64, 69, 72, 76].enumerated() {
      pulse.note(&mix, .kalimba, 45 + Double(i) * 0.22, 2, pitch, 0.14, pan: Float(i) * 0.15 - 0.4)
    }
  }

  private static func playTram(_ mix: inout Mix, _ pulse: Pulse) {
    let chords = [[40, 64, 67, 71], [36, 64, 67, 71], [43, 62, 67, 71], [38, 62, 66, 69]]
    for bar in 0..<9 {
      let chord = bar == 8 ? chords[0] : chords[bar / 1 % 4]
      let at = Double(bar * 4)
      for pitch in chord.dropFirst() { pulse.note(&mix, .pad, at, 4, pitch - 12, 0.07, pan: 0) }
      guard bar < 8 else { continue }
      for eighth in 0..<8 {
        pulse.note(&mix, .bass, at + Double(eighth) / 2, 0.4, chord[0] - (eighth == 6 ? 5 : 0), 0.21)
      }
      for sixteenth in 0..<16 {
        let pitch = chord[1 + [0, 1, 2, 1, 2, 0, 1, 2][sixteenth % 8]] + (sixteenth % 3 == 2 ? 12 : 0)
        let swell = Float(0.05 + 0.03 * Double(bar) / 8)
        let pan: Float = sixteenth % 2 == 0 ? -0.5 : 0.5
        pulse.note(&mix, .keys, at + Double(sixteenth) / 4, 0.2, pitch, swell, pan: pan)
      }
      for beat in 0..<4 { pulse.note(&mix, .kick, at + Double(beat), 0.3, 36, 0.36) }
      for beat in [1.0, 3.0] where bar >= 1 { pulse.note(&mix, .brush, at + beat, 0.3, 60, 0.13) }
      for eighth in 0..<4 { pulse.note(&mix, .shaker, at + Double(eighth) + 0.5, 0.2, 60, 0.06, pan: 0.3) }
      let answer = [76, 74, 71, 69][bar % 4]
      if bar >= 2 {
        pulse.note(&mix, .flute, at + 1.5, 0.9, answer, 0.07, pan: 0.2)
        pulse.note(&mix, .flute, at + 2.5, 1.3, answer - 2 + bar % 2 * 4, 0.06, pan: 0.2)
      }
    }
  }

  private static func playLastLight(_ mix: inout Mix, _ pulse: Pulse) {
    let chords = [[41, 60, 65, 69], [38, 57, 62, 65], [34, 58, 62, 65], [41, 60, 65, 69]]
    let melody: [(Double, Double, Int)] = [
      (0, 1, 72), (1, 1, 77), (2, 2, 76), (4, 1, 74), (5, 1, 77), (6, 2, 81), (8, 1, 79), (9, 1, 77),
      (10, 1, 74), (11, 1, 76), (12, 4, 77),
    ]
    for (bar, chord) in chords.enumerated() {
      let at = Double(bar * 4)
      pulse.note(&mix, .bass, at, 3, chord[0], 0.22)
      for (i, pitch) in chord.dropFirst().enumerated() {
        pulse.note(&mix, .pad, at, 4, pitch, 0.07, pan: Float(i) * 0.4 - 0.4)
        pulse.note(&mix, .keys, at + Double(i) * 0.5, 3, pitch, 0.12, pan: Float(i) * 0.3 - 0.3)
        if bar < 3 { pulse.note(&mix, .keys, at + 2 + Double(i) * 0.5, 2, pitch + 12, 0.06) }
      }
    }
    for (at, length, pitch) in melody { pulse.note(&mix, .bell, at, length, pitch, 0.14, pan: 0.15) }
  }
}
