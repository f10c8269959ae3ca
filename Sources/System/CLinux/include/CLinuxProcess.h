// Processes, sandboxing, resource limits and message sockets: wrappers and constants for C that Swift cannot
// import. Included by CLinux.h. No behaviour of its own.
#ifndef CLINUX_PROCESS_H
#define CLINUX_PROCESS_H

#include <stddef.h>
#include <sys/resource.h>
#include <sys/syscall.h>

static inline int clinux_prctl(int option, unsigned long argument) { return prctl(option, argument, 0, 0, 0); }
static inline int clinux_pidfd_open(pid_t pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }
static inline int clinux_close_from(unsigned first) { return (int)syscall(SYS_close_range, first, ~0u, 0); }
static inline int clinux_seqpacket_pair(int *pair) {
  return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair);
}
// Lowers the priority of the process to a minimum for the processor (setpriority(2)) and the storage
// (ioprio_set(2), IOPRIO_CLASS_IDLE).
static inline void clinux_yield_to_others(void) {
  (void)setpriority(PRIO_PROCESS, 0, 19);
  (void)syscall(SYS_ioprio_set, 1, 0, 3 << 13);
}
// Landlock (landlock(7)), by number, because some boards' kernel headers lack it; the numbers are the same on
// all processors. The handled access rights are those of ABI version 1: changing the file system, running
// programs, and reading.
static inline int clinux_landlock_begin(void) {
  uint64_t handled = 0x1fff;
  return (int)syscall(444, &handled, sizeof handled, 0);
}
static inline int clinux_landlock_allow_reading(int rules, int place, int is_folder) {
  struct {
    uint64_t access;
    int32_t place;
  } __attribute__((packed)) beneath = {.access = is_folder ? 0xc : 0x4, .place = place};
  return (int)syscall(445, rules, 1, &beneath, 0);
}
// Allows reading and writing of one device.
static inline int clinux_landlock_allow_device(int rules, int place) {
  struct {
    uint64_t access;
    int32_t place;
  } __attribute__((packed)) beneath = {.access = 0x6, .place = place};
  return (int)syscall(445, rules, 1, &beneath, 0);
}
static inline int clinux_landlock_enforce(int rules) { return (int)syscall(446, rules, 0); }
static inline int clinux_map_failed(const void *mapping) { return mapping == MAP_FAILED; }
static inline int clinux_set_limit(int resource, uint64_t soft, uint64_t hard) {
  struct rlimit limit = {.rlim_cur = soft, .rlim_max = hard};
  return setrlimit((__rlimit_resource_t)resource, &limit);
}
static inline int clinux_handle_signal(int number, void (*handler)(int, siginfo_t *, void *), int flags) {
  struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};
  return sigaction(number, &action, 0);
}
static inline int clinux_default_signal(int number) { return signal(number, SIG_DFL) == SIG_ERR ? -1 : 0; }
static inline int clinux_signal_syscall(const siginfo_t *info) { return info->si_syscall; }
static inline long clinux_syscall(long number) { return syscall(number); }
static inline int clinux_is_regular(mode_t mode) { return S_ISREG(mode); }
static inline int clinux_is_pipe(mode_t mode) { return S_ISFIFO(mode); }
static inline int clinux_is_directory(mode_t mode) { return S_ISDIR(mode); }
static inline int clinux_is_link(mode_t mode) { return S_ISLNK(mode); }

static const int CLINUX_SYS_GETPPID = SYS_getppid;
static const int CLINUX_MSG_DONTWAIT = MSG_DONTWAIT;
static const int CLINUX_MSG_NOSIGNAL = MSG_NOSIGNAL;
static const int CLINUX_MSG_PEEK = MSG_PEEK;
static const int CLINUX_MSG_TRUNC = MSG_TRUNC;
static const int CLINUX_RLIMIT_AS = RLIMIT_AS;
static const int CLINUX_RLIMIT_DATA = RLIMIT_DATA;
static const int CLINUX_RLIMIT_CPU = RLIMIT_CPU;
static const int CLINUX_RLIMIT_CORE = RLIMIT_CORE;
static const int CLINUX_RLIMIT_FSIZE = RLIMIT_FSIZE;
static const int CLINUX_RLIMIT_NOFILE = RLIMIT_NOFILE;
static const int CLINUX_RLIMIT_NPROC = RLIMIT_NPROC;
static const uint64_t CLINUX_RLIM_INFINITY = RLIM_INFINITY;
static const int CLINUX_AF_NETLINK = AF_NETLINK;
// clone(2)'s flag for a thread, which glibc declares only under _GNU_SOURCE.
static const int CLINUX_CLONE_THREAD = 0x00010000;
static const int CLINUX_SA_RESETHAND = (int)SA_RESETHAND;

#endif
