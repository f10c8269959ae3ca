// Names of sound devices that commands and configuration files may pass to ALSA. Test threads.

import Console
import Controls
import Platform
import PlaybackModel
import Testing

@Suite struct DeviceNameTests {
  /// Names that `aplay -L` prints, and common short forms.
  static let good = [
    "default", "null", "hw:0", "hw:1,0", "plughw:1", "plughw:CARD=Device,DEV=0", "sysdefault:CARD=PCH",
    "front:CARD=PCH,DEV=0", "surround51:CARD=PCH,DEV=0", "iec958:CARD=U0x46d0x8d7,DEV=0",
    "hdmi:CARD=vc4hdmi0,DEV=0",
    "hw:CARD=sndrpihifiberry", "dmix:CARD=b1,DEV=0", "my_equaliser", "plug:dmix", "pulse",
    "bluealsa:DEV=00:11:22:33:44:55,PROFILE=a2dp", "bluealsa:SRV=org.bluealsa,DEV=00:11:22:33:44:55",
  ]

  /// Inline definitions, files, programs, and strings that are not names.
  static let bad = [
    "file:'|touch /tmp/pwned',raw", "file:FILE='|reboot',FORMAT=raw", "file:x,raw", "file", "tee:default,x",
    "tee",
    "shm:/run/x,default", "shm", "plug:file", "plug:SLAVE=file", "plug:'file:x,raw'", "plug:\"file:|id,raw\"",
    "{ type file }", "{type plug slave.pcm {type file file \"|id\"}}", "hw:{CARD 0}", "plug:/etc/passwd",
    "default|id", "default;id", "default id", " default", "", ":0", "hw:", "hw:0,", "hw:,0", "hw:0:1", "-hw",
    "pcm.default", "hw:CARD=", "hw:=1", "$HOME", "~/x", "hw:../x", "hw:0\u{1B}[2J", "hw:0\u{7F}", "hw:ä",
    "plug:bluealsa:DEV=00:11", "bluealsa:DEV='|id'", String(repeating: "a", count: 201),
  ]

  @Test(arguments: good) func namesOfTheSystemAreTaken(name: String) throws {
    #expect(DeviceName(name)?.text == name)
    var settings = Settings()
    try settings.set("output.device", name)
    #expect(settings.outputDevice == name)
    guard
      case .controls(.source(_, .origin(.capture(let device))))? = try Interpreter.parse(
        "source a alsa \(name)")
    else {
      Issue.record("'source a alsa \(name)' is refused")
      return
    }
    #expect(device == name)
  }

  /// Through each input that takes text: a setting, a live source, and a configuration file, where the
  /// default stays.
  @Test(arguments: bad) func definitionsAreRefused(name: String) {
    #expect(DeviceName(name) == nil)
    var settings = Settings()
    #expect(throws: ConsoleError.self) { try settings.set("output.device", name) }
    #expect(throws: ConsoleError.self) { try settings.set(.outputDevice, to: .text(name)) }
    #expect(settings.isDefault(.outputDevice))
    let quoted = CommandLineText.quoted(name)
    #expect(throws: ConsoleError.self) { try Interpreter.parse("source a alsa \(quoted)") }
    let file = Configuration(Array("set output.device \(quoted)\nsource a alsa \(quoted)\n".utf8))
    #expect(file.settings.isDefault(.outputDevice) && file.controls.sources.isEmpty)
    #expect(file.problems.count == 2)
    let bound = CommandLineText.quoted("set output.device " + quoted)
    #expect(throws: ConsoleError.self) { try Interpreter.parse("bind play press " + bound) }
  }

  @Test(arguments: [
    ("snapcast:192.168.1.20", "192.168.1.20:4953"), ("snapcast:127.0.0.1:99", "127.0.0.1:99"),
    ("snapcast:[::1]:5", "[::1]:5"),
  ]) func snapcastServersHaveNumericAddresses(name: String, address: String) throws {
    #expect(OutputName.snapcastServer(name)?.text == address)
    var settings = Settings()
    try settings.set("output.device", name)
  }

  @Test(arguments: [
    "snapcast:", "snapcast:server", "snapcast:1.2.3.4:0", "snapcast:'|id'", "snapcast:1.2.3.4 x",
  ])
  func otherSnapcastServersAreRefused(name: String) {
    var settings = Settings()
    #expect(throws: ConsoleError.self) { try settings.set("output.device", name) }
  }

  @Test func theErrorNamesTheValueAndWhatIsWanted() {
    var settings = Settings()
    let error = #expect(throws: ConsoleError.self) { try settings.set("output.device", "file:'|id',raw") }
    #expect(
      error?.sentence.contains("file:'|id',raw") == true && error?.sentence.contains("aplay -L") == true)
  }
}
