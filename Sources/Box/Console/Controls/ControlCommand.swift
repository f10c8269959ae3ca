// What can be said about buttons, knobs, lights and live sources. Pure values; control thread.

import Controls

/// A command about the box's controls.
package enum ControlCommand: Hashable, Sendable {
  /// Lists controls and bindings.
  case list
  case button(ButtonDeclaration)
  case knob(KnobDeclaration)
  case light(LightDeclaration)
  case panel(PanelDeclaration)
  case reader(ReaderDeclaration)
  /// A time of one button; nil: of all that have none of their own.
  case timing(ControlName?, GestureTiming.Key, milliseconds: Int)
  /// Declares a live source, or says more about one.
  case source(ControlName, SourceChange)
  /// Takes a control, a reader or a live source away.
  case remove(ControlName)
  case bind(Binding)
  case unbind([ControlName], Gesture?)
  /// As if the control had reported it.
  case simulate(ControlInput)
}
