// Merges changes that a user made to the configuration file since the box read or wrote it into a `save`. Pure.

/// The state at the last time when the file and the box agreed.
package struct SavedConfiguration: Hashable, Sendable {
  /// The settings in the file.
  package var inFile: Settings
  /// The settings in effect in the box. They differ from the file's where the user changed the file, which takes effect
  /// at the next start.
  package var inBox: Settings
  /// The controls in the file.
  package var controlsInFile: ControlTable
  /// The controls in effect in the box.
  package var controlsInBox: ControlTable

  /// Creates a state; the parameters are the properties.
  package init(
    inFile: Settings, inBox: Settings, controlsInFile: ControlTable, controlsInBox: ControlTable
  ) {
    (self.inFile, self.inBox) = (inFile, inBox)
    (self.controlsInFile, self.controlsInBox) = (controlsInFile, controlsInBox)
  }

  /// Creates the state after reading a file.
  package init(_ settings: Settings, _ controls: ControlTable) {
    (inFile, inBox) = (settings, settings)
    (controlsInFile, controlsInBox) = (controls, controls)
  }
}

/// What `save` writes when the user may have changed the file, too. A setting that has changed on one side only has that
/// side's value.
package struct HandEdits: Sendable {
  /// The settings to write.
  package private(set) var settings: Settings
  /// The controls to write.
  package private(set) var controls: ControlTable
  /// The keys of settings that keep the file's value, and `controls` if the file's are kept. They differ from those in
  /// effect.
  package private(set) var kept: [String] = []

  /// Writes the values in effect, because the file does not exist or is empty.
  package init(_ settings: Settings, _ controls: ControlTable) {
    self.settings = settings
    self.controls = controls
  }

  /// Merges a file with the box.
  ///
  /// - Parameters:
  ///   - file: The present contents of the file.
  ///   - saved: The state when it was last read or written.
  ///   - board: The board of the box's profile; nil: none.
  ///   - settings: The settings in effect.
  ///   - controls: The controls in effect.
  /// - Throws: `failed` for a setting that has changed in the file and in the box to different values, for controls that
  ///   have changed in both, and for another board.
  package init(
    _ file: Configuration, since saved: SavedConfiguration, board: String?, _ settings: Settings,
    _ controls: ControlTable
  ) throws(ConsoleError) {
    self.settings = settings
    self.controls = controls
    guard file.base.board == board else {
      throw ConsoleError(.failed, "it names another board; restart the box to use it")
    }
    for setting in settings.differences(from: file.settings) {
      let value = file.settings.value(setting)
      if settings.value(setting) == saved.inBox.value(setting) {
        // Also settings that the user changed in the file before an earlier save.
        try self.settings.set(setting, to: value)
        kept.append(setting.key)
      } else if value != saved.inFile.value(setting) || value != saved.inBox.value(setting) {
        // The second case: an earlier save has kept the user's value, which the box has never had.
        throw ConsoleError(
          .failed,
          setting.key + " was changed there and here; give it the same value in both, and save again")
      }
    }
    guard file.controls.lines != controls.lines else { return }
    if controls.lines == saved.controlsInBox.lines {
      self.controls = file.controls
      kept.append("controls")
    } else if file.controls.lines != saved.controlsInFile.lines
      || file.controls.lines != saved.controlsInBox.lines
    {
      throw ConsoleError(
        .failed,
        "controls were changed there and here; 'controls' lists those in effect. Copy the lines that you want into the file, "
          + "and restart the box")
    }
  }
}
