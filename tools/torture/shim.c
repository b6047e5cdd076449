/* Preloaded into plumb: stands between the program and the disk. Every call that changes a file under PLUMB_SHIM_ROOT
 * is counted, over all processes and threads, and call number PLUMB_SHIM_AT meets its fate: count   nothing: how many
 * calls there are once    it fails with PLUMB_SHIM_ERRNO full    it and every later one that needs space fails with
 * ENOSPC kill    the whole session is killed before it short   a write is cut in half record  nothing, but each call
 * and its bytes are written to PLUMB_SHIM_LOG, in order (disk_state.py reads it) */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

struct shared {
  atomic_ulong calls;
  atomic_int lock;
};

enum mode { OFF, COUNT, ONCE, FULL, KILL, SHORT, RECORD };
enum need { NEEDS_SPACE, NEEDS_NONE };

static struct shared* shared;
static enum mode mode;
static unsigned long at;
static int error_number, log_fd = -1;
static char root[PATH_MAX];

static const char* const kModes[] = {"off", "count", "once", "full", "kill", "short", "record"};

__attribute__((constructor)) static void start(void) {
  const char* name = getenv("PLUMB_SHIM_MODE");
  if (!name || !getenv("PLUMB_SHIM_ROOT") || !getenv("PLUMB_SHIM_STATE") || !getenv("PLUMB_SHIM_LOG")) return;
  snprintf(root, sizeof root, "%s/", getenv("PLUMB_SHIM_ROOT"));
  at = getenv("PLUMB_SHIM_AT") ? strtoul(getenv("PLUMB_SHIM_AT"), NULL, 10) : 0;
  error_number = getenv("PLUMB_SHIM_ERRNO") ? atoi(getenv("PLUMB_SHIM_ERRNO")) : EIO;
  /* System calls, not functions: these must not be counted. */
  const int state = (int)syscall(SYS_openat, AT_FDCWD, getenv("PLUMB_SHIM_STATE"), O_RDWR | O_CLOEXEC, 0);
  void* map = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, state, 0);
  syscall(SYS_close, state);
  const int opened = (int)syscall(SYS_openat, AT_FDCWD, getenv("PLUMB_SHIM_LOG"), O_WRONLY | O_APPEND | O_CLOEXEC, 0);
  /* Away from 0 to 2, which the program may have been given closed. */
  log_fd = fcntl(opened, F_DUPFD_CLOEXEC, 100);
  syscall(SYS_close, opened);
  if (map == MAP_FAILED || log_fd < 0) _exit(99);
  shared = map;
  for (int i = 0; i <= RECORD; ++i) {
    if (strcmp(name, kModes[i]) == 0) mode = (enum mode)i;
  }
}

/* ---- names ---- */

static int under_root(const char* path) {
  return mode != OFF && strncmp(path, root, strlen(root)) == 0;
}

static int is_root(const char* path) {
  return strlen(path) + 1 == strlen(root) && strncmp(path, root, strlen(path)) == 0;
}

static int path_of_fd(int fd, char* path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t size = readlink(link, path, PATH_MAX - 1);
  path[size < 0 ? 0 : size] = 0;
  return size > 0;
}

static void absolute(int folder, const char* name, char* path) {
  char base[PATH_MAX] = "";
  while (name[0] == '.' && name[1] == '/') name += 2;
  if (name[0] != '/') {
    if (folder != AT_FDCWD)
      path_of_fd(folder, base);
    else if (!getcwd(base, sizeof base))
      base[0] = 0;
  }
  if (snprintf(path, PATH_MAX, "%s%s%s", base, base[0] ? "/" : "", name) >= PATH_MAX) path[0] = 0;
  for (size_t end = strlen(path); end > 1 && path[end - 1] == '/';) path[--end] = 0;
}

/* ---- fates ---- */

