/*
 * A library for LD_PRELOAD: the disk of one process answers with EIO, or slowly. CHAOS_EIO names a file
 * of two little-endian numbers of eight bytes: a process id, or 0, and a time in microseconds, or 0.
 * While that process finds its own id there, whatever it asks of a file below CHAOS_EIO_DISK fails: to
 * open, read, write, list, make, rename and remove, by those functions that the agent calls. With a time
 * nothing fails, and whatever changes the disk takes so long. Other processes, what is mapped, and the free
 * space of the disk are as always.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t none[2] = {0, 0};
static const volatile int64_t *failing = none;
static const char *disk = "";
static size_t disk_length = 0;
static uint64_t disk_device = 0;

static uint64_t DeviceOf(int folder, const char *path, int flags) {
  struct statx status;
  if (syscall(SYS_statx, folder, path, flags, 0, &status) != 0) return 0;
  return ((uint64_t)status.stx_dev_major << 32) | status.stx_dev_minor;
}

__attribute__((constructor)) static void MapFailing(void) {
  const char *path = getenv("CHAOS_EIO");
  disk = getenv("CHAOS_EIO_DISK");
  const int fd = path == NULL || disk == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  disk_length = strlen(disk);
  disk_device = DeviceOf(AT_FDCWD, disk, 0);
  void *area = mmap(NULL, sizeof(none), PROT_READ, MAP_SHARED, fd, 0);
  close(fd);
  if (area != MAP_FAILED) failing = area;
}

static int Fails(void) {
  return failing[0] != 0 && failing[0] == getpid();
}

/* Whether to fail; a change of a disk that is only slow is held up here. */
static int Refuses(int change) {
  const int64_t micros = failing[1];
  if (micros == 0) return 1;
  if (change) {
    const struct timespec pause = {micros / 1000000, micros % 1000000 * 1000};
    nanosleep(&pause, NULL);
  }
  return 0;
}

static int IsBelow(const char *path) {
  return strncmp(path, disk, disk_length) == 0 && (path[disk_length] == '/' || path[disk_length] == 0);
}

static int FdFails(int fd) {
  return Fails() && DeviceOf(fd, "", AT_EMPTY_PATH) == disk_device;
}

static int PathFails(int folder, const char *path) {
  if (!Fails()) return 0;
  return path[0] == '/' || folder == AT_FDCWD ? IsBelow(path) : FdFails(folder);
}

/*
 * The function of the C library that is called where nothing fails. It is looked up once: dlsym takes a
 * lock of the whole process, behind which the agent's loop would wait for its other threads.
 */
