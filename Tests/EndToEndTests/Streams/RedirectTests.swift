// Redirects between address scopes: a network namespace with public, private and link-local addresses, and
// one server on all of them. Test threads.

import ChildSupport
import Foundation
import Testing

@Suite(
  .enabled(
    if: Workbench.mayMakeNameSpace("net") && Workbench.mayMakeNameSpace("mount"),
    "this user may make no name spaces of networks and mounts (unshare --net --mount)"))
struct RedirectTests {
  /// Addresses in the namespace, widest scope first.
  private static let places = [
    ("203.0.113.7", 2), ("[2a00:1450::7]", 2), ("192.168.66.6", 1), ("169.254.7.7", 1), ("[fd00:66::6]", 1),
    ("127.0.0.1", 0),
    ("[::1]", 0), ("[::ffff:127.0.0.1]", 0),
  ]
  /// How a server refers to another address.
  private static let means = ["redirect", "list", "segments", "twice"]

  /// Serves `sound.wav` and `sound.ts` at every address, and redirects between any two.
  private static let server = """
    import http.server, socket, sys, threading, urllib.parse
    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *words): pass
        def do_GET(self):
            # As a proxy is asked.
            if self.path.startswith("http://"):
                self.path = "/" + self.path.split("/", 3)[3]
            place, _, query = self.path.partition("?")
            way, target = place[1:], urllib.parse.unquote(query)
            if way == "sound.wav":
                print("served", self.connection.getsockname()[0], flush=True)
                return self.answer(open("sound.wav", "rb").read(), "audio/wav")
            if way == "redirect": return self.lead(target + "/sound.wav")
            if way == "twice": return self.lead("/redirect?" + urllib.parse.quote(target))
            if way == "list": return self.answer((target + "/sound.wav\\n").encode(), "audio/x-mpegurl")
            if way == "segments":
                text = "#EXTM3U\\n#EXT-X-TARGETDURATION:2\\n#EXTINF:2,\\n%s/sound.wav\\n#EXT-X-ENDLIST\\n" % target
                return self.answer(text.encode(), "application/vnd.apple.mpegurl")
            self.send_error(404)
        def lead(self, target):
            self.send_response(302)
            self.send_header("Location", target)
            self.send_header("Content-Length", "0")
            self.end_headers()
        def answer(self, data, kind):
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
    class Server(http.server.ThreadingHTTPServer):
        address_family = socket.AF_INET6
    Server(("::", 8000), Handler).serve_forever()
    """

  /// Host names in the namespace: of a public address, one in the home network, and the box itself.
  private static let names = [
    ("public.test", "203.0.113.7", 2), ("home.test", "192.168.66.6", 1), ("box.test", "127.0.0.1", 0),
  ]