static void take_lock(void) {
  if (mode != RECORD) return;
  for (int free = 0; !atomic_compare_exchange_strong(&shared->lock, &free, 1); free = 0) sched_yield();
}
static void give_lock(void) {
  if (mode == RECORD) atomic_store(&shared->lock, 0);
}

static void put(const char* op, unsigned long inode, long long offset, const char* path, const char* other,
                const void* bytes, size_t count) {
  char head[2 * PATH_MAX + 128];
  const int size = snprintf(head, sizeof head, "%s\t%lu\t%lld\t%zu\t%s\t%s\n", op, inode, offset, count, path, other);
  struct iovec parts[2] = {{head, (size_t)size}, {(void*)bytes, count}};
  syscall(SYS_writev, log_fd, parts, count ? 2 : 1);
}

/* 0: go ahead; -1: fail with errno; 1: write half of it. */
static int fate(const char* op, const char* path, enum need need) {
  const unsigned long number = atomic_fetch_add(&shared->calls, 1) + 1;
  if (mode == COUNT) put(op, number, 0, path, "", "", 0);
  if (mode == COUNT || mode == RECORD || number < at) return 0;
  if (mode == FULL) {
    if (need != NEEDS_SPACE) return 0;
    if (number == at) put(op, number, 0, path, "", "", 0);
    errno = ENOSPC;
    return -1;
  }
  if (number != at) return 0;
  put(op, number, 0, path, "", "", 0);
  if (mode == SHORT) return 1;
  if (mode == KILL) {
    kill(-getsid(0), SIGKILL);
    kill(getpid(), SIGKILL);
  }
  errno = error_number;
  return -1;
}

static unsigned long inode_of(const char* path) {
  struct stat status;
  return lstat(path, &status) == 0 ? (unsigned long)status.st_ino : 0;
}

#define REAL(type, name, ...)       \
  static type (*real)(__VA_ARGS__); \
  if (!real) real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

/* ---- files ---- */

static int before_open(const char* path) {
  take_lock();
  return fate("open", path, NEEDS_SPACE) < 0 ? -1 : 0;
}

static void after_open(const char* path, unsigned long existed, int truncates, int worked) {
  if (mode == RECORD && worked && under_root(path)) {
    if (!existed)
      put("create", inode_of(path), 0, path, "", "", 0);
    else if (truncates)
      put("truncate", existed, 0, path, "", "", 0);
  }
  give_lock();
}

static int open_at(int (*real)(int, const char*, int, mode_t), int folder, const char* name, int flags, mode_t rights) {
  char path[PATH_MAX];
  absolute(folder, name, path);
  if (!(flags & (O_CREAT | O_TRUNC)) || !under_root(path)) return real(folder, name, flags, rights);
  const unsigned long existed = inode_of(path);
  int fd = before_open(path);
  if (fd == 0) fd = real(folder, name, flags, rights);
  const int said = errno;
  after_open(path, existed, flags & O_TRUNC, fd >= 0);
  errno = said;
  return fd;
}

static int plain_openat(int folder, const char* name, int flags, mode_t rights) {
  return (int)syscall(SYS_openat, folder, name, flags, rights);
}

#define RIGHTS(flags)                      \
  mode_t rights = 0;                       \
  if ((flags) & (O_CREAT | __O_TMPFILE)) { \
    va_list list;                          \
    va_start(list, flags);                 \
    rights = va_arg(list, mode_t);         \
    va_end(list);                          \
  }

int open(const char* name, int flags, ...) {
  RIGHTS(flags) return open_at(plain_openat, AT_FDCWD, name, flags, rights);
}
int open64(const char* name, int flags, ...) {
  RIGHTS(flags) return open_at(plain_openat, AT_FDCWD, name, flags, rights);
}
int openat(int folder, const char* name, int flags, ...) {
  RIGHTS(flags) return open_at(plain_openat, folder, name, flags, rights);
}
int openat64(int folder, const char* name, int flags, ...) {
  RIGHTS(flags) return open_at(plain_openat, folder, name, flags, rights);
}
int creat(const char* name, mode_t rights) {
  return open_at(plain_openat, AT_FDCWD, name, O_CREAT | O_WRONLY | O_TRUNC, rights);
}

