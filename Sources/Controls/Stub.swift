import Platform
import PlaybackModel
public final class ControlInputs {
  public var onInput: (TimedInput) -> Void = { _ in }
  public var onNote: (String) -> Void = { _ in }
  public var problems: [String] { [] }
  public init(_ d: ControlDeclarations, events: EventLoop) {}
  public func isDown(_ n: ControlName) -> Bool { false }
  public func end() {}
  public func open() {}
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
