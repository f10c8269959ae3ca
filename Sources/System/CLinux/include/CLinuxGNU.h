// Functions and constants that glibc declares only under _GNU_SOURCE; shim.c implements them. The public
// headers must not define _GNU_SOURCE: Swift imports libc without it and rejects conflicting declarations of
// the same structure. Included by CLinux.h. No behaviour of its own.
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
// Use one heap for all threads (mallopt(3)); return its free memory to the system (malloc_trim(3)).
void clinux_share_heap(void);
void clinux_trim_heap(void);
// Whether the system clock is synchronized, for example by NTP (adjtimex(2)): 1 or 0; -1 with errno.
int clinux_is_clock_synchronized(void);
// Reads one byte of each page in a range of memory.
void clinux_touch(const void *memory, size_t bytes);
// Writes to each page of the next `bytes` bytes of the calling thread's stack. Written in C because Swift
// does not guarantee that a temporary allocation is on the stack, and Embedded Swift allocates large ones
// elsewhere.
void clinux_touch_stack(size_t bytes);

extern const unsigned CLINUX_MFD_SEALABLE;
extern const int CLINUX_F_ADD_SEALS, CLINUX_SEALS_FIXED_SIZE, CLINUX_O_PATH;

#endif
