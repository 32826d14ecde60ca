// The one program in the images of live tests, linked statically. What it does is its arguments:
//
//   pause                   waits
//   ignore-term             waits and does not end on SIGTERM
//   exit CODE [MS]          ends with the code, after so many milliseconds
//   hog MIB [MIB_PER_S]     touches memory, at once or at a rate, says so and waits
//   thread-hog MIB MIB_PER_S  the same in a second thread, after which the first one ends
//   heir-hog MIB MIB_PER_S    the same in a child, once its parent has ended
//   pipe-hog MIB MIB_PER_S    the same in the buffers of pipes
//   table-hog MIB MIB_PER_S   the same in page tables
//   slab-hog MIB MIB_PER_S    about the same in messages that nobody receives, each an object of
//                           the kernel's
//   file BYTES PATH         writes a file, syncs it, says so and waits
//   fill BYTES PATH         writes a file and ends
//   lines COUNT             prints so many numbered lines, some 50,000 a second, and waits
//   files COUNT FOLDER      makes empty files, says so and waits
//   touch PATH              makes an empty file; ends with 1 where it cannot
//   cat PATH                prints a file
//   print TEXT...           prints each as a line
//   id                      prints "UID GID GROUP..."
//
// What waits ends with 0 on SIGTERM. Scripts run it, too: tests/vm/kernel_memory.sh takes pipe-hog,
// table-hog and slab-hog.

#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kPage = 4096;

std::size_t Number(const char* text) {
  return static_cast<std::size_t>(std::strtoull(text, nullptr, 10));
}

void SleepFor(double seconds) {
  if (seconds <= 0) return;
  timespec left{};
  left.tv_sec = static_cast<time_t>(seconds);
  left.tv_nsec = static_cast<long>((seconds - static_cast<double>(left.tv_sec)) * 1e9);
  while (::nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

double Now() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

int Fail(const char* what) {
  std::perror(what);
  return 1;
}

[[noreturn]] void Wait() {
  std::fflush(stdout);
  for (;;) {
    ::pause();
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
  }
}

// Calls `take` with the number of each MiB, at a rate.
template <typename Take>
int Grow(std::size_t mib, double rate, Take take) {
  const double start = Now();
  for (std::size_t done = 0; done < mib; ++done) {
    if (!take(done)) return Fail("take");
    if (rate > 0) SleepFor(start + static_cast<double>(done + 1) / rate - Now());
  }
  std::printf("touched %zu MiB\n", mib);
  Wait();
}

int Hog(std::size_t mib, double rate) {
  void* const mapped =
      ::mmap(nullptr, mib * kMiB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return Fail("mmap");
  auto* const bytes = static_cast<volatile char*>(mapped);
  return Grow(mib, rate, [bytes](std::size_t done) {
    for (std::size_t at = 0; at < kMiB; at += kPage) bytes[done * kMiB + at] = 1;
    return true;
  });
}

// A pipe for each MiB, which is the most that one without further rights holds.
int PipeHog(std::size_t mib, double rate) {
  static std::array<char, kMiB> block;
  return Grow(mib, rate, [](std::size_t) {
    std::array<int, 2> ends{};
    return ::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) == 0 &&
           ::fcntl(ends[1], F_SETPIPE_SZ, static_cast<int>(kMiB)) > 0 &&
           ::write(ends[1], block.data(), kMiB) == static_cast<ssize_t>(kMiB);
  });
}

// A page that is only read is the kernel's page of zeros, but its table is the process' own.
int TableHog(std::size_t mib, double rate) {
  constexpr std::size_t kMappedByTable = 2 * kMiB;
  constexpr std::size_t kMapped = kMiB / kPage * kMappedByTable;
  void* const mapped =
      ::mmap(nullptr, mib * kMapped, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return Fail("mmap");
  ::madvise(mapped, mib * kMapped, MADV_NOHUGEPAGE);
  const auto* const bytes = static_cast<const volatile char*>(mapped);
  return Grow(mib, rate, [bytes](std::size_t done) {
    for (std::size_t at = 0; at < kMapped; at += kMappedByTable) {
      static_cast<void>(bytes[done * kMapped + at]);
    }
    return true;
  });
}

int SlabHog(std::size_t mib, double rate) {
  constexpr std::size_t kMessage = 1024;  // what one of a byte takes
  constexpr int kMost = INT_MAX / 2;
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) != 0 ||
      ::setsockopt(ends[0], SOL_SOCKET, SO_SNDBUFFORCE, &kMost, sizeof(kMost)) != 0) {
    return Fail("socket");
  }
  return Grow(mib, rate, [end = ends[0]](std::size_t) {
    for (std::size_t at = 0; at < kMiB; at += kMessage) {
      if (::send(end, "x", 1, 0) != 1) return false;
    }
    return true;
  });
}

std::array<std::size_t, 2> g_order;

void* HogAsOrdered(void*) {
  Hog(g_order[0], static_cast<double>(g_order[1]));
  return nullptr;
}

// pthread_exit would need a library that a static program does not have.
int ThreadHog(std::size_t mib, std::size_t rate) {
  g_order = {mib, rate};
  pthread_t thread{};
  if (::pthread_create(&thread, nullptr, HogAsOrdered, nullptr) != 0) return Fail("thread");
  ::syscall(SYS_exit, 0);
  return 0;
}

int HeirHog(std::size_t mib, std::size_t rate) {
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) return Fail("fork");
  if (child > 0) Wait();
  while (::getppid() == parent) SleepFor(0.01);
  return Hog(mib, static_cast<double>(rate));
}

