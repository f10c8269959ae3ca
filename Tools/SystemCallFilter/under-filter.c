// Runs a program under the system call filter of systemd's SystemCallFilter=. Used by scripts/check-service.
// Usage: under-filter FILE PROGRAM [ARGUMENT...]. FILE lists the allowed system calls, one per line; others fail with
// EPERM.
#include <errno.h>
#include <seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char **argv) {
  FILE *names = argc > 2 ? fopen(argv[1], "r") : NULL;
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
  if (!names || !filter) return 64;
  char name[128];
  while (fgets(name, sizeof name, names)) {
    name[strcspn(name, "\n")] = 0;
    int number = seccomp_syscall_resolve_name(name);
    if (number >= 0) seccomp_rule_add(filter, SCMP_ACT_ALLOW, number, 0);
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || seccomp_load(filter)) return 71;
  execv(argv[2], argv + 2);
  return 127;
}
