// Polynomials for sine, logarithm and exponential, because code with proved real-time safety cannot call libm. Pure
// arithmetic; any thread, including the audio thread.

enum Polynomial {
  /// sin(x·π/2) for x in 0…1, with an error below 1e-13.
  ///
  /// Taylor series of the sine about 0 up to an eighth of a turn, and of the cosine about the other end beyond it.
  @_noLocks @_noAllocation
  static func sineOfQuarterTurns(_ x: Double) -> Double {
    if x <= 0.5 {
      let t = x * 1.5707963267948966
      let s = t * t
      var sum = 1 - s / 210  // 14·15
      sum = 1 - s / 156 * sum  // 12·13
      sum = 1 - s / 110 * sum
      sum = 1 - s / 72 * sum
      sum = 1 - s / 42 * sum
      sum = 1 - s / 20 * sum
      return t * (1 - s / 6 * sum)
    }
    let t = (1 - x) * 1.5707963267948966
    let s = t * t
    var sum = 1 - s / 182  // 13·14
    sum = 1 - s / 132 * sum
    sum = 1 - s / 90 * sum
    sum = 1 - s / 56 * sum
    sum = 1 - s / 30 * sum
    sum = 1 - s / 12 * sum
    return 1 - s / 2 * sum
  }

  /// Base-2 logarithm of a normal, positive, finite number, with an error below 1e-11.
  ///
  /// The exponent comes from the bits; the mantissa m, scaled to 0.7…1.4, is 2·atanh((m − 1)/(m + 1)).
  @_noLocks @_noAllocation
  static func log2(_ x: Double) -> Double {
    let bits = x.bitPattern
    var exponent = Double(Int64(bits >> 52 & 0x7FF) - 1023)
    var mantissa = Double(bitPattern: bits & 0x000F_FFFF_FFFF_FFFF | 0x3FF0_0000_0000_0000)
    if mantissa > 1.4142135623730951 {
      mantissa *= 0.5
      exponent += 1
    }
    let t = (mantissa - 1) / (mantissa + 1)
    let s = t * t
    var sum = 1.0 / 13
    sum = 1.0 / 11 + s * sum
    sum = 1.0 / 9 + s * sum
    sum = 1.0 / 7 + s * sum
    sum = 1.0 / 5 + s * sum
    sum = 1.0 / 3 + s * sum
    sum = 1 + s * sum
    return exponent + 2 * t * sum * 1.4426950408889634
  }

  /// 2 to the power of x for |x| ≤ 1000, with a relative error below 1e-12.
  ///
  /// The nearest integer goes into the exponent bits, and the rest (at most 0.5) into the Taylor series of e.
  @_noLocks @_noAllocation
  static func exp2(_ x: Double) -> Double {
    let whole = Int64(x < 0 ? x - 0.5 : x + 0.5)
    let t = (x - Double(whole)) * 0.6931471805599453
    var sum = 1 + t / 11
    sum = 1 + t / 10 * sum
    sum = 1 + t / 9 * sum
    sum = 1 + t / 8 * sum
    sum = 1 + t / 7 * sum
    sum = 1 + t / 6 * sum
    sum = 1 + t / 5 * sum
    sum = 1 + t / 4 * sum
    sum = 1 + t / 3 * sum
    sum = 1 + t / 2 * sum
    sum = 1 + t * sum
    return sum * Double(bitPattern: UInt64(bitPattern: whole + 1023) << 52)
  }
}
