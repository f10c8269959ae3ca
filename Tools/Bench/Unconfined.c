// Replacement for libseccomp.so.2 with which valgrind can follow a worker. For scripts/bench only; Swiftlet never
// loads it.
// It disables the filter, limits, pidfd and openat2 (unknown to valgrind 3.19), starts the program by its path
// instead of /proc/self/exe (which is valgrind itself), and replaces SIGKILL by SIGTERM so that a worker can write
// its counts.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

void *seccomp_init(unsigned action) {
  static int context;
  (void)action;
  return &context;
}
void seccomp_release(void *context) { (void)context; }
int seccomp_load(void *context) { return (void)context, 0; }
int seccomp_rule_add_array(void *context, unsigned action, int call, unsigned count, const void *conditions) {
  return (void)context, (void)action, (void)call, (void)count, (void)conditions, 0;
}
int seccomp_syscall_resolve_name(const char *name) { return (void)name, -1; }
unsigned seccomp_arch_native(void) { return 0; }
char *seccomp_syscall_resolve_num_arch(unsigned arch, int number) {
  return (void)arch, (void)number, NULL;
}

int setrlimit(__rlimit_resource_t resource, const struct rlimit *limit) {
  return (void)resource, (void)limit, 0;
}

long syscall(long number, ...) {
  long word[6];
  va_list rest;
  va_start(rest, number);
  for (int i = 0; i < 6; i++) word[i] = va_arg(rest, long);
  va_end(rest);
  if (number == SYS_pidfd_open) return eventfd(0, EFD_CLOEXEC);
  if (number == SYS_openat2) {
    const struct open_how *how = (const struct open_how *)word[2];
    return openat((int)word[0], (const char *)word[1], (int)how->flags);
  }
  long (*real)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  return real(number, word[0], word[1], word[2], word[3], word[4], word[5]);
}

int prctl(int option, ...) {
  long word[4];
  va_list rest;
  va_start(rest, option);
  for (int i = 0; i < 4; i++) word[i] = va_arg(rest, long);
  va_end(rest);
  if (option == PR_SET_PDEATHSIG) return 0;
  int (*real)(int, ...) = (int (*)(int, ...))dlsym(RTLD_NEXT, "prctl");
  return real(option, word[0], word[1], word[2], word[3]);
}

int kill(pid_t pid, int signal) {
  int (*real)(pid_t, int) = (int (*)(pid_t, int))dlsym(RTLD_NEXT, "kill");
  return real(pid, signal == SIGKILL ? SIGTERM : signal);
}

int posix_spawn(
    pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
    char *const argv[], char *const envp[]) {
  char own[4096];
  if (!strcmp(path, "/proc/self/exe")) {
    const ssize_t length = readlink(path, own, sizeof own - 1);
    if (length > 0) {
      own[length] = 0;
      path = own;
    }
  }
  int (*real)(
      pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[],
      char *const[]) = (void *)dlsym(RTLD_NEXT, "posix_spawn");
  return real(pid, path, actions, attributes, argv, envp);
}
