// Parsing of the kernel's mount table. Test threads.

import Platform
import Testing

@Suite struct MountTableTests {
  static let table = """
    22 28 0:21 / /proc rw,nosuid - proc proc rw
    31 28 8:1 / / rw,relatime - ext4 /dev/sda1 rw
    90 31 8:17 / /media/My\\040Stick rw,nosuid - vfat /dev/sdb1 rw
    91 31 8:33 /sub /media/b rw - exfat /dev/sdc1 rw
    91 31 8:33 / /media/b rw - exfat /dev/sdc1 rw
    92 31 8:34 / /mediated rw - exfat /dev/sdd1 rw
    93 31 8:35 / /media rw - exfat /dev/sdd1 rw
    broken line

    """

  @Test(arguments: ["/media", "/media/"]) func onlyWhatLiesBeneathCounts(folder: String) {
    let points = MountTable.points(in: Array(Self.table.utf8), beneath: folder)
    #expect(points == ["/media/My Stick", "/media/b"])
  }

  @Test func aTableOfNoiseHasNoMounts() {
    var generator = SystemRandomNumberGenerator()
    let noise = (0..<100_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
    #expect(MountTable.points(in: noise, beneath: "/media").isEmpty)
  }

  @Test func theKernelsOwnTableIsRead() throws {
    #expect(try MountTable().points(beneath: "/").contains("/proc"))
  }
}
