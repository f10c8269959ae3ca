// The daemon's lifecycle: every event in every phase, and every course of events. Test threads.

import Daemon
import Testing

@Suite struct LifecycleTests {
  /// Each pair has a decision; a rejected event changes nothing, and the end is final.
  @Test func everyEventIsDecidedInEveryPhase() {
    for phase in BoxPhase.all {
      for event in BoxEvent.all {
        for facts in LifecycleFacts.all {
          var lifecycle = BoxLifecycle(phase: phase)
          let step = lifecycle.step(on: event, facts)
          let effects = lifecycle.handle(event, facts)
          switch step {
          case .reject: #expect(effects == nil && lifecycle.phase == phase)
          case .stay(let orders): #expect(effects == orders && lifecycle.phase == phase)
          case .to(let next, let orders):
            #expect(effects == orders && lifecycle.phase == next && next != phase)
          }
          if phase.isEnding { #expect(lifecycle.phase.isEnding) }
          if phase.kind == .ended || phase.kind == .failed { #expect(effects ?? [] == []) }
          if effects?.contains(.restoreState) == true { #expect(facts.isFree) }
          if effects?.contains(.dropState) == true { #expect(!facts.isFree) }
          // Commands are accepted by the transition to a phase that accepts them.
          let begins = !phase.acceptsCommands && lifecycle.phase.acceptsCommands
          #expect((effects?.contains(.acceptCommands) ?? false) == begins)
          #expect((effects?.contains(.notifyReady) ?? false) == begins)
        }
      }
    }
  }

  /// The kinds cover all values, and only those.
  @Test func allKindsHaveValues() {
    #expect(Set(BoxPhase.all.map(\.kind)) == Set(BoxPhase.Kind.allCases))
    #expect(Set(BoxEvent.all.map(\.kind)) == Set(BoxEvent.Kind.allCases))
    #expect(Set(BoxPhase.all).count == BoxPhase.all.count)
    for timer in BoxTimer.allCases { #expect(BoxEvent.all.contains(timer.event)) }
  }

  /// All courses, of any length, from all setups: the models that can be reached, by breadth-first search.
  private static func reached(_ setup: LifecycleModel.Setup) -> Set<LifecycleModel> {
    var seen: Set<LifecycleModel> = []
    var waiting = [LifecycleModel(setup)]
    while let model = waiting.popLast() {
      guard seen.insert(model).inserted, model.violation == nil else { continue }
      for move in LifecycleModel.Move.allCases {
        if let next = model.after(move), !seen.contains(next) { waiting.append(next) }
      }
    }
    return seen
  }

  @Test func everyCourseKeepsThePromises() {
    var kinds: Set<BoxPhase.Kind> = []
    for setup in LifecycleModel.Setup.all {
      for model in Self.reached(setup) {
        kinds.insert(model.phase.kind)
        if let violation = model.violation {
          Issue.record("\(violation): \(model)")
          return
        }
        #expect(model.acceptances == model.readies)
        if model.phase.acceptsCommands { #expect(model.acceptances == 1) }
        if model.phase == .running || model.phase.kind == .waitingForState {
          #expect(model.commandRuns == 1, "the configuration's commands run or are skipped")
        }
        if model.phase.kind == .ended { #expect(model.closes == 1 && model.stops == 1) }
      }
    }
    // Phases that last no longer than an effect are left when the model is observed.
    #expect(
      kinds.union([.readingConfiguration, .openingOutput, .openingPlaceholder]) == Set(BoxPhase.Kind.allCases)
    )
  }

  /// Storage that never responds delays neither commands nor the end: timeouts alone reach both.
  @Test func timeoutsAloneLeadOn() {
    let timeouts: [LifecycleModel.Move] = [
      .buttonIsHeld, .commandsExpire, .playExpires, .turnExpires, .fadeExpires, .writesFinish,
    ]
    func led(_ model: LifecycleModel) -> LifecycleModel {
      var model = model
      for _ in 0..<8 {
        guard let move = timeouts.first(where: { model.after($0) != nil }), let next = model.after(move)
        else {
          break
        }
        model = next
      }
      return model
    }
    for setup in LifecycleModel.Setup.all {
      for model in Self.reached(setup) {
        let last = led(model)
        #expect(last.isOver || last.phase.acceptsCommands, "\(model)")
        #expect(last.timers.isEmpty)
        if let ending = model.after(.signalEnds) { #expect(led(ending).isOver, "\(model)") }
      }
    }
  }

  /// Arbitrary events, in an order that the environment cannot produce: still no second start, and no return.
  @Test func everySequenceOfEventsStartsOnceAtMost() {
    struct Course: Hashable {
      var lifecycle = BoxLifecycle()
      var starts = 0
      var ends = 0
    }
    var present: Set<Course> = [Course()]
    for _ in 0..<10 {
      var next: Set<Course> = []
      for course in present {
        for event in BoxEvent.all {
          for facts in LifecycleFacts.all {
            var course = course
            let effects = course.lifecycle.handle(event, facts) ?? []
            course.starts += effects.count { $0 == .notifyReady }
            course.ends += effects.count { $0 == .close }
            next.insert(course)
          }
        }
      }
      present.formUnion(next)
    }
    for course in present {
      #expect(course.starts <= 1 && course.ends <= 1, "\(course)")
      if course.lifecycle.phase.acceptsCommands { #expect(course.starts == 1, "\(course)") }
    }
    #expect(Set(present.map { $0.lifecycle.phase.kind }) == Set(BoxPhase.Kind.allCases))
  }
}
