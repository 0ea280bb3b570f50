// Describes to ThreadSanitizer what it can't see in `Mutex` of Swift's Synchronization library. The fast path of a
// mutex is compiled into our own code, where it is instrumented. The path of a mutex that is contended is in the
// library, which isn't: without this, a thread that waited for a mutex seems to race with its holder.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

void __tsan_acquire(void *address);
void __tsan_release(void *address);

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

// The library's functions of `_MutexHandle`, whose names these replacements bear.
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock_slow(uint32_t thread, SELF void *mutex) __asm__(LOCK);
SWIFT bool try_lock_slow(SELF void *mutex) __asm__(TRY_LOCK);
SWIFT void unlock_slow(SELF void *mutex) __asm__(UNLOCK);

SWIFT void lock_slow(uint32_t thread, SELF void *mutex) {
    ((SWIFT void (*)(uint32_t, SELF void *))dlsym(RTLD_NEXT, LOCK))(thread, mutex);
    __tsan_acquire(mutex);
}

SWIFT bool try_lock_slow(SELF void *mutex) {
    bool is_locked = ((SWIFT bool (*)(SELF void *))dlsym(RTLD_NEXT, TRY_LOCK))(mutex);
    if (is_locked) __tsan_acquire(mutex);
    return is_locked;
}

SWIFT void unlock_slow(SELF void *mutex) {
    __tsan_release(mutex);
    ((SWIFT void (*)(SELF void *))dlsym(RTLD_NEXT, UNLOCK))(mutex);
}
