// The exit status of a capture process: encoding and decoding, and statuses of other programs. Test threads.
import PlaybackModel
import Testing

@Suite struct CaptureEndingTests {
  @Test(arguments: CaptureEnding.Step.allCases, [0, -2, -16, -32, 19, 63])
  func itIsReadAsItWasMeant(step: CaptureEnding.Step, code: Int) throws {
    let ending = CaptureEnding(step, code: Int32(code))
    #expect((1...255).contains(ending.status))
    #expect(CaptureEnding(status: ending.status) == ending && ending.code == Int32(abs(code)))
  }

  /// ALSA has its own error numbers.
  @Test(arguments: [-500_001, -77, Int32.min]) func whatIsNoErrorOfTheSystemHasNoCode(code: Int32) {
    #expect(CaptureEnding(.opening, code: code).code == 0)
  }

  @Test(arguments: [0, 1, 2, 63, 256]) func otherStatusesAreNone(status: Int32) {
    #expect(CaptureEnding(status: status) == nil)
  }
}
