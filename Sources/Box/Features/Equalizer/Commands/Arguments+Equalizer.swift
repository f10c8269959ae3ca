// The arguments of `eq`: none, a band, or a band and its filter. Pure; any thread.

extension Arguments {
  /// Reads a band with a filter to set, a band to show, or nothing to show all bands.
  static let equalizerBand: Argument<Command> = {
    let number = ArgumentShape(
      name: "BAND", wanted: "a number from 1 to " + String(Setting.equalizer.count), sources: [],
      isOptional: true)
    let declaration = Setting.eq1.declaration
    let filter = ArgumentShape(
      name: "FILTER|off", wanted: declaration.wanted,
      sources: [.words(declaration.names.map { Choice($0) })], isOptional: true)
    return Argument([number, filter]) { (cursor: inout WordCursor) throws(ConsoleError) -> Command in
      guard !cursor.isAtEnd else { return .equalizer }
      let word = try cursor.take(number)
      guard let index = SettingKind.integer(word.text, unit: ""), index >= 1, index <= Setting.equalizer.count
      else {
        throw ConsoleError(
          .badValue,
          "'" + word.text + "' is not " + number.wanted + Spelling.hint(word.text, among: ["clear"]),
          column: word.column)
      }
      let setting = Setting.equalizer[index - 1]
      guard let column = cursor.next?.column else { return .show(.one(setting)) }
      do throws(ConsoleError) {
        return .set(setting, try setting.declaration.read(cursor.takeRest().map { $0.text }))
      } catch {
        throw ConsoleError(error.kind, error.sentence, column: error.kind == .wrongUsage ? nil : column)
      }
    }
  }()
}