  /// Runs a script and the server in a new network namespace.
  private func inNameSpace(_ bench: Workbench, _ script: String) throws -> Outcome {
    try bench.write(Data(Self.server.utf8), as: "server.py")
    try bench.write(Sound.piece(seconds: 0.5), as: "sound.wav")
    try bench.write(Data(Self.names.map { "\($0.1) \($0.0)\n" }.joined().utf8), as: "hosts")
    let lines = """
      set -e
      mount --bind hosts /etc/hosts
      ip link set lo up
      ip address add 203.0.113.7/32 dev lo
      ip address add 192.168.66.6/32 dev lo
      ip address add 169.254.7.7/32 dev lo
      ip -6 address add 2a00:1450::7/128 dev lo nodad
      ip -6 address add fd00:66::6/128 dev lo nodad
      python3 -B server.py >served.txt &
      trap "kill $!" EXIT
      for _ in $(seq 200); do (echo >/dev/tcp/127.0.0.1/8000) 2>/dev/null && break; sleep 0.05; done
      set +e
      \(script)
      """
    try bench.write(Data(lines.utf8), as: "script.sh")
    let child = try Child(
      URL(filePath: "/usr/bin/unshare"), ["--net", "--mount", "--map-root-user", "bash", "script.sh"],
      in: bench.directory,
      environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"])
    return child.wait(seconds: 300)
  }

  /// Plays URLs one after another, and checks whether each is followed or refused.
  private func expect(
    _ cases: [(name: String, url: String, isAllowed: Bool)], isHeard: Bool = true
  ) throws {
    let bench = try Workbench()
    var script = ""
    for (number, (_, url, _)) in cases.enumerated() {
      script +=
        "'\(Workbench.executable.path)' play --output out-\(number).wav '\(url)' >said-\(number) 2>&1; "
      script += "echo \"$?\" >status-\(number)\n"
    }
    let outcome = try inNameSpace(bench, script)
    #expect(outcome.status == 0, "\(outcome)")
    for (number, (name, _, isAllowed)) in cases.enumerated() {
      let said = (try? String(contentsOfFile: bench.path("said-\(number)"), encoding: .utf8)) ?? ""
      let status = (try? String(contentsOfFile: bench.path("status-\(number)"), encoding: .utf8)) ?? ""
      let isRefused = said.contains("stream.private-redirects")
      #expect(isRefused == !isAllowed, "\(name): \(status) \(said)")
      #expect(!isHeard || (status == "0\n") == isAllowed, "\(name): \(status) \(said)")
    }
  }

  @Test(arguments: means) func noServerLeadsNearerThanItIs(way: String) throws {
    var cases: [(name: String, url: String, isAllowed: Bool)] = []
    for (from, wide) in Self.places {
      for (to, near) in Self.places where from != to {
        cases.append(("\(from) to \(to)", "http://\(from):8000/\(way)?http://\(to):8000", near >= wide))
      }
    }
    // An HLS playlist names a file that is not a segment, which is a different error after the connection.
    try expect(cases, isHeard: way != "segments")
  }

  /// For host names, the scope is that of their address.
  @Test func namesAreWhatTheirAddressesAre() throws {
    var cases: [(name: String, url: String, isAllowed: Bool)] = []
    for (from, address, wide) in Self.names {
      for (to, _, near) in Self.names where from != to {
        cases.append(("\(from) to \(to)", "http://\(from):8000/redirect?http://\(to):8000", near >= wide))
        cases.append(
          ("\(address) to \(to)", "http://\(address):8000/redirect?http://\(to):8000", near >= wide))
      }
    }
    try expect(cases)
  }

  /// A proxy makes the connections and decides about their targets.
  @Test func aProxyDecidesItself() throws {
    let bench = try Workbench()
    let swiftlet = Workbench.executable.path
    let script = """
      printf 'set %s\\n' "output.device null" "socket.path $PWD/control" "checkpoint.path off" "report.path off" \\
        "stream.proxy http://203.0.113.7:8000" >box.conf
      '\(swiftlet)' run --config box.conf 2>log & daemon=$!
      for _ in $(seq 200); do [ -S control ] && break; sleep 0.05; done
      '\(swiftlet)' ctl --socket control play 'http://198.51.100.1/redirect?http://127.0.0.1:8000'
      for _ in $(seq 100); do [ -s served.txt ] && break; sleep 0.05; done
      kill $daemon; wait $daemon; true
      """
    let outcome = try inNameSpace(bench, script)
    let log = (try? String(contentsOfFile: bench.path("log"), encoding: .utf8)) ?? ""
    let served = (try? String(contentsOfFile: bench.path("served.txt"), encoding: .utf8)) ?? ""
    #expect(served.contains("203.0.113.7") && !served.contains("127.0.0.1"), "\(outcome) \(log)")
    #expect(!log.contains("stream.private-redirects"), "\(log)")
  }

  /// The user may name an address of any scope.
  @Test func aPersonMayNameAnyAddress() throws {
    let bench = try Workbench()
    let script = Self.places.map {
      "'\(Workbench.executable.path)' play --force --output out.wav http://\($0.0):8000/sound.wav || echo refused"
    }
    let outcome = try inNameSpace(bench, script.joined(separator: "\n"))
    #expect(!outcome.output.contains("refused"), "\(outcome)")
  }

  /// The setting permits redirects to any scope.
  @Test func theSettingAllowsIt() throws {
    let bench = try Workbench()
    let swiftlet = Workbench.executable.path
    let url = "http://203.0.113.7:8000/redirect?http://127.0.0.1:8000"
    let script = """
      printf 'set %s\\n' "output.device null" "socket.path $PWD/control" "checkpoint.path off" "report.path off" >box.conf
      '\(swiftlet)' run --config box.conf 2>log & daemon=$!
      for _ in $(seq 200); do [ -S control ] && break; sleep 0.05; done
      '\(swiftlet)' ctl --socket control play '\(url)'; sleep 3
      '\(swiftlet)' ctl --socket control status >refused.txt
      '\(swiftlet)' ctl --socket control set stream.private-redirects on
      '\(swiftlet)' ctl --socket control play '\(url)'; sleep 3
      '\(swiftlet)' ctl --socket control status >allowed.txt
      kill $daemon; wait $daemon; true
      """
    let outcome = try inNameSpace(bench, script)
    func read(_ name: String) -> String {
      (try? String(contentsOfFile: bench.path(name), encoding: .utf8)) ?? ""
    }
    #expect(read("log").contains("stream.private-redirects"), "\(outcome) \(read("log"))")
    #expect(read("served.txt").split(separator: "\n").count == 1, "\(read("served.txt")) \(read("log"))")
  }
}
