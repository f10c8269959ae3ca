// What glibc declares under _GNU_SOURCE only: functions of shim.c, which defines it, and constants. The headers must not: Swift
// sees libc without, and refuses two views of one structure. Included by CLinux.h. Adds no behaviour.
#ifndef CLINUX_GNU_H
#define CLINUX_GNU_H

char **clinux_environment(void);
int clinux_accept(int fd);
int clinux_pipe(int ends[2]);
int clinux_set_soft_limit_of(pid_t pid, int resource, uint64_t soft);
int clinux_memfd_create(const char *name, unsigned flags);
int clinux_ppoll(struct pollfd *entries, nfds_t count, const struct timespec *timeout);
int clinux_close_in_child_from(posix_spawn_file_actions_t *actions, int first);
int clinux_openpt(int flags);
int clinux_grantpt(int fd);
int clinux_unlockpt(int fd);
int clinux_ptsname(int fd, char *name, size_t size);
// One heap for all threads; free memory of it back to the system (mallopt(3), malloc_trim(3)).
void clinux_share_heap(void);
void clinux_trim_heap(void);
// Whether a program keeps the clock right by the network (adjtimex(2)): 1 or 0; -1 with errno.
int clinux_is_clock_synchronized(void);
// Reads from each page of so many bytes.
void clinux_touch(const void *memory, size_t bytes);
// Writes to each page of the next so many bytes of the calling thread's stack. In C, because Swift makes no promise that a
// temporary allocation lies on the stack; where it is Embedded, none this large does.
void clinux_touch_stack(size_t bytes);

extern const unsigned CLINUX_MFD_SEALABLE;
extern const int CLINUX_F_ADD_SEALS, CLINUX_SEALS_FIXED_SIZE, CLINUX_O_PATH;

#endif
