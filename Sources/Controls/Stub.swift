import Platform
import PlaybackModel
public struct Recognized { public let trigger: Trigger; public let count: Int; public let time: UInt64 }
public struct GestureRecognizer {
  public init(bound: Set<Trigger>, timing: (ControlName) -> GestureTiming) {}
  public mutating func take(_ input: TimedInput) -> [Recognized] { [] }
  public mutating func advance(to now: UInt64) -> [Recognized] { [] }
  public var deadline: UInt64? { nil }
}
public final class ControlInputs {
  public var onInput: (TimedInput) -> Void = { _ in }
  public var onNote: (String) -> Void = { _ in }
  public var problems: [String] { [] }
  public init(_ d: ControlDeclarations, events: EventLoop) {}
  public func isDown(_ n: ControlName) -> Bool { false }
  public func end() {}
}
public final class IndicatorLights {
  public var onNote: (String) -> Void = { _ in }
  public var problems: [String] { [] }
  public init(_ d: [LightDeclaration], events: EventLoop) {}
  public func show(_ i: Indicator) {}
  public func adopt(_ d: [LightDeclaration]) {}
  public func test(_ d: @escaping () -> Void) {}
  public func end() {}
}
public enum LightRhythm { public static func isLit(_ p: Indicator.Pattern, at: UInt64) -> Bool { true } }
extension LightDeclaration { public var text: String { name.text } }