int WriteFile(std::size_t bytes, const char* path) {
  static std::array<char, 65536> block;
  block.fill('x');
  const int fd = ::open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0644);
  if (fd < 0) return Fail(path);
  for (std::size_t left = bytes; left > 0;) {
    const ssize_t written = ::write(fd, block.data(), std::min(left, block.size()));
    if (written <= 0) return Fail(path);
    left -= static_cast<std::size_t>(written);
  }
  ::fsync(fd);
  ::close(fd);
  std::printf("wrote %zu bytes\n", bytes);
  return 0;
}

// In bursts: a sleep after each line would be far longer than the line takes.
int PrintLines(std::size_t count) {
  constexpr std::size_t kBurst = 500;
  for (std::size_t line = 0; line < count; ++line) {
    std::printf("line %zu\n", line);
    if (line % kBurst != kBurst - 1) continue;
    std::fflush(stdout);
    SleepFor(0.01);
  }
  Wait();
}

int Touch(const char* path) {
  const int fd = ::open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
  if (fd < 0) return Fail(path);
  ::close(fd);
  return 0;
}

int MakeFiles(std::size_t count, const char* folder) {
  for (std::size_t file = 0; file < count; ++file) {
    std::array<char, 4096> path{};
    std::snprintf(path.data(), path.size(), "%s/%zu", folder, file);
    if (Touch(path.data()) != 0) return 1;
  }
  std::printf("made %zu files\n", count);
  Wait();
}

int Cat(const char* path) {
  std::FILE* const file = std::fopen(path, "re");
  if (file == nullptr) return Fail(path);
  std::array<char, 4096> block{};
  while (const std::size_t size = std::fread(block.data(), 1, block.size(), file)) {
    std::fwrite(block.data(), 1, size, stdout);
  }
  std::fclose(file);
  return 0;
}

int Identity() {
  std::array<gid_t, 64> groups{};
  const int count = ::getgroups(static_cast<int>(groups.size()), groups.data());
  std::printf("%u %u", ::getuid(), ::getgid());
  for (int at = 0; at < count; ++at) std::printf(" %u", groups[static_cast<std::size_t>(at)]);
  std::printf("\n");
  return 0;
}

int Print(int count, char** lines) {
  for (int at = 0; at < count; ++at) std::printf("%s\n", lines[at]);
  return 0;
}

void End(int) {
  ::_exit(0);
}

// Process 1 of a container does not get signals for which it has no handler.
void HandleTerm(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  ::sigaction(SIGTERM, &action, nullptr);
}

int Run(int count, char** words) {
  const auto is = [&](const char* verb, int arguments) {
    return std::strcmp(words[0], verb) == 0 && count > arguments;
  };
  if (is("exit", 1)) {
    if (count > 2) SleepFor(static_cast<double>(Number(words[2])) / 1000);
    return static_cast<int>(Number(words[1]));
  }
  if (is("hog", 1)) {
    return Hog(Number(words[1]), count > 2 ? static_cast<double>(Number(words[2])) : 0);
  }
  if (is("pipe-hog", 2)) return PipeHog(Number(words[1]), static_cast<double>(Number(words[2])));
  if (is("table-hog", 2)) return TableHog(Number(words[1]), static_cast<double>(Number(words[2])));
  if (is("slab-hog", 2)) return SlabHog(Number(words[1]), static_cast<double>(Number(words[2])));
  if (is("thread-hog", 2)) return ThreadHog(Number(words[1]), Number(words[2]));
  if (is("heir-hog", 2)) return HeirHog(Number(words[1]), Number(words[2]));
  if (is("file", 2)) {
    if (const int status = WriteFile(Number(words[1]), words[2]); status != 0) return status;
    Wait();
  }
  if (is("fill", 2)) return WriteFile(Number(words[1]), words[2]);
  if (is("lines", 1)) return PrintLines(Number(words[1]));
  if (is("files", 2)) return MakeFiles(Number(words[1]), words[2]);
  if (is("touch", 1)) return Touch(words[1]);
  if (is("cat", 1)) return Cat(words[1]);
  if (is("print", 0)) return Print(count - 1, words + 1);
  if (is("id", 0)) return Identity();
  if (is("pause", 0) || is("ignore-term", 0)) Wait();
  std::fprintf(stderr, "cannot %s\n", words[0]);
  return 64;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 64;
  HandleTerm(std::strcmp(argv[1], "ignore-term") == 0 ? SIG_IGN : End);
  return Run(argc - 1, argv + 1);
}
