/* refuse.c - for LD_PRELOAD: a system that refuses the library one allocation or system call. Only
 * calls of the object count which has ARMCI_Init. A site is the stack of such a call; its name is
 * a hash of the stack, the same in each run of a build, whichever thread comes first.
 *
 * REFUSE_RANK=r: prints at the end the names of the sites of process r; with REFUSE_SITE=name the
 * first call of that site fails.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

enum { MOST_SITES = 4096 };

static struct {
    uintptr_t first, last; /* the code of the library */
    uint64_t refused;      /* site; 0: none */
    int is_on;
    pthread_mutex_t lock;
    uint64_t sites[MOST_SITES];
    int n;
} r = {.lock = PTHREAD_MUTEX_INITIALIZER};
static __thread int is_inside __attribute__((tls_model("initial-exec")));

static int find_code(struct dl_phdr_info *info, size_t size, void *address)
{
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t first = info->dlpi_addr + p->p_vaddr, last = first + p->p_memsz;
        if (p->p_type != PT_LOAD || (uintptr_t)address < first || (uintptr_t)address >= last)
            continue;
        r.first = first;
        r.last = last;
        return 1;
    }
    return 0;
}

__attribute__((constructor)) static void start(void)
{
    void *init = dlsym(RTLD_DEFAULT, "PARMCI_Init");
    const char *rank = getenv("PMI_RANK"), *site = getenv("REFUSE_SITE");
    if (!rank) rank = getenv("OMPI_COMM_WORLD_RANK");
    if (!init || !rank || atoi(rank) != atoi(getenv("REFUSE_RANK"))) return;
    dl_iterate_phdr(find_code, init);
    r.refused = site ? strtoull(site, NULL, 16) : 0;
    r.is_on = r.first != 0;
}

__attribute__((destructor)) static void end(void)
{
    for (int site = 0; r.is_on && !r.refused && site < r.n; site++)
        fprintf(stderr, "refuse: site %llx\n", (unsigned long long)r.sites[site]);
}

static _Unwind_Reason_Code add_frame(struct _Unwind_Context *context, void *hash)
{
    uintptr_t at = _Unwind_GetIP(context);
    if (at >= r.first && at < r.last)
        *(uint64_t *)hash = (*(uint64_t *)hash ^ (at - r.first)) * 1099511628211u;
    return _URC_NO_REASON;
}

/* True if the call is to fail. */
static int refuses(const char *name, void *caller)
{
    int refused = 0;
    if (!r.is_on || is_inside || (uintptr_t)caller < r.first || (uintptr_t)caller >= r.last)
        return 0;
    is_inside = 1;
    uint64_t hash = 14695981039346656037u;
    _Unwind_Backtrace(add_frame, &hash);
    pthread_mutex_lock(&r.lock);
    int site = 0;
    while (site < r.n && r.sites[site] != hash)
        site++;
    if (site == r.n && r.n < MOST_SITES) {
        r.sites[r.n++] = hash;
        refused = r.refused == hash;
    }
    pthread_mutex_unlock(&r.lock);
    if (refused) {
        char line[120];
        int n = snprintf(line, sizeof line, "refuse: %s, called at %#lx\n", name,
                         (unsigned long)((uintptr_t)caller - r.first));
        if (write(2, line, (size_t)n) != n) abort();
    }
    is_inside = 0;
    return refused;
}

