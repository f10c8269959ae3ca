// The parts of libc and the kernel interface that Swiftlet uses, importable by ordinary and Embedded Swift.
// Variadic calls get one-line wrappers; macros that Swift cannot import become constants. No behaviour of its
// own.
#ifndef CLINUX_H
#define CLINUX_H

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <sys/vfs.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static inline int clinux_errno(void) { return errno; }
static inline void clinux_set_errno(int value) { errno = value; }
static const int CLINUX_TFD_CLOEXEC = TFD_CLOEXEC;
static const int CLINUX_TFD_NONBLOCK = TFD_NONBLOCK;
static const int CLINUX_TFD_ABSOLUTE = TFD_TIMER_ABSTIME;
static const int CLINUX_TFD_ON_SET = TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET;
static inline int clinux_open(const char *path, int flags) { return open(path, flags); }
static inline int clinux_create(const char *path, int flags, mode_t mode) { return open(path, flags, mode); }
static inline int clinux_fcntl(int fd, int command, int argument) { return fcntl(fd, command, argument); }
static inline int clinux_ioctl_pointer(int fd, unsigned long request, void *argument) {
  return ioctl(fd, request, argument);
}
// Whether an open file is on an in-memory file system (tmpfs, ramfs): 1 or 0; -1 with errno.
static inline int clinux_is_in_memory(int fd) {
  struct statfs status;
  if (fstatfs(fd, &status) != 0) return -1;
  return (unsigned int)status.f_type == 0x01021994u || (unsigned int)status.f_type == 0x858458F6u;
}
static inline int clinux_exited(int status) { return WIFEXITED(status); }
static inline int clinux_exit_code(int status) { return WEXITSTATUS(status); }
static inline int clinux_signalled(int status) { return WIFSIGNALED(status); }
static inline int clinux_term_signal(int status) { return WTERMSIG(status); }

static inline void clinux_ignore_signal(int number) { signal(number, SIG_IGN); }

static const unsigned long CLINUX_TIOCGWINSZ = TIOCGWINSZ;

#include "CLinuxProcess.h"

#include "CLinuxDevices.h"

#include "CLinuxControls.h"

#include "CLinuxGNU.h"

#include "CLinuxSpawn.h"

#include "CLinuxText.h"

#endif
