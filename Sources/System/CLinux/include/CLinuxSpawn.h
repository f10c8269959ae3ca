// Starts programs without touching this process's files on storage; spawn.c explains how. Included by
// CLinux.h.
#ifndef CLINUX_SPAWN_H
#define CLINUX_SPAWN_H

// Descriptors from this number on are never copied into a child. Files whose storage may hang are kept there.
extern const int CLINUX_FIRST_FOR_STORAGE;

// The out-of-memory score of children (proc_pid_oom_score_adj(5)), higher than the engine's, so that the
// kernel kills workers first. Raising one's own score needs no privilege.
extern const int CLINUX_OUT_OF_MEMORY_SCORE;

// Starts a program whose only descriptors are `descriptors`, numbered from 0 in their order; each must be at
// least `count` and below CLINUX_FIRST_FOR_STORAGE. The child has default signal handlers, no blocked
// signals, and its own process group. Returns 0 or an errno, including EINVAL or ENOSYS if the kernel or an
// emulator (QEMU, Valgrind) does not support this.
int clinux_spawn(pid_t *pid, const char *path, char *const *arguments, char *const *environment,
                 const int *descriptors, int count);

#endif
