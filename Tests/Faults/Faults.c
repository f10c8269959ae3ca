// Replaces some libc functions in a daemon under test. Any thread; calls that are not to fail are passed on to libc.

#define _GNU_SOURCE
#include "include/SwiftletFaults.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static struct SwiftletFaults none;
static volatile struct SwiftletFaults *faults = &none;
static const char *folder = "";

#define LIBC(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

// The program that runs in place of a box's integrations; NULL for none.
static const char *integration;

__attribute__((constructor)) static void begin(void) {
  integration = getenv("SWIFTLET_FAULTS_INTEGRATION");
  const char *path = getenv("SWIFTLET_FAULTS");
  if (!path) return;
  if (getenv("SWIFTLET_FAULTS_FOLDER")) folder = getenv("SWIFTLET_FAULTS_FOLDER");
  int file = LIBC(open)(path, O_RDWR | O_CLOEXEC);
  if (file < 0) abort();
  void *mapped = mmap(NULL, sizeof none, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED) abort();
  faults = mapped;
  close(file);
}

static int fails(int error) {
  __atomic_add_fetch(&faults->failed, 1, __ATOMIC_RELAXED);
  errno = error;
  return -1;
}

static int is_inside(const char *path) {
  size_t length = strlen(folder);
  return length > 0 && strncmp(path, folder, length) == 0 && path[length] == '/';
}

// The path of an open file, and whether it is on the failing storage.
static int is_file_inside(int file, char name[PATH_MAX]) {
  char link[32];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, name, PATH_MAX - 1);
  name[length > 0 ? length : 0] = 0;
  return is_inside(name);
}

// Whether a file is being created and has no allocated space yet.
static int is_new(const char *name) {
  size_t length = strlen(name);
  return length > 4 && strcmp(name + length - 4, ".new") == 0;
}

// The error of a write to a file; 0 for none.
static int write_error(int file) {
  int state = faults->storage;
  char name[PATH_MAX];
  if (state == SWIFTLET_STORAGE_FINE || !is_file_inside(file, name)) return 0;
  if (state == SWIFTLET_STORAGE_READ_ONLY) return EROFS;
  return is_new(name) ? ENOSPC : 0;
}

static int open_error(const char *path, int flags) {
  int is_writing = (flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT);
  return faults->storage == SWIFTLET_STORAGE_READ_ONLY && is_writing && is_inside(path) ? EROFS : 0;
}

int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  int error = open_error(path, flags);
  return error ? fails(error) : LIBC(open)(path, flags, mode);
}

int unlink(const char *path) {
  struct stat status;
  // The box's socket is in /run, not on its storage.
  if (faults->storage == SWIFTLET_STORAGE_READ_ONLY && is_inside(path) && lstat(path, &status) == 0 &&
      S_ISREG(status.st_mode)) {
    return fails(EROFS);
  }
  return LIBC(unlink)(path);
}

int rename(const char *from, const char *to) {
  if (faults->storage == SWIFTLET_STORAGE_READ_ONLY && is_inside(to)) return fails(EROFS);
  return LIBC(rename)(from, to);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
  int error = write_error(file);
  return error ? fails(error) : LIBC(pwrite)(file, bytes, count, offset);
}

int posix_fallocate(int file, off_t offset, off_t length) {
  int error = write_error(file);
  if (!error) return LIBC(posix_fallocate)(file, offset, length);
  fails(error);
  return error;
}

ssize_t write(int file, const void *bytes, size_t count) {
  if (faults->failing_tty_writes > 0 && isatty(file)) {
    __atomic_sub_fetch(&faults->failing_tty_writes, 1, __ATOMIC_RELAXED);
    return fails(EIO);
  }
  return LIBC(write)(file, bytes, count);
}

// Called in a child that shares this process's memory: it must not lock or allocate.
int execve(const char *path, char *const arguments[], char *const environment[]) {
  int is_integration = integration && arguments[0] && arguments[1] && strcmp(arguments[1], "serve") == 0;
  return (int)syscall(SYS_execve, is_integration ? integration : path, arguments, environment);
}

// A timer that reports changes of the wall clock is replaced by a pipe that the test writes to.
static int clock_timer = -1;

int timerfd_create(int clock, int flags) {
  const char *path = getenv("SWIFTLET_FAULTS_CLOCK");
  if (clock != CLOCK_REALTIME || !path) return LIBC(timerfd_create)(clock, flags);
  clock_timer = LIBC(open)(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
  return clock_timer;
}

int timerfd_settime(int timer, int flags, const struct itimerspec *value, struct itimerspec *old) {
  return timer >= 0 && timer == clock_timer ? 0 : LIBC(timerfd_settime)(timer, flags, value, old);
}

DIR *opendir(const char *path) {
  if (faults->folder_delay > 0 && is_inside(path)) usleep((useconds_t)faults->folder_delay * 1000);
  return LIBC(opendir)(path);
}

time_t time(time_t *result) {
  time_t now = LIBC(time)(NULL) + (time_t)faults->clock;
  if (result) *result = now;
  return now;
}
