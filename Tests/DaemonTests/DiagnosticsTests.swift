// The findings of `swiftlet doctor` for given facts, and for output of the kernel and systemd. Test threads.

import Foundation
import Testing

@testable import Daemon

@Suite struct DiagnosticsTests {
  /// A Raspberry Pi without any problem.
  private static var healthy: BoxFacts {
    var facts = BoxFacts()
    facts.model = "Raspberry Pi 4 Model B Rev 1.5"
    facts.user = .init(name: "pi", groups: ["pi", "audio"])
    facts.service = .init(name: "swiftlet", groups: ["swiftlet", "audio", "gpio", "input", "dialout"])
    facts.power = []
    facts.cards = ["sndrpihifiberry"]
    facts.overlays = ["hifiberry-dac", "vc4-kms-v3d,noaudio"]
    facts.codecs = 5
    facts.configuration.path = "/var/lib/swiftlet/swiftlet.conf"
    facts.configuration.isReadable = true
    facts.configuration.board = "raspberry-pi-4"
    facts.configuration.output = "hw:CARD=sndrpihifiberry"
    facts.configuration.controls = 5
    facts.unit = .init(load: "loaded", active: "active", file: "enabled", restarts: 0)
    facts.updates = .init(
      isAutomatic: true, hasSource: true,
      timer: .init(load: "loaded", active: "active", file: "enabled", restarts: 0), result: nil)
    facts.daemon = .answers(
      [
        .init("state", "idle"), .init("output", "ALSA hw:CARD=sndrpihifiberry: 44100 Hz"),
        .init("checkpoint", "written 3 s ago"),
      ], .init(isRealtime: true, lockedMemory: 8192))
    facts.roots = [.init("/srv/music", isThere: true, isReadable: true, hasMusic: true)]
    return facts
  }

  @Test func aBoxInOrderHasNothingToDo() {
    let diagnostics = Diagnostics(Self.healthy)
    #expect(diagnostics.isFine && diagnostics.next == nil, "\(String(describing: diagnostics.next))")
    #expect(diagnostics.outcomes.allSatisfy { $0.verdict == .fine && $0.remedy.isEmpty })
    #expect(diagnostics.outcomes.count >= 13)
  }

  struct Fault: Sendable {
    let step: String
    /// Texts expected in the finding and in its remedy.
    let words: (String, String)
    var isProblem = true
    let make: @Sendable (inout BoxFacts) -> Void
  }

