// Removes the inline titles of a Shoutcast stream: every `interval` bytes of audio are followed by a length
// in units of 16 bytes and a text. Pure; fetcher process.

/// Separates audio from titles, for input in pieces of any length.
struct TitleFilter {
  private let interval: Int64
  /// Bytes of audio before the next title; 0 at its length byte.
  private var sound: Int64
  /// Bytes of the title that are missing.
  private var rest = 0
  private var text: [UInt8] = []
  private var last: [UInt8] = []

  /// Creates a filter; nil if `interval`, in bytes, is not positive, so that the stream has no titles.
  init?(interval: Int64) {
    guard interval > 0 else { return nil }
    self.interval = interval
    sound = interval
  }

  /// Processes bytes. Passes audio to `sound`, and each title that differs from the last one to `title`.
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

  /// The value of `StreamTitle='…';`. The value may contain apostrophes, so only `';` ends it.
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
