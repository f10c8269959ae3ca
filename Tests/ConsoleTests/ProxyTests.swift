// The setting of the proxy: invalid values are refused without showing them. Test threads.

import Console
import Testing

@Suite struct ProxyTests {
  @Test(arguments: [
    "http://proxy:3128", "https://proxy", "socks4://10.0.0.1", "socks4a://h:1", "socks5://h", "proxy:3128",
    "socks5h://name:word@proxy", "HTTP://[::1]:3128/",
  ]) func addressesOfProxiesAreTaken(value: String) throws {
    var settings = Settings()
    try settings.set("stream.proxy", value)
    #expect(settings.streamProxy == value)
  }

  @Test(arguments: [
    "bad://user:SECRET@h:3128", "http://", "http://user:SECRET@", "http://user:SECRET@h:99999",
    "http://user:SECRET@h/path", "user:SECRET", "http://user:SECRET@h h",
  ]) func othersAreRefusedAndNotShown(value: String) {
    var settings = Settings()
    let error = #expect(throws: ConsoleError.self) { try settings.set("stream.proxy", value) }
    let sentence = error?.sentence ?? ""
    #expect(sentence.contains("stream.proxy wants the address of a proxy"), "\(sentence)")
    #expect(sentence.contains("socks5h") && !sentence.contains("SECRET"), "\(sentence)")
    #expect(settings.isDefault(.streamProxy))
  }

  @Test func errorsMaskPasswordsOfAddresses() {
    let error = ConsoleError(.failed, "no 'http://me:SECRET@h/x'", inFile: "http://me:SECRET@h")
    #expect(error.sentence == "no 'http://****@h/x'" && error.sentenceInFile == "http://****@h")
  }
}
