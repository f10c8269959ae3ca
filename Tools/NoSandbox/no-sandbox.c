// Replacement for libseccomp that accepts every rule and loads none, for scripts/smoke-board only: QEMU's user
// emulation has no seccomp, and Swiftlet does not decode without a sandbox. Never part of a package.

#include <stdint.h>
#include <stddef.h>

static int filter;

void *seccomp_init(uint32_t action) {
  (void)action;
  return &filter;
}
void seccomp_release(void *context) { (void)context; }
int seccomp_load(const void *context) {
  (void)context;
  return 0;
}
int seccomp_rule_add_array(void *context, uint32_t action, int call, unsigned count, const void *conditions) {
  (void)context, (void)action, (void)call, (void)count, (void)conditions;
  return 0;
}
uint32_t seccomp_arch_native(void) { return 0; }
int seccomp_syscall_resolve_name(const char *name) {
  (void)name;
  return 0;
}
char *seccomp_syscall_resolve_num_arch(uint32_t architecture, int call) {
  (void)architecture, (void)call;
  return NULL;
}