#define NEXT(name)                                                                                  \
  __extension__({                                                                                   \
    static __typeof__(&name) next_function;                                                         \
    __typeof__(&name) next_##name = __atomic_load_n(&next_function, __ATOMIC_RELAXED);              \
    if (next_##name == NULL) {                                                                      \
      next_##name = (__typeof__(&name))dlsym(RTLD_NEXT, #name);                                     \
      __atomic_store_n(&next_function, next_##name, __ATOMIC_RELAXED);                              \
    }                                                                                               \
    next_##name;                                                                                    \
  })
#define REFUSE_IF(condition, change, answer)  \
  do {                                        \
    if ((condition) && Refuses(change)) {     \
      errno = EIO;                            \
      return answer;                          \
    }                                         \
  } while (0)
#define REFUSE(condition, answer) REFUSE_IF(condition, 0, answer)
#define REFUSE_CHANGE(condition, answer) REFUSE_IF(condition, 1, answer)

int open(const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = va_arg(more, mode_t);
  va_end(more);
  REFUSE_IF(PathFails(AT_FDCWD, path), flags & O_CREAT, -1);
  return NEXT(open)(path, flags, mode);
}
int openat(int folder, const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = va_arg(more, mode_t);
  va_end(more);
  REFUSE_IF(PathFails(folder, path), flags & O_CREAT, -1);
  return NEXT(openat)(folder, path, flags, mode);
}
FILE *fopen(const char *path, const char *mode) {
  REFUSE(PathFails(AT_FDCWD, path), NULL);
  return NEXT(fopen)(path, mode);
}
FILE *fopen64(const char *path, const char *mode) {
  REFUSE(PathFails(AT_FDCWD, path), NULL);
  return NEXT(fopen64)(path, mode);
}
DIR *opendir(const char *path) {
  REFUSE(PathFails(AT_FDCWD, path), NULL);
  return NEXT(opendir)(path);
}
struct dirent *readdir(DIR *folder) {
  REFUSE(FdFails(dirfd(folder)), NULL);
  return NEXT(readdir)(folder);
}
ssize_t getdents64(int fd, void *buffer, size_t size) {
  REFUSE(FdFails(fd), -1);
  return NEXT(getdents64)(fd, buffer, size);
}

ssize_t read(int fd, void *buffer, size_t size) {
  REFUSE(FdFails(fd), -1);
  return NEXT(read)(fd, buffer, size);
}
ssize_t pread(int fd, void *buffer, size_t size, off_t at) {
  REFUSE(FdFails(fd), -1);
  return NEXT(pread)(fd, buffer, size, at);
}
ssize_t write(int fd, const void *buffer, size_t size) {
  REFUSE_CHANGE(FdFails(fd), -1);
  return NEXT(write)(fd, buffer, size);
}
ssize_t pwrite(int fd, const void *buffer, size_t size, off_t at) {
  REFUSE_CHANGE(FdFails(fd), -1);
  return NEXT(pwrite)(fd, buffer, size, at);
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
  REFUSE_CHANGE(FdFails(fd), -1);
  return NEXT(writev)(fd, parts, count);
}
int fsync(int fd) {
  REFUSE_CHANGE(FdFails(fd), -1);
  return NEXT(fsync)(fd);
}
int fdatasync(int fd) {
  REFUSE_CHANGE(FdFails(fd), -1);
  return NEXT(fdatasync)(fd);
}
int ftruncate(int fd, off_t size) {
  REFUSE_CHANGE(FdFails(fd), -1);
  return NEXT(ftruncate)(fd, size);
}

int stat(const char *restrict path, struct stat *restrict status) {
  REFUSE(PathFails(AT_FDCWD, path), -1);
  return NEXT(stat)(path, status);
}
int lstat(const char *restrict path, struct stat *restrict status) {
  REFUSE(PathFails(AT_FDCWD, path), -1);
  return NEXT(lstat)(path, status);
}
int fstatat(int folder, const char *restrict path, struct stat *restrict status, int flags) {
  REFUSE(PathFails(folder, path), -1);
  return NEXT(fstatat)(folder, path, status, flags);
}
int statx(int folder, const char *restrict path, int flags, unsigned mask, struct statx *restrict status) {
  REFUSE(PathFails(folder, path), -1);
  return NEXT(statx)(folder, path, flags, mask, status);
}

int mkdir(const char *path, mode_t mode) {
  REFUSE_CHANGE(PathFails(AT_FDCWD, path), -1);
  return NEXT(mkdir)(path, mode);
}
int mkdirat(int folder, const char *path, mode_t mode) {
  REFUSE_CHANGE(PathFails(folder, path), -1);
  return NEXT(mkdirat)(folder, path, mode);
}
int unlink(const char *path) {
  REFUSE_CHANGE(PathFails(AT_FDCWD, path), -1);
  return NEXT(unlink)(path);
}
int unlinkat(int folder, const char *path, int flags) {
  REFUSE_CHANGE(PathFails(folder, path), -1);
  return NEXT(unlinkat)(folder, path, flags);
}
int rmdir(const char *path) {
  REFUSE_CHANGE(PathFails(AT_FDCWD, path), -1);
  return NEXT(rmdir)(path);
}
int remove(const char *path) {
  REFUSE_CHANGE(PathFails(AT_FDCWD, path), -1);
  return NEXT(remove)(path);
}
int rename(const char *from, const char *to) {
  REFUSE_CHANGE(PathFails(AT_FDCWD, from) || PathFails(AT_FDCWD, to), -1);
  return NEXT(rename)(from, to);
}
int renameat(int from_folder, const char *from, int to_folder, const char *to) {
  REFUSE_CHANGE(PathFails(from_folder, from) || PathFails(to_folder, to), -1);
  return NEXT(renameat)(from_folder, from, to_folder, to);
}
int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
  REFUSE_CHANGE(PathFails(from_folder, from) || PathFails(to_folder, to), -1);
  return NEXT(renameat2)(from_folder, from, to_folder, to, flags);
}
