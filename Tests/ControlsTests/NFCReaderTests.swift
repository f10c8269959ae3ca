// The parts of an NFC reader: its connection, tag presence, and the reports of its process. No I/O; test
// threads.

import Controls
import PlaybackModel
import Testing

@Suite struct NFCReaderTests {
  // MARK: Connections

  @Test(arguments: [
    ("pn532_uart:/dev/ttyS0:115200", "pn532_uart:/dev/ttyS0:115200"),
    ("pn532_uart:/dev/ttyS0", "pn532_uart:/dev/ttyS0:115200"),
    (
      "pn532_uart:/dev/serial/by-id/usb-FTDI_A+b-if00:9600",
      "pn532_uart:/dev/serial/by-id/usb-FTDI_A+b-if00:9600"
    ),
    ("pn532_i2c:/dev/i2c-1", "pn532_i2c:/dev/i2c-1"),
    ("pn532_spi:/dev/spidev0.0", "pn532_spi:/dev/spidev0.0:50000"),
    ("pn532_spi:/dev/spidev0.0:5000000", "pn532_spi:/dev/spidev0.0:5000000"),
  ])
  func aConnection(_ text: String, _ complete: String) throws {
    let connection = try NFCConnection(text)
    #expect(connection.text == complete)
    #expect(try NFCConnection(complete) == connection)
  }

  @Test(arguments: [
    ("", "names no PN532"), ("uart:/dev/ttyS0", "names no PN532"),
    ("PN532_UART:/dev/ttyS0", "names no PN532"),
    ("acr122_usb", "names no PN532"), ("pn532_uart", "names no device"), ("pn532_uart:", "names no device"),
    ("pn532_uart:ttyS0", "names no device"), ("pn532_i2c:/", "names no device"),
    ("pn532_uart:/dev/tty S0", "names no device"), ("pn532_uart:/dev/tty\u{7}", "names no device"),
    ("pn532_uart:/dev/" + String(repeating: "a", count: 92), "names no device"),
    ("pn532_i2c:/dev/i2c-1:100000", "too many parts"), ("pn532_uart:/dev/ttyS0:115200:8", "too many parts"),
    ("pn532_uart:/dev/ttyS0:", "no speed of a serial line"),
    ("pn532_uart:/dev/ttyS0:+9600", "no speed of a serial"),
    ("pn532_uart:/dev/ttyS0:9601", "no speed of a serial line"),
    ("pn532_spi:/dev/spidev0.0:9999", "no speed of SPI"),
    ("pn532_spi:/dev/spidev0.0:5000001", "no speed of SPI"),
    ("pn532_spi:/dev/spidev0.0:099999", "no speed of SPI"),
    ("pn532_spi:/dev/spidev0.0:99999999999999999999", "no speed of SPI"),
  ])
  func whatIsNoConnection(_ text: String, _ sentence: String) {
    do throws(NFCConnection.Malformed) {
      _ = try NFCConnection(text)
      Issue.record("'\(text)' was taken")
    } catch {
      #expect(error.sentence.contains(sentence), "\(error.sentence)")
    }
  }

  // MARK: UIDs

  @Test(
    arguments: [
      ([0x04, 0xA2, 0x1B, 0x0C], "04a21b0c"), ([0x04, 1, 2, 3, 4, 5, 0xFF], "040102030405ff"),
      ([9, 8, 7, 6, 5, 4, 3, 2, 1, 0], "09080706050403020100"), ([0x08, 1, 2, 3, 4, 5, 6], "08010203040506"),
    ] as [([UInt8], String)])
  func aUIDIsANumber(_ uid: [UInt8], _ text: String) {
    #expect(TagID(uid: uid)?.text == text)
    #expect(TagID(uid: uid) == TagID(text))
  }

  /// Phones use random UIDs.
  @Test(
    arguments: [[], [4], [1, 2, 3, 4, 5], [0x08, 1, 2, 3], Array(repeating: 1, count: 11)] as [[UInt8]])
  func whatIsNoUID(_ uid: [UInt8]) { #expect(TagID(uid: uid) == nil) }

  // MARK: Tag presence

  /// Polls, one letter each: `a` and `b` are tags, `.` is none. The reports, and the poll after which each
  /// comes.
  @Test(arguments: [
    // Placed, held, lifted.
    ("....", "4-"), ("a", "1a"), ("....a", "4- 5a"), ("aaaa....", "1a 8-"), ("a....a", "1a 5- 6a"),
    // Flicker, at first and later.
    ("...a", "4a"), ("a...a...a...a", "1a"), ("a.a..a...a....", "1a 14-"),
    // Swapped, at once and after a while.
    ("aabbbb", "1a 6b"), ("aa..bb", "1a 6b"), ("aa....bb", "1a 6- 7b"),
    // Two tags alternately: the first one stays.
    ("abababab", "1a"), ("aabbbaab", "1a"), ("a.b.bb", "1a 5b"),
  ])
  func presence(_ looks: String, _ expected: String) {
    var presence = TagPresence()
    var found: [String] = []
    for (index, look) in looks.enumerated() {
      let seen = TagID(String(look))
      switch presence.take(seen) {
      case nil: continue
      case .present(let tag): found.append("\(index + 1)\(tag.text)")
      case .absent: found.append("\(index + 1)-")
      case let other?: Issue.record("\(other)")
      }
    }
    #expect(found.joined(separator: " ") == expected)
  }

  // MARK: Reports of its process

  @Test func aReportIsALine() throws {
    let tag = try #require(TagID("04a21b0c"))
    let reports: [ReaderReport] = [
      .beat, .present(tag), .absent, .exitReason("no PN532 answers at /dev/ttyS0"),
    ]
    var reader = ReaderReportReader()
    #expect(reader.take(reports.flatMap { $0.line }) == reports)
    // In pieces of any size.
    var found: [ReaderReport] = []
    for byte in reports.flatMap({ $0.line }) { found += reader.take([byte]) ?? [] }
    #expect(found == reports)
  }

  @Test func exitReasonAreShortAndPrintable() throws {
    var reader = ReaderReportReader()
    let words = "\u{1B}[31m\nred " + String(repeating: "ä", count: 300)
    let reports = reader.take(ReaderReport.exitReason(words).line)
    guard case .exitReason(let text) = try #require(reports?.first) else {
      Issue.record("no last words")
      return
    }
    #expect(text.hasPrefix("[31mred ä") && text.utf8.count < ReaderReport.maxLineLength)
  }

  @Test(arguments: [
    "\n", "..\n", "x\n", "--\n", "+\n", "+04a21b\n", "+04a21b0\n", "+04a21b0c0d\n", "+04A21B0C\n",
    "+04:a2:1b\n",
    "+04a21b0g\n", "+04a21b0\u{0}\n", "- \n", ". \n", String(repeating: ".", count: 401),
    "!" + String(repeating: "a", count: 400), "tag shelf 04a21b0c\n", "\u{0}\n",
  ])
  func whatNoReaderSays(_ text: String) {
    var reader = ReaderReportReader()
    #expect(reader.take(Array(text.utf8)) == nil, "\(text)")
  }

  @Test func randomBytesAreNoTrap() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      var reader = ReaderReportReader()
      let bytes = (0..<64).map { _ in
        UInt8([0x0A, 0x2B, 0x2E, 0x2D, 0x21, 0x30, 0x61, 0xFF, 0xC3].randomElement(using: &generator)!)
      }
      for report in reader.take(bytes) ?? [] {
        if case .present(let tag) = report { #expect([8, 14, 20].contains(tag.text.utf8.count)) }
      }
    }
  }
}
