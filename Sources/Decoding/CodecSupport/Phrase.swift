// Text for the user (errors, names of formats) as UTF-8 bytes. Avoids `String`, which would add 20 kB of Unicode tables to each plugin. A
// value; worker process only.

/// Text for the user, written as a string literal with interpolated integers and phrases.
///
/// ```swift
/// let sentence: Phrase = "\(channels) channels are not played; 1 to 8 are."
/// ```
public struct Phrase: ExpressibleByStringInterpolation, Sendable {
  /// UTF-8.
  private(set) var bytes: [UInt8]

  /// Creates a phrase from a literal without interpolations.
  public init(stringLiteral text: StaticString) {
    var words = StringInterpolation(literalCapacity: text.utf8CodeUnitCount, interpolationCount: 0)
    words.appendLiteral(text)
    bytes = words.bytes
  }

  /// Creates a phrase from a literal with interpolations.
  public init(stringInterpolation words: StringInterpolation) { bytes = words.bytes }

  /// Concatenates two phrases.
  public static func + (left: Phrase, right: Phrase) -> Phrase {
    var both = left
    both += right
    return both
  }

  /// Appends one ASCII character.
  package mutating func append(ascii character: UInt8) { bytes.append(character) }

  /// Appends a phrase.
  public static func += (left: inout Phrase, right: Phrase) { left.bytes += right.bytes }

  /// The buffer that the compiler fills from an interpolated literal.
  public struct StringInterpolation: StringInterpolationProtocol, Sendable {
    fileprivate var bytes: [UInt8] = []

    /// Creates an empty buffer. Called by the compiler.
    public init(literalCapacity: Int, interpolationCount: Int) {
      bytes.reserveCapacity(literalCapacity + interpolationCount * 8)
    }

    /// Appends literal text.
    public mutating func appendLiteral(_ text: StaticString) {
      bytes += UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }

    /// Appends another phrase.
    public mutating func appendInterpolation(_ phrase: Phrase) { bytes += phrase.bytes }

    /// Appends an integer in decimal.
    public mutating func appendInterpolation(_ number: some BinaryInteger) {
      let number = Int64(clamping: number)
      if number < 0 { bytes.append(UInt8(ascii: "-")) }
      let first = bytes.count
      var rest = number.magnitude
      repeat {
        bytes.insert(UInt8(ascii: "0") + UInt8(rest % 10), at: first)
        rest /= 10
      } while rest > 0
    }
  }
}
