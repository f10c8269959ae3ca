// A light that can be switched, wherever it is. Control thread only; nothing waits.

import Platform

/// A light's driver. Errors mean that the light has gone.
protocol LightOutput: AnyObject {
  /// Whether it can do a motion without being told every step.
  func canShow(_ motion: LightMotion) -> Bool
  /// Does a motion from now on. Only one that it can show.
  func show(_ motion: LightMotion) throws(SystemError)
  /// On or off from now on.
  func set(isOn: Bool) throws(SystemError)
  /// Forgets what it could not do before; whether there was anything.
  func reconsider() -> Bool
  /// Dark, and as it was found otherwise.
  func end()
}

/// A light on a GPIO line.
final class LineLight: LightOutput {
  private let line: any LineRequest

  /// Takes the line. The error is about the line or its chip.
  init(_ line: GPIOLine, _ devices: any ControlDevices) throws(LightFailure) {
    do throws(SystemError) {
      let chip = try devices.openChip(line.chip)
      let settings = GPIOLineSettings(
        offset: line.offset, flags: line.isActiveLow ? [.output, .activeLow] : .output)
      guard line.offset < chip.lineCount, let configuration = GPIOConfiguration([settings]) else {
        throw SystemError("GPIO_V2_GET_LINE", code: SystemError.noSuchDevice)
      }
      do throws(SystemError) {
        self.line = try chip.requestLines(configuration)
      } catch {
        guard error.kind == .busy, let user = chip.user(of: line.offset), !user.utf8.isEmpty else {
          throw error
        }
        throw SystemError("in use by '" + user + "'", code: error.code)
      }
    } catch {
      throw LightFailure("line " + String(line.offset) + " of " + line.chip, error)
    }
  }

  func canShow(_ motion: LightMotion) -> Bool { motion.steady != nil }

  func show(_ motion: LightMotion) throws(SystemError) { try set(isOn: motion.steady ?? false) }

  func set(isOn: Bool) throws(SystemError) { try line.set(isOn ? 1 : 0, mask: 1) }

  func reconsider() -> Bool { false }

  // A line that is given back may keep its level or not, as its driver likes.
  func end() { try? set(isOn: false) }
}

/// Why a light could not be opened.
struct LightFailure: Error {
  /// What, and the kernel's reason.
  let text: String

  init(_ what: String, _ error: SystemError) { text = what + ": " + error.description }
}
