// Numbers and durations in messages. Test threads.

import Platform
import Testing

@Suite struct DecimalTests {
  /// A gap that rounds to zero is no "0:00".
  @Test(
    arguments: [
      (0, "less than a second"), (0.99, "less than a second"), (1, "about 0:01"), (187, "about 3:07"),
      (3723, "about 1:02:03"),
    ] as [(Double, String)]) func aGapIsDescribed(seconds: Double, text: String)
  {
    #expect(Decimal.gap(seconds: seconds) == text)
  }
}
