// Starting a program without touching the storage of this one; spawn.c says how. Included by CLinux.h.
#ifndef CLINUX_SPAWN_H
#define CLINUX_SPAWN_H

// Descriptors from here on are never copied for a child: the place for those of files whose storage may hang.
extern const int CLINUX_FIRST_FOR_STORAGE;

// How much rather than others the kernel ends a child where memory runs out: it takes workers before the engine, whose own value they
// would have otherwise. Raising one's own needs no privilege (proc_pid_oom_score_adj(5)).
extern const int CLINUX_OUT_OF_MEMORY_SCORE;

// Starts a program with exactly these descriptors, numbered from 0 in their order; all are at least `count` and below
// CLINUX_FIRST_FOR_STORAGE. Its signals are at their defaults and unblocked, its process group is its own. Returns 0 or an
// errno: EINVAL or ENOSYS also where the kernel, or who plays it (QEMU, Valgrind), cannot do that.
int clinux_spawn(pid_t *pid, const char *path, char *const *arguments, char *const *environment,
                 const int *descriptors, int count);

#endif
