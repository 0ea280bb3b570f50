// Declarations missing from Swift's view of the C library: those for GNU programs only (pipe(2), the last of
// posix_spawn_file_actions(3), SCHED_IDLE), and headers that it doesn't include (adjtimex(2)).

#ifndef ROOST_CLINUX_SHIM_H
#define ROOST_CLINUX_SHIM_H

#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/timex.h>
#include <unistd.h>

extern int pipe2(int ends[2], int flags);
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);

/// A pipe of which no child gets an end by itself.
static inline int roost_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

/// The child closes this descriptor and all above it.
static inline int roost_spawn_close_from(posix_spawn_file_actions_t *actions, int from) {
    return posix_spawn_file_actions_addclosefrom_np(actions, from);
}

/// The calling thread runs only while nothing else wants the processor, and gives it up at once (sched(7), SCHED_IDLE).
static inline int roost_run_when_idle(void) {
    // Of GNU programs only.
    enum { idle = 5 };
    struct sched_param parameters = {.sched_priority = 0};
    return sched_setscheduler(0, idle, &parameters);
}

/// The calling thread gets little of a processor that others want, but some (setpriority(2); on Linux, of one thread).
static inline int roost_run_after_others(void) { return setpriority(PRIO_PROCESS, 0, 10); }

/// Whether something keeps the clock right: 1 or 0; -1 if the system doesn't say.
static inline int roost_clock_is_kept(void) {
    struct timex state = {.modes = 0};
    return adjtimex(&state) < 0 ? -1 : !(state.status & STA_UNSYNC);
}

#endif
