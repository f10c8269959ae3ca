// All phases and events of the daemon's lifecycle, with all contents. Test threads.

import Daemon
import Platform

extension BoxPhase {
  /// Every value.
  static var all: [BoxPhase] {
    let states: [StateLoading] = [
      .loading(hasBookmarks: false), .loading(hasBookmarks: true), .held, .decided,
    ]
    let late: [LateStateLoading] =
      PlayWait.allCases.flatMap { wait in
        [.loading(hasBookmarks: false, wait), .loading(hasBookmarks: true, wait), .held(wait)]
      } + [.decided(hasBookmarks: false), .decided(hasBookmarks: true)]
    var all: [BoxPhase] = [.readingConfiguration, .checkingButton]
    for hasBookmarks in [false, true] {
      all += [false, true].map { .openingOutput(hasBookmarks: hasBookmarks, isStateDecided: $0) }
    }
    all += states.map { .readingState($0) } + [.openingPlaceholder]
    all += PlayWait.allCases.map { .waitingForConfiguration($0) }
    for runs in [true, false] { all += late.map { .adoptingConfiguration($0, runsCommands: runs) } }
    all += PlayWait.allCases.map { .waitingForState($0) } + [.running]
    for reason in EndReason.allCases {
      all += [true, false].map { .stopping(reason, hasOutput: $0) }
      all += [.saving(reason), .fadingOut(reason), .ended(reason)]
    }
    return all + [.failed(SystemError("pipe", code: 24))]
  }
}

extension BoxEvent {
  /// Every value, with one error.
  static var all: [BoxEvent] {
    [
      .configurationRead, .configurationTimedOut, .buttonReleased, .buttonHeld, .outputOpened,
      .cannotRun(SystemError("pipe", code: 24)), .bookmarksRead, .stateLoaded, .stateDecided, .commandsDue,
      .playDue, .turnEnded, .fadeEnded, .endRequested(.command), .endRequested(.signal), .saved,
    ]
  }
}

extension LifecycleFacts {
  /// Every value.
  static var all: [LifecycleFacts] {
    [true, false].flatMap { isFree in
      [true, false].map { LifecycleFacts(isFree: isFree, isSounding: $0) }
    }
  }
}