  private static let faults: [Fault] = [
    Fault(step: "bindings", words: ("'nosuch'", "swiftlet ctl controls"), isProblem: false) {
      $0.controlWarnings = ["A binding names 'nosuch', but no such button or knob is declared."]
    },
    Fault(step: "power", words: ("too little voltage just now", "supply")) { $0.power = [.isLow, .wasLow] },
    Fault(step: "power", words: ("since the board was started", "supply"), isProblem: false) {
      $0.power = [.wasLow]
    },
    Fault(step: "power", words: ("too hot", "air"), isProblem: false) { $0.power = [.wasThrottled] },
    Fault(step: "sound card", words: ("names no overlay", "dtoverlay=hifiberry-dac")) {
      $0.cards = []
      $0.overlays = ["vc4-kms-v3d"]
    },
    Fault(step: "sound card", words: ("although config.txt names", "reboot")) { $0.cards = [] },
    Fault(step: "sound card", words: ("no sound card", "Plug one in")) {
      $0.cards = []
      $0.overlays = nil
    },
    Fault(step: "sound card", words: ("'sndrpihifiberry', and there is: Headphones", "hw:CARD=Headphones")) {
      $0.cards = ["Headphones"]
    },
    Fault(step: "codecs", words: ("No codec plugin", "Install")) { $0.codecs = 0 },
    Fault(step: "configuration", words: ("there is no file /tmp/x.conf", "--config")) {
      $0.configuration.path = "/tmp/x.conf"
      $0.configuration.isThere = false
      $0.configuration.isNamed = true
    },
    Fault(
      step: "configuration", words: ("line 3: there is no setting", "nano /var/lib/swiftlet/swiftlet.conf")
    ) {
      $0.configuration.problems = ["line 3: there is no setting 'x'"]
    },
    Fault(step: "board", words: ("Raspberry Pi 4", "board raspberry-pi-4"), isProblem: false) {
      $0.configuration.board = nil
      $0.configuration.controls = 0
    },
    Fault(step: "service", words: ("no service", "apt install")) { $0.unit?.load = "not-found" },
    Fault(step: "service", words: ("does not run", "enable --now")) { $0.unit?.active = "inactive" },
    Fault(step: "service", words: ("does not start", "journalctl")) { $0.unit?.active = "failed" },
    Fault(step: "service", words: ("7 times", "report")) { $0.unit?.restarts = 7 },
    Fault(step: "service", words: ("at power-on", "enable swiftlet"), isProblem: false) {
      $0.unit?.file = "disabled"
    },
    Fault(step: "rights", words: ("not in gpio, input", "usermod -aG gpio,input swiftlet")) {
      $0.service?.groups = ["audio", "dialout"]
    },
    Fault(step: "updates", words: ("swiftlet.sources is missing", "Package source"), isProblem: false) {
      $0.updates?.hasSource = false
    },
    Fault(step: "updates", words: ("timer does not run", "swiftlet-update.timer"), isProblem: false) {
      $0.updates?.timer.active = "inactive"
    },
    Fault(
      step: "updates", words: ("1.3 does not work (it ended after 5 s)", "journalctl -u swiftlet-update"),
      isProblem: false
    ) {
      $0.updates?.result =
        "2026-11-29 03:31 Swiftlet 1.3 does not work (it ended after 5 s): 1.2 is installed again"
    },
    Fault(step: "daemon", words: ("No daemon answers", "journalctl")) { $0.daemon = .silent },
    Fault(
      step: "daemon", words: ("at /run/swiftlet/control does not respond", "systemctl restart swiftlet")
    ) {
      $0.daemon = .unresponsive(socket: "/run/swiftlet/control")
    },
    Fault(step: "daemon", words: ("at /home/me/control does not respond", "'swiftlet run'")) {
      $0.daemon = .unresponsive(socket: "/home/me/control")
      $0.unit = nil
    },
    Fault(step: "output", words: ("cannot open its sound card: none: busy", "fuser")) {
      $0.daemon = .answers([.init("output", "none: busy")], nil)
    },
    Fault(step: "controls", words: ("button play: line 5 (and 1 more)", "gpioinfo")) {
      $0.daemon = .answers(
        [.init("control-missing", "button play: line 5"), .init("control-missing", "button next: line 6")],
        nil)
    },
    Fault(step: "real time", words: ("no real-time priority", "LimitRTPRIO"), isProblem: false) {
      $0.daemon = .answers([], .init(isRealtime: false, lockedMemory: 1024))
    },
    Fault(step: "memory", words: ("No memory is locked", "LimitMEMLOCK"), isProblem: false) {
      $0.daemon = .answers([], .init(isRealtime: true, lockedMemory: 0))
    },
    Fault(step: "clock", words: ("not known", "timedatectl"), isProblem: false) {
      $0.daemon = .answers([.init("clock", "not known, since")], .init(isRealtime: true, lockedMemory: 8192))
    },
    Fault(step: "music", words: ("/srv/music is not there", "mkdir -p /srv/music")) {
      $0.roots[0] = .init("/srv/music", isThere: false, isReadable: false, hasMusic: false)
    },
    Fault(step: "music", words: ("may not read", "chmod -R a+rX /srv/music")) {
      $0.roots[0].isReadable = false
    },
    Fault(step: "music", words: ("no music in /srv/music", "scp")) { $0.roots[0].hasMusic = false },
    Fault(step: "memory of the place", words: ("cannot be saved", "writable")) {
      $0.daemon = .answers([.init("checkpoint", "failed"), .init("checkpoint-retry-seconds", "5")], nil)
    },
    Fault(step: "last error", words: ("The file is damaged", "report"), isProblem: false) {
      $0.daemon = .answers([.init("last-error", "The file is damaged.")], nil)
    },
  ]

  @Test(arguments: faults.indices) func eachFaultIsNextAndSaysWhatToDo(index: Int) throws {
    let fault = Self.faults[index]
    var facts = Self.healthy
    fault.make(&facts)
    let diagnostics = Diagnostics(facts)
    let next = try #require(diagnostics.next)
    #expect(next.step == fault.step && next.sentence.contains(fault.words.0), "\(next)")
    #expect(next.remedy.contains(fault.words.1), "\(next)")
    #expect(diagnostics.isFine == !fault.isProblem)
  }

  @Test(
    arguments: [
      (false, true, nil, "by hand: sudo apt update"), (false, false, nil, "no package source"),
      (true, true, nil, "automatic"),
      (
        true, true, "2026-11-29 03:31 Swiftlet 1.3 is installed and works",
        "Swiftlet 1.3 is installed and works"
      ),
    ] as [(Bool, Bool, String?, String)])
  func updatesThatWorkAreDescribed(isAutomatic: Bool, hasSource: Bool, result: String?, words: String) throws
  {
    var facts = Self.healthy
    facts.updates?.isAutomatic = isAutomatic
    facts.updates?.hasSource = hasSource
    facts.updates?.result = result
    let outcome = try #require(Diagnostics(facts).outcomes.first { $0.step == "updates" })
    #expect(outcome.verdict == .fine && outcome.sentence.contains(words), "\(outcome.sentence)")
  }

