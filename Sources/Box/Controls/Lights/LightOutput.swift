// A switchable light: the driver interface, and lights on GPIO lines. Control thread only; no call blocks.

import Platform

/// A light's driver. Errors mean that the light has been removed.
protocol LightOutput: AnyObject {
  /// Whether the light can do a motion without a timer of ours.
  func canShow(_ motion: LightMotion) -> Bool
  /// Starts a motion that `canShow` accepts.
  func show(_ motion: LightMotion) throws(SystemError)
  /// Switches the light on or off.
  func set(isOn: Bool) throws(SystemError)
  /// Clears a recorded refusal; returns whether there was one.
  func reconsider() -> Bool
  /// Switches the light off and restores its original settings.
  func end()
}

/// A light on a GPIO line.
final class LineLight: LightOutput {
  private let line: any LineRequest

  /// Requests the line.
  ///
  /// - Throws: An error about the line or its chip.
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

  // Switch it off first: whether a released line keeps its level depends on the driver.
  func end() { try? set(isOn: false) }
}

/// The reason why a light could not be opened.
struct LightFailure: Error {
  /// The light and the kernel's reason.
  let text: String

  init(_ what: String, _ error: SystemError) { text = what + ": " + error.description }
}