/* clang-format off */
#define REAL(RESULT, NAME, PARAMETERS) \
    static RESULT (*real) PARAMETERS; \
    if (!real) { is_inside++; *(void **)&real = dlsym(RTLD_NEXT, #NAME); is_inside--; }
#define CALL(RESULT, NAME, PARAMETERS, ARGUMENTS, FAILED, ERROR) \
    RESULT NAME PARAMETERS { \
        REAL(RESULT, NAME, PARAMETERS) \
        if (!refuses(#NAME, __builtin_return_address(0))) return real ARGUMENTS; \
        errno = ERROR; return FAILED; }
#define MEMORY(NAME, PARAMETERS, REAL_CALL) \
    void *NAME PARAMETERS { \
        if (!refuses(#NAME, __builtin_return_address(0))) return REAL_CALL; \
        errno = ENOMEM; return NULL; }

void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);
MEMORY(malloc, (size_t n), __libc_malloc(n))
MEMORY(calloc, (size_t n, size_t bytes), __libc_calloc(n, bytes))
MEMORY(realloc, (void *p, size_t n), __libc_realloc(p, n))
MEMORY(aligned_alloc, (size_t to, size_t n), __libc_memalign(to, n))

CALL(void *, mmap, (void *at, size_t n, int protection, int flags, int fd, off_t offset), (at, n, protection, flags, fd, offset), MAP_FAILED, ENOMEM)
CALL(int, munmap, (void *at, size_t n), (at, n), -1, ENOMEM)
CALL(int, madvise, (void *at, size_t n, int advice), (at, n, advice), -1, ENOMEM)
CALL(int, mincore, (void *at, size_t n, unsigned char *pages), (at, n, pages), -1, ENOMEM)
CALL(int, memfd_create, (const char *name, unsigned flags), (name, flags), -1, EMFILE)
CALL(int, ftruncate, (int fd, off_t n), (fd, n), -1, ENOSPC)
CALL(int, fallocate, (int fd, int mode, off_t at, off_t n), (fd, mode, at, n), -1, ENOSPC)
CALL(FILE *, fopen, (const char *name, const char *mode), (name, mode), NULL, EMFILE)
CALL(char *, fgets, (char *line, int n, FILE *f), (line, n, f), NULL, EIO)
CALL(size_t, fread, (void *to, size_t each, size_t n, FILE *f), (to, each, n, f), 0, EIO)
CALL(ssize_t, readlink, (const char *name, char *to, size_t n), (name, to, n), -1, EACCES)
CALL(int, stat, (const char *name, struct stat *s), (name, s), -1, EACCES)
CALL(int, fstat, (int fd, struct stat *s), (fd, s), -1, EOVERFLOW)
CALL(ssize_t, read, (int fd, void *to, size_t n), (fd, to, n), -1, EIO)
CALL(ssize_t, write, (int fd, const void *from, size_t n), (fd, from, n), -1, ENOSPC)
CALL(off_t, lseek, (int fd, off_t at, int whence), (fd, at, whence), -1, EINVAL)
CALL(int, socket, (int domain, int type, int protocol), (domain, type, protocol), -1, EMFILE)
CALL(int, bind, (int fd, const struct sockaddr *name, socklen_t n), (fd, name, n), -1, EADDRINUSE)
CALL(int, listen, (int fd, int n), (fd, n), -1, EADDRINUSE)
CALL(int, accept4, (int fd, struct sockaddr *name, socklen_t *n, int flags), (fd, name, n, flags), -1, EMFILE)
CALL(int, connect, (int fd, const struct sockaddr *name, socklen_t n), (fd, name, n), -1, ECONNREFUSED)
CALL(ssize_t, send, (int fd, const void *from, size_t n, int flags), (fd, from, n, flags), -1, ENOBUFS)
CALL(ssize_t, sendmsg, (int fd, const struct msghdr *m, int flags), (fd, m, flags), -1, ETOOMANYREFS)
CALL(ssize_t, recv, (int fd, void *to, size_t n, int flags), (fd, to, n, flags), -1, ECONNRESET)
CALL(ssize_t, recvmsg, (int fd, struct msghdr *m, int flags), (fd, m, flags), -1, ECONNRESET)
CALL(int, setsockopt, (int fd, int level, int name, const void *value, socklen_t n), (fd, level, name, value, n), -1, ENOBUFS)
CALL(int, getsockopt, (int fd, int level, int name, void *value, socklen_t *n), (fd, level, name, value, n), -1, ENOBUFS)
CALL(int, getsockname, (int fd, struct sockaddr *name, socklen_t *n), (fd, name, n), -1, ENOBUFS)
CALL(int, poll, (struct pollfd *of, nfds_t n, int ms), (of, n, ms), -1, EINTR)
CALL(int, ppoll, (struct pollfd *of, nfds_t n, const struct timespec *t, const sigset_t *s), (of, n, t, s), -1, ENOMEM)
CALL(int, epoll_create1, (int flags), (flags), -1, EMFILE)
CALL(int, epoll_ctl, (int in, int op, int fd, struct epoll_event *e), (in, op, fd, e), -1, ENOSPC)
CALL(int, epoll_wait, (int in, struct epoll_event *e, int n, int ms), (in, e, n, ms), -1, EINTR)
CALL(int, eventfd, (unsigned value, int flags), (value, flags), -1, EMFILE)
CALL(int, eventfd_read, (int fd, eventfd_t *value), (fd, value), -1, EAGAIN)
CALL(int, pthread_create, (pthread_t *t, const pthread_attr_t *a, void *(*run)(void *), void *with), (t, a, run, with), EAGAIN, EAGAIN)
CALL(int, sem_wait, (sem_t *s), (s), -1, EINTR)
CALL(ssize_t, getrandom, (void *to, size_t n, unsigned flags), (to, n, flags), -1, ENOSYS)
CALL(int, sched_getaffinity, (pid_t p, size_t n, cpu_set_t *set), (p, n, set), -1, EPERM)
CALL(int, sched_setaffinity, (pid_t p, size_t n, const cpu_set_t *set), (p, n, set), -1, EPERM)
CALL(long, sysconf, (int name), (name), -1, EINVAL)
/* clang-format on */

int open(const char *name, int flags, ...)
{
    REAL(int, open, (const char *, int, ...))
    va_list more;
    va_start(more, flags);
    int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, int) : 0;
    va_end(more);
    if (!refuses("open", __builtin_return_address(0))) return real(name, flags, mode);
    errno = EMFILE;
    return -1;
}

/* A process may always end. */
long syscall(long which, ...)
{
    REAL(long, syscall, (long, ...))
    long a[6];
    va_list more;
    va_start(more, which);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(more, long);
    va_end(more);
    if (which == SYS_exit_group || !refuses("syscall", __builtin_return_address(0)))
        return real(which, a[0], a[1], a[2], a[3], a[4], a[5]);
    errno = EAGAIN;
    return -1;
}
