// The count of power-ons: once per power-on, and stored. Simulated time; test threads.

import Testing

@testable import Checkpoints
@testable import Simulator

@Suite struct PowerOnTests {
  @Test func eachTimeThePowerComesIsCountedOnce() throws {
    let storage = Bench.storage()
    for number in 1...4 {
      let bench = try Bench(storage)
      bench.clock.run(seconds: 2)
      #expect(bench.status("power-ons", of: "stats") == String(number))
      bench.pullThePlug()
      // A restart after a crash does not count as a power-on.
      let again = try Bench(storage)
      again.clock.run(seconds: 2)
      #expect(again.status("power-ons", of: "stats") == String(number))
      again.pullThePlug()
      storage.remove("/run/starts")
    }
  }

  @Test func nothingIsSaidWhereNothingIsKept() throws {
    let bench = try Bench(Bench.storage("set checkpoint.path off\n"))
    #expect(bench.status("power-ons", of: "stats") == nil)
    #expect(bench.status("xruns", of: "stats") == "0")
  }

  @Test(arguments: ["", "x", "-1", "99999999999", "1 2"]) func whatIsNoCountIsNone(line: String) {
    var counted = PowerOns.read(Array((line + "\n").utf8)).contents
    #expect(counted.count == 0)
    counted.add()
    #expect(PowerOns.read(counted.text).contents == counted && counted.count == 1)
  }
}
