// Fixes swift_bridgeObjectRetain of Embedded Swift's runtime (Swift 6.3). Linked into every Embedded build with
// --wrap (scripts/common.sh).
//
// The compiler declares that these functions return their argument, and LLVM relies on that: on ARM it reads the
// value from the return register. But the runtime returns the object without its tag bits (swiftlang/swift#91151), in
// which a short string stores text. As a result, the string "pinctrl-bcm2711" became an invalid pointer, and the
// daemon crashed while reporting that this chip is missing.

void *__real_swift_bridgeObjectRetain(void *object);
void *__real_swift_bridgeObjectRetain_n(void *object, unsigned count);
void *__wrap_swift_bridgeObjectRetain(void *object);
void *__wrap_swift_bridgeObjectRetain_n(void *object, unsigned count);

__attribute__((visibility("hidden"))) void *__wrap_swift_bridgeObjectRetain(void *object) {
  __real_swift_bridgeObjectRetain(object);
  return object;
}

__attribute__((visibility("hidden"))) void *__wrap_swift_bridgeObjectRetain_n(void *object, unsigned count) {
  __real_swift_bridgeObjectRetain_n(object, count);
  return object;
}