static FILE* stream(FILE* (*real)(const char*, const char*), const char* name, const char* how) {
  char path[PATH_MAX];
  absolute(AT_FDCWD, name, path);
  if (how[0] == 'r' || !under_root(path)) return real(name, how);
  const unsigned long existed = inode_of(path);
  FILE* file = before_open(path) == 0 ? real(name, how) : NULL;
  const int said = errno;
  after_open(path, existed, how[0] == 'w', file != NULL);
  errno = said;
  return file;
}

FILE* fopen(const char* name, const char* how) {
  REAL(FILE*, fopen, const char*, const char*);
  return stream(real, name, how);
}
FILE* fopen64(const char* name, const char* how) {
  REAL(FILE*, fopen64, const char*, const char*);
  return stream(real, name, how);
}

/* ---- bytes ---- */

static ssize_t write_bytes(int fd, const void* bytes, size_t size, off64_t where) {
  char path[PATH_MAX];
  const int ours = mode != OFF && path_of_fd(fd, path) && under_root(path);
  struct stat before = {0};
  long long offset = where;
  if (!ours) return where < 0 ? syscall(SYS_write, fd, bytes, size) : syscall(SYS_pwrite64, fd, bytes, size, where);
  take_lock();
  if (mode == RECORD) {
    fstat(fd, &before);
    if (where < 0) offset = fcntl(fd, F_GETFL) & O_APPEND ? before.st_size : lseek(fd, 0, SEEK_CUR);
  }
  const int doom = fate("write", path, NEEDS_SPACE);
  ssize_t done = -1;
  if (doom >= 0) {
    const size_t some = doom == 1 && size > 1 ? size / 2 : size;
    done = where < 0 ? syscall(SYS_write, fd, bytes, some) : syscall(SYS_pwrite64, fd, bytes, some, where);
  }
  const int said = errno;
  if (mode == RECORD && done > 0) put("write", before.st_ino, offset, path, "", bytes, (size_t)done);
  give_lock();
  errno = said;
  return done;
}

ssize_t write(int fd, const void* bytes, size_t size) {
  return write_bytes(fd, bytes, size, -1);
}
ssize_t pwrite(int fd, const void* bytes, size_t size, off_t where) {
  return write_bytes(fd, bytes, size, where);
}
ssize_t pwrite64(int fd, const void* bytes, size_t size, off64_t where) {
  return write_bytes(fd, bytes, size, where);
}

ssize_t writev(int fd, const struct iovec* parts, int count) {
  char path[PATH_MAX];
  if (mode == OFF || !path_of_fd(fd, path) || !under_root(path)) return syscall(SYS_writev, fd, parts, count);
  ssize_t all = 0;
  for (int i = 0; i < count; ++i) {
    if (parts[i].iov_len == 0) continue;
    const ssize_t done = write_bytes(fd, parts[i].iov_base, parts[i].iov_len, -1);
    if (done < 0) return all ? all : done;
    all += done;
    if ((size_t)done < parts[i].iov_len) break;
  }
  return all;
}

static int sync_fd(long call, int fd) {
  char path[PATH_MAX];
  struct stat status = {0};
  if (mode == OFF || !path_of_fd(fd, path)) return (int)syscall(call, fd);
  /* The root itself as well: its entries are brought to the disk by that. */
  if (!under_root(path) && !is_root(path)) return (int)syscall(call, fd);
  take_lock();
  fstat(fd, &status);
  int result = fate("fsync", path, NEEDS_NONE) < 0 ? -1 : (int)syscall(call, fd);
  const int said = errno;
  if (mode == RECORD && result == 0) put("fsync", status.st_ino, 0, path, "", "", 0);
  give_lock();
  errno = said;
  return result;
}

