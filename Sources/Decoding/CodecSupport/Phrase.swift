// Words for people, as bytes: String would bring 20 kB of Unicode into every plugin. A value; worker process only.

/// A sentence or a part of one, written as a string literal with numbers and other phrases in it.
public struct Phrase: ExpressibleByStringInterpolation, Sendable {
  /// UTF-8.
  private(set) var bytes: [UInt8]

  public init(stringLiteral text: StaticString) {
    var words = StringInterpolation(literalCapacity: text.utf8CodeUnitCount, interpolationCount: 0)
    words.appendLiteral(text)
    bytes = words.bytes
  }

  public init(stringInterpolation words: StringInterpolation) { bytes = words.bytes }

  public static func + (left: Phrase, right: Phrase) -> Phrase {
    var both = left
    both += right
    return both
  }

  /// Adds one character.
  package mutating func append(ascii character: UInt8) { bytes.append(character) }

  public static func += (left: inout Phrase, right: Phrase) { left.bytes += right.bytes }

  /// What the compiler makes of a literal.
  public struct StringInterpolation: StringInterpolationProtocol, Sendable {
    fileprivate var bytes: [UInt8] = []

    /// Called by the compiler, with what it expects to append.
    public init(literalCapacity: Int, interpolationCount: Int) {
      bytes.reserveCapacity(literalCapacity + interpolationCount * 8)
    }

    public mutating func appendLiteral(_ text: StaticString) {
      bytes += UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }

    public mutating func appendInterpolation(_ phrase: Phrase) { bytes += phrase.bytes }

    /// A whole number in decimal.
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
