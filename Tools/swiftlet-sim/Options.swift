// Command line of `swiftlet-sim`. Pure; any thread.

import Simulator

/// Parsed options.
struct Options {
  enum Task {
    case help
    case run(ClosedRange<UInt64>, hours: Double?)
    case replay(String, script: String?)
    case exhaustive(depth: Int, Exhaustive.Sample)
    case show(UInt64)
  }

  var task = Task.help
  var ignored: Set<Violation.Rule> = []
  /// Seeds that a run skips.
  var leftOut: Set<UInt64> = []
  /// Whether to continue after violations and print one line per rule with a seed and a count.
  var isSummary = false
  /// Whether the summary has a line for each failing world, not just for the first of each rule.
  var listsAll = false
  /// Whether to print a table of the state machine's coverage.
  var showsCoverage = false
  var minimizes = true
  /// Whether to run only worlds with a box (true) or only those without (false); nil runs all.
  var wantsBoxes: Bool?
  /// Whether this process was started by a supervisor (internal option `--child`).
  var isChild = false

  static let help = """
    swiftlet-sim — simulated boxes, judged by what is heard

      swiftlet-sim run --seed N [--hours H]   worlds N, N+1, … until H hours of box time are over, or just one
      swiftlet-sim run --seeds A..B           these worlds
      swiftlet-sim replay FILE                a script, such as a failing run prints
      swiftlet-sim replay FILE [--script OUT] the report of a box ('swiftlet ctl report'): says what went wrong and why,
                                              plays it again, and writes the world that does it
      swiftlet-sim exhaustive [--depth D] [--every N] [--from N] [--with "ACTION"]
                                          every sequence of up to D events, or one in N of them, at every moment of
                                          a fade; with an action: those in which it is one of them
      swiftlet-sim show --seed N              the script of a world

      --box, --player        only whole boxes (every third seed is one), or only bare players
      --without RULE,RULE…   these rules do not count
      --but SEED,SEED…       leaves these worlds out, and says so
      --summary              goes on after violations; one line for each rule: how often, and the first seed
      --each                 the summary names every world that fails
      --coverage             ends with a table: how often each event came in each state, and what was never seen
      --whole                prints failing scripts as they are, not made small

    A world is a script: tracks, a card, and lines '[@MOMENT] [+MICROSECONDS] ACTION', each due after the one before
    it. The same script gives the same sound to the last bit. The first line that is wrong ends a run; the exit
    status is 1 then.

    moments   @sound @silence @falling @armed @fade-begins @fade:PERCENT @fade-ends:MS @remaining:MS
              @state:NAME, @phase:NAME for a box that starts or ends
    people    play pause toggle stop next previous seek MS, seek PERCENT%, seek-by MS, finish-fade retry reset,
              volume PERCENT, mono on|off, curve NAME, crossfade MS, threshold PERCENT, shuffle on|off, repeat off|one|all,
              stop-after track|queue|off,
              queue add TRACK, queue insert-next TRACK, queue insert-before TRACK, queue remove PLACE,
              queue move PLACE PLACE, queue clear, queue replace TRACK, queue remove-upcoming (places count from the
              current track)
    outside   interrupt, release resume|stay, standby wake sleep-timer power-failing, power-cut MS, stick out|in
    faults    card lost CALLS, card back|deaf|suspended, stall audio|control MS, storage PERCENT, crash-workers,
              hang-workers, truncate-files
    consoles  type "LINE", type-half "TEXT", hang-up, flood LINES, noise BYTES, serial out|in
    controls  button NAME press|release, turn NAME DETENTS, keypad out|in
    box       flash well|hangs|fails|full|read-only, clock MINUTE, card swapped, kill MS, terminate
    sources   sender NAME sounds|pauses|ends, for what 'box config source NAME fifo PATH' has declared
    setup     box seed N, box config LINE, box card-absent MS, box clock MINUTE, box debounces, box polls MS; with any
              of them the world is a whole box, and what people do is typed into a session
    world     rate HZ, weather SEED|calm, card deep|long|shallow|stepping FRAMES|batch FRAMES [drift PPM],
              calm SECONDS
    track     length FRAMES opening MS seeking MS speed TIMES [untold] [album N] [stick] [refuses|unreadable|hangs|
              fails FRAME|crashes FRAME|sticks FRAME|truncated FRAME|stalls FRAME MS|garbage FRAME|lies FRAMES|seek-fails]
    """