  /// The update script prints the results that the doctor parses.
  @Test func theScriptConcludesAsTheDoctorReads() throws {
    let script = try String(
      contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../packaging/update"), encoding: .utf8)
    #expect(script.contains("conclude \"Swiftlet $target \(UpdateResult.success)\"\n"))
    #expect(script.contains("\nsources=\(UpdateResult.packageSource)\n"))
    #expect(script.contains("\nshown=" + UpdateResult.path.replacing("/result", with: "") + "\n"))
    #expect(UpdateResult.quiet == UpdateResult.path.replacing("/result", with: "/quiet"))
    #expect(script.contains("\"$shown/quiet\""))
    #expect(script.contains("| field updates)\" = \(UpdateWindow.due.text) ]"))
  }

  @Test func aResultIsOneLineOfText() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "result-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(UpdateResult.read(path) == nil && !UpdateResult.isQuiet(path))
    for (text, read) in [
      ("", nil), ("\n", nil), ("works\nmore\n", "works"),
      (String(repeating: "x", count: 100_000), String(repeating: "x", count: 400)),
    ] as [(String, String?)] {
      try text.write(toFile: path, atomically: true, encoding: .utf8)
      #expect(UpdateResult.read(path) == read && UpdateResult.isQuiet(path))
    }
    try "a\u{1B}[31mb".write(toFile: path, atomically: true, encoding: .utf8)
    #expect(UpdateResult.read(path)?.contains("\u{1B}") == false)
  }

  @Test func problemsComeBeforeAdvice() {
    var facts = Self.healthy
    facts.power = [.wasLow]
    facts.roots[0].hasMusic = false
    #expect(Diagnostics(facts).next?.step == "music")
  }

  @Test func aMachineWithoutAnythingIsToldWhereToBegin() {
    let diagnostics = Diagnostics(BoxFacts())
    #expect(diagnostics.next?.step == "sound card" && !diagnostics.isFine)
  }

  @Test(arguments: [
    ("Raspberry Pi Zero 2 W Rev 1.0", "raspberry-pi-zero-2w"),
    ("Raspberry Pi 5 Model B Rev 1.0", "raspberry-pi-5"),
    ("OrangePi Zero3", "orange-pi-zero-3"), ("Some PC", nil),
  ]) func boardsAreKnownByTheirName(model: String, board: String?) {
    #expect(Diagnostics.profile(of: model) == board)
  }

  @Test func textsOfTheKernelAreRead() {
    let cards =
      " 0 [sndrpihifiberry]: RPi-simple - snd_rpi\n                      snd_rpi [x\n 1 [b1             ]: HDA\n"
    #expect(FactText.cards(cards) == ["sndrpihifiberry", "b1"])
    #expect(FactText.cards("--- no soundcards ---\n") == [])
    #expect(
      FactText.overlays("# dtoverlay=no\ndtoverlay=hifiberry-dac # mine\ndtparam=audio=on\n") == [
        "hifiberry-dac"
      ])
    #expect(FactText.power("throttled=0x50005\n") == [.isLow, .isThrottled, .wasLow, .wasThrottled])
    #expect(FactText.power("0\n") == [] && FactText.power("") == nil)
    let unit = FactText.unit("LoadState=loaded\nActiveState=active\nUnitFileState=enabled\nNRestarts=12\n")
    #expect(unit == .init(load: "loaded", active: "active", file: "enabled", restarts: 12))
    let groups = "audio:x:29:pi,swiftlet\nswiftlet:x:990:\ngpio:x:993:pi\n"
    #expect(FactText.groups(of: "swiftlet", primary: 990, in: groups) == ["audio", "swiftlet"])
    #expect(FactText.account("swiftlet", in: "root:x:0:0::/:\nswiftlet:x:991:990::/:\n")! == (991, 990))
    let stat = "12 (a) b) S " + (0..<37).map(String.init).joined(separator: " ") + " 1 0 0"
    #expect(FactText.isRealtime(stat) && !FactText.isRealtime("12 (a) S 1"))
    #expect(FactText.lockedMemory("VmLck:\t    4096 kB\n") == 4096)
    #expect(FactText.status(["  output:  ALSA hw:0: 44100", "ok"]) == [.init("output", "ALSA hw:0: 44100")])
  }
}
