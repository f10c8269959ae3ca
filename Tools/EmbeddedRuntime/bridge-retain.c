// Mends swift_bridgeObjectRetain of Swift 6.3's runtime for Embedded Swift: linked into every such build, by --wrap (scripts/common.sh).
//
// The compiler declares that these functions return what they are given, and LLVM relies on it: on ARM it reads the value from the
// register afterwards. The runtime returns the object without its tag bits (swiftlang/swift#91151). A short string keeps text
// in those bits: "pinctrl-bcm2711" became a pointer to nowhere, and a box died when it wanted to say that this chip is missing.

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