  init(_ arguments: [String]) throws(Fault) {
    var rest = arguments[...]
    func value(_ name: String) throws(Fault) -> String {
      guard let place = rest.firstIndex(of: name) else { throw Fault("'\(name)' is missing") }
      guard place + 1 < rest.endIndex else { throw Fault("'\(name)' wants something after it") }
      defer { rest.removeSubrange(place...(place + 1)) }
      return rest[place + 1]
    }
    func flag(_ name: String) -> Bool {
      guard let place = rest.firstIndex(of: name) else { return false }
      rest.remove(at: place)
      return true
    }
    func number<Value: LosslessStringConvertible>(_ name: String, _ type: Value.Type) throws(Fault) -> Value {
      let text = try value(name)
      guard let number = Value(text) else { throw Fault("'\(text)' is no number") }
      return number
    }
    listsAll = flag("--each")
    isSummary = flag("--summary") || listsAll
    showsCoverage = flag("--coverage")
    minimizes = !flag("--whole")
    isChild = flag("--child")
    if flag("--box") { wantsBoxes = true }
    if flag("--player") { wantsBoxes = false }
    if rest.contains("--without") {
      for name in try value("--without").split(separator: ",") {
        guard let rule = Violation.Rule(rawValue: String(name)) else {
          throw Fault(
            "'\(name)' is no rule; there are \(Violation.Rule.allCases.map { $0.rawValue }.joined(separator: ", "))"
          )
        }
        ignored.insert(rule)
      }
    }
    if rest.contains("--but") {
      let text = try value("--but")
      for word in text.split(separator: ",") {
        guard let seed = UInt64(word) else { throw Fault("'\(word)' is no seed") }
        leftOut.insert(seed)
      }
    }
    if rest.contains("--help") || rest.contains("-h") {
      task = .help
      return
    }
    let verb = rest.popFirst()
    switch verb {
    case nil, "help": task = .help
    case "run" where rest.contains("--seeds"):
      let text = try value("--seeds")
      let ends = text.split(separator: ".", omittingEmptySubsequences: true)
      guard ends.count == 2, let first = UInt64(ends[0]), let last = UInt64(ends[1]), first <= last else {
        throw Fault("'\(text)' is no range of seeds, such as 1..1000")
      }
      task = .run(first...last, hours: nil)
    case "run":
      let seed = try number("--seed", UInt64.self)
      let hours = rest.contains("--hours") ? try number("--hours", Double.self) : nil
      task = .run(seed...(hours == nil ? seed : .max), hours: hours)
    case "show": task = .show(try number("--seed", UInt64.self))
    case "replay":
      let script = rest.contains("--script") ? try value("--script") : nil
      guard let file = rest.popFirst() else { throw Fault("'replay' wants a file") }
      task = .replay(file, script: script)
    case "exhaustive":
      let depth = rest.contains("--depth") ? try number("--depth", Int.self) : 3
      var sample = Exhaustive.Sample()
      if rest.contains("--every") { sample.step = max(1, try number("--every", Int.self)) }
      if rest.contains("--from") { sample.first = max(0, try number("--from", Int.self)) }
      if rest.contains("--with") { sample.action = try Self.action(value("--with")) }
      task = .exhaustive(depth: depth, sample)
    case let other?: throw Fault("'\(other)' is nothing that I do; see 'swiftlet-sim --help'")
    }
    if let extra = rest.first { throw Fault("'\(extra)' is one word too many") }
  }

  private static func action(_ text: String) throws(Fault) -> Action {
    do throws(ScriptFault) {
      return try Action(words: text.split(separator: " "))
    } catch {
      throw Fault(error.description)
    }
  }

  struct Fault: Error {
    let sentence: String

    init(_ sentence: String) { self.sentence = sentence }
  }
}
