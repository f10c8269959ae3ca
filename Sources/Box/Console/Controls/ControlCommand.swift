// Parsed commands about buttons, knobs, lights, readers and live sources. Pure values; control thread.

import Controls

/// A command that lists or changes the box's controls, bindings or live sources.
package enum ControlCommand: Hashable, Sendable {
  /// Lists controls and bindings.
  case list
  case button(ButtonDeclaration)
  case knob(KnobDeclaration)
  case light(LightDeclaration)
  case panel(PanelDeclaration)
  case reader(ReaderDeclaration)
  /// Sets a gesture time of one button; nil: of all buttons without times of their own.
  case timing(ControlName?, GestureTiming.Key, milliseconds: Int)
  /// Declares a live source, or changes one.
  case source(ControlName, SourceChange)
  /// Removes a control, a reader or a live source.
  case remove(ControlName)
  case bind(Binding)
  case unbind([ControlName], Gesture?)
  /// Simulates an input, as if the control had reported it.
  case simulate(ControlInput)
}
