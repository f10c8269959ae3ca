// Runs a program as systemd's SystemCallFilter= would: under-filter FILE PROGRAM [ARGUMENT...], where FILE holds the
// names of the allowed system calls, one a line. All others answer EPERM. Part of scripts/check-service.
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
