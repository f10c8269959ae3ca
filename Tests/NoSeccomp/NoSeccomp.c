// Replaces libseccomp in a process under test and acts like a kernel without seccomp: no filter is ever loaded. With
// SWIFTLET_NO_SECCOMP=hold in its environment, the process stops where it would load one, until SIGCONT. The calling
// process's thread.

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int context;

void *seccomp_init(uint32_t action) {
  (void)action;
  return &context;
}

void seccomp_release(void *filter) { (void)filter; }

int seccomp_rule_add_array(void *filter, uint32_t action, int call, unsigned count, const void *conditions) {
  (void)filter, (void)action, (void)call, (void)count, (void)conditions;
  return 0;
}

int seccomp_load(void *filter) {
  (void)filter;
  const char *order = getenv("SWIFTLET_NO_SECCOMP");
  if (order && strcmp(order, "hold") == 0) raise(SIGSTOP);
  return -EINVAL;
}

int seccomp_export_pfc(void *filter, int file) {
  (void)filter, (void)file;
  return -EINVAL;
}

int seccomp_syscall_resolve_name(const char *name) {
  (void)name;
  return 0;
}

char *seccomp_syscall_resolve_num_arch(uint32_t processor, int call) {
  (void)processor, (void)call;
  return NULL;
}

uint32_t seccomp_arch_native(void) { return 0; }
