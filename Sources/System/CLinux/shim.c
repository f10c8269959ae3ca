// Implements the functions and constants that CLinuxGNU.h declares and glibc hides behind _GNU_SOURCE.
#define _GNU_SOURCE
#include <alloca.h>
#include <malloc.h>
#include <sys/timex.h>

#include "CLinux.h"

char **clinux_environment(void) { return environ; }
int clinux_accept(int fd) { return accept4(fd, 0, 0, SOCK_CLOEXEC | SOCK_NONBLOCK); }
int clinux_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }
int clinux_set_soft_limit_of(pid_t pid, int resource, uint64_t soft) {
  struct rlimit limit;
  if (prlimit(pid, (enum __rlimit_resource)resource, 0, &limit) < 0) return -1;
  limit.rlim_cur = soft < limit.rlim_max ? soft : limit.rlim_max;
  return prlimit(pid, (enum __rlimit_resource)resource, &limit, 0);
}
int clinux_memfd_create(const char *name, unsigned flags) { return memfd_create(name, flags); }
int clinux_ppoll(struct pollfd *entries, nfds_t count, const struct timespec *timeout) {
  return ppoll(entries, count, timeout, 0);
}
int clinux_close_in_child_from(posix_spawn_file_actions_t *actions, int first) {
  return posix_spawn_file_actions_addclosefrom_np(actions, first);
}
int clinux_openpt(int flags) { return posix_openpt(flags); }
int clinux_grantpt(int fd) { return grantpt(fd); }
int clinux_unlockpt(int fd) { return unlockpt(fd); }
int clinux_ptsname(int fd, char *name, size_t size) { return ptsname_r(fd, name, size); }

void clinux_share_heap(void) { mallopt(M_ARENA_MAX, 1); }
void clinux_trim_heap(void) { malloc_trim(0); }
int clinux_is_clock_synchronized(void) {
  struct timex state = {.modes = 0};
  if (adjtimex(&state) < 0) return -1;
  return (state.status & STA_UNSYNC) == 0;
}
void clinux_touch(const void *memory, size_t bytes) {
  for (size_t i = 0; i < bytes; i += 4096) (void)((const volatile char *)memory)[i];
}
void clinux_touch_stack(size_t bytes) {
  volatile char *stack = alloca(bytes);
  for (size_t i = 0; i < bytes; i += 4096) stack[i] = 0;
}

const unsigned CLINUX_MFD_SEALABLE = MFD_CLOEXEC | MFD_ALLOW_SEALING;
const int CLINUX_F_ADD_SEALS = F_ADD_SEALS;
const int CLINUX_SEALS_FIXED_SIZE = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
const int CLINUX_O_PATH = O_PATH;