int fsync(int fd) {
  return sync_fd(SYS_fsync, fd);
}
int fdatasync(int fd) {
  return sync_fd(SYS_fdatasync, fd);
}

int ftruncate64(int fd, off64_t size) {
  char path[PATH_MAX];
  struct stat status = {0};
  if (mode == OFF || !path_of_fd(fd, path) || !under_root(path)) return (int)syscall(SYS_ftruncate, fd, size);
  take_lock();
  fstat(fd, &status);
  const int result = fate("truncate", path, NEEDS_NONE) < 0 ? -1 : (int)syscall(SYS_ftruncate, fd, size);
  if (mode == RECORD && result == 0) put("truncate", status.st_ino, size, path, "", "", 0);
  give_lock();
  return result;
}
int ftruncate(int fd, off_t size) {
  return ftruncate64(fd, size);
}

/* ---- entries of folders ---- */

static int change(const char* op, int folder, const char* name, enum need need, int (*real)(int, const char*, int),
                  int last) {
  char path[PATH_MAX];
  absolute(folder, name, path);
  if (!under_root(path)) return real(folder, name, last);
  take_lock();
  const unsigned long existed = inode_of(path);
  int result = fate(op, path, need) < 0 ? -1 : real(folder, name, last);
  const int said = errno;
  if (mode == RECORD && result == 0) put(op, existed ? existed : inode_of(path), 0, path, "", "", 0);
  give_lock();
  errno = said;
  return result;
}

static int plain_mkdirat(int folder, const char* name, int rights) {
  return (int)syscall(SYS_mkdirat, folder, name, rights);
}
static int plain_unlinkat(int folder, const char* name, int flags) {
  return (int)syscall(SYS_unlinkat, folder, name, flags);
}

int mkdir(const char* name, mode_t rights) {
  return change("mkdir", AT_FDCWD, name, NEEDS_SPACE, plain_mkdirat, (int)rights);
}
int mkdirat(int folder, const char* name, mode_t rights) {
  return change("mkdir", folder, name, NEEDS_SPACE, plain_mkdirat, (int)rights);
}
int unlink(const char* name) {
  return change("unlink", AT_FDCWD, name, NEEDS_NONE, plain_unlinkat, 0);
}
int rmdir(const char* name) {
  return change("rmdir", AT_FDCWD, name, NEEDS_NONE, plain_unlinkat, AT_REMOVEDIR);
}
int unlinkat(int folder, const char* name, int flags) {
  return change(flags & AT_REMOVEDIR ? "rmdir" : "unlink", folder, name, NEEDS_NONE, plain_unlinkat, flags);
}
int remove(const char* name) {
  struct stat status;
  const int folder = lstat(name, &status) == 0 && S_ISDIR(status.st_mode);
  return folder ? rmdir(name) : unlink(name);
}

static int rename_at(int from, const char* old, int to, const char* new, unsigned flags) {
  char path[PATH_MAX], other[PATH_MAX];
  absolute(from, old, path);
  absolute(to, new, other);
  if (!under_root(path) && !under_root(other)) return (int)syscall(SYS_renameat2, from, old, to, new, flags);
  take_lock();
  const unsigned long inode = inode_of(path);
  int result = fate("rename", other, NEEDS_NONE) < 0 ? -1 : (int)syscall(SYS_renameat2, from, old, to, new, flags);
  const int said = errno;
  if (mode == RECORD && result == 0) put("rename", inode, 0, path, other, "", 0);
  give_lock();
  errno = said;
  return result;
}

int rename(const char* old, const char* new) {
  return rename_at(AT_FDCWD, old, AT_FDCWD, new, 0);
}
int renameat(int from, const char* old, int to, const char* new) {
  return rename_at(from, old, to, new, 0);
}
int renameat2(int from, const char* old, int to, const char* new, unsigned flags) {
  return rename_at(from, old, to, new, flags);
}
