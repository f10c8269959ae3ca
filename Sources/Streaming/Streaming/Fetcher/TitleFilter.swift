// Takes Shoutcast's titles out of a station's bytes: after each `interval` bytes of sound comes a length in units of 16, and so many
// bytes of text. Pure; fetcher process.

/// Separates sound from titles, however the bytes are cut.
struct TitleFilter {
  private let interval: Int64
  /// Bytes of sound that follow before the next title; 0 at its length.
  private var sound: Int64
  /// Bytes of the title that are to come.
  private var rest = 0
  private var text: [UInt8] = []
  private var last: [UInt8] = []

  /// Of a station that sends titles every so many bytes; nil or less for one that sends none.
  init?(interval: Int64) {
    guard interval > 0 else { return nil }
    self.interval = interval
    sound = interval
  }

  /// Takes bytes as they came; hands on the sound among them, and each title that differs from the last one.
  mutating func take(
    _ bytes: UnsafeRawBufferPointer, sound use: (UnsafeRawBufferPointer) -> Void, title: (String) -> Void
  ) {
    var bytes = bytes
    while !bytes.isEmpty {
      if rest > 0 {
        let count = min(rest, bytes.count)
        text += bytes[..<count]
        rest -= count
        bytes = UnsafeRawBufferPointer(rebasing: bytes[count...])
        if rest == 0 { finish(title) }
      } else if sound > 0 {
        let count = Int(min(sound, Int64(bytes.count)))
        use(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        sound -= Int64(count)
        bytes = UnsafeRawBufferPointer(rebasing: bytes[count...])
      } else {
        rest = Int(bytes[0]) * 16
        sound = interval
        text = []
        bytes = UnsafeRawBufferPointer(rebasing: bytes[1...])
      }
    }
  }

  private mutating func finish(_ title: (String) -> Void) {
    guard let found = Self.title(in: text), found != last else { return }
    last = found
    title(String(decoding: found, as: UTF8.self))
  }

  /// What stands in `StreamTitle='…';`. Titles hold apostrophes, so the end is what ends the field.
  static func title(in text: [UInt8]) -> [UInt8]? {
    let name = Array("StreamTitle='".utf8)
    guard text.starts(with: name) else { return nil }
    var index = name.count
    while index < text.count, text[index] != 0 {
      if text[index] == 0x27, index + 1 < text.count, text[index + 1] == 0x3B { break }
      index += 1
    }
    return Array(text[name.count..<index])
  }
}
