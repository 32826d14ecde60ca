#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <string>

#include "kernel/files/files.h"
#include "kernel/files/testing/temporary_folder.h"
#include "machine/loop/event_loop.h"
#include "machine/loop/own_process.h"
#include "ports/fakes/child_process.h"
#include "ports/mailbox.h"

// Defined if the program was linked with AddressSanitizer or ThreadSanitizer.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the sanitizers' own
// names
extern "C" [[gnu::weak]] void __asan_init();
extern "C" [[gnu::weak]] void __tsan_init();
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace jettison {
namespace {

TEST(EventLoop, TurnsForDescriptorsSignalsAndTheTimerUntilItIsToldToQuit) {
  auto loop = EventLoop::Make().value();
  Mailbox<int> mailbox;
  std::vector<std::string> seen;
  ASSERT_TRUE(loop->Watch(mailbox.fd(), [&] {
    static_cast<void>(mailbox.TakeAll());
    seen.emplace_back("mail");
    loop->SetTimer(Duration::zero());
  }));
  ASSERT_TRUE(loop->OnSignals({SIGUSR1}, [&] {
    seen.emplace_back("signal");
    loop->Quit();
  }));
  mailbox.Put(1);
  int turns = 0;
  ASSERT_TRUE(loop->Run([&] {
    if (++turns == 2) raise(SIGUSR1);  // the timer's turn
  }));
  EXPECT_EQ(seen, (std::vector<std::string>{"mail", "signal"}));
  EXPECT_EQ(turns, 3);
}

TEST(ThreadPriority, IsRealTimeOnlyWhereThatKeepsNobodyFromSwitchingOnAController) {
  const kernel::TemporaryFolder v2;
  ASSERT_TRUE(kernel::MakeFolders(v2.path() + "/system.slice/with"));
  ASSERT_TRUE(kernel::MakeFolders(v2.path() + "/system.slice/without"));
  ASSERT_TRUE(kernel::WriteFile(v2.path() + "/system.slice/with/cpu.weight", "100\n"));
  const auto may_be = [&](const char* groups) { return MayBeRealTime(groups, v2.path()); };
  EXPECT_TRUE(may_be("0::/system.slice/with\n"));
  EXPECT_FALSE(may_be("0::/system.slice/without\n"));
  EXPECT_TRUE(may_be("0::/\n")) << "there is no group above the root";
  EXPECT_TRUE(may_be("4:memory:/a\n3:cpu,cpuacct:/b:c\n0::/system.slice/without\n"))
      << "v1 refuses by itself";
  EXPECT_FALSE(may_be("4:cpuset,cpuacct:/a\n0::/system.slice/without"));
  EXPECT_FALSE(may_be(""));
}

// A row of /proc/self/status, in KiB.
long StatusRow(const std::string& row) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == row && status >> word) return std::stol(word);
  }
  return -1;
}

// Sanitizers do not allow memory to be locked. A test that was compiled without one may be linked
// with it.
bool MemoryCanBeLocked() {
  return __asan_init == nullptr && __tsan_init == nullptr;
}

TEST(MemoryLock, TakesNothingThatIsNotTouched) {
  if (!MayLockOwnMemory()) GTEST_SKIP() << "CAP_IPC_LOCK is missing";
  EXPECT_EQ(
      1, InChild([]() -> int {
        constexpr std::size_t kBytes = 64 << 20;
        const bool locked = LockOwnMemory().has_value();
        const long resident = StatusRow("VmRSS:");
        void* const mapped =
            ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        return locked && mapped != MAP_FAILED && StatusRow("VmRSS:") < resident + 4096 &&
               (!MemoryCanBeLocked() || StatusRow("VmLck:") > static_cast<long>(kBytes / 1024));
      }));
}

TEST(MemoryLock, IsRefusedUnderALimitWithoutTheCapability) {
  EXPECT_EQ(1, InChild([]() -> int {
              const rlimit limit = {.rlim_cur = 65536, .rlim_max = 65536};
              __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
              const __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
              if (::setrlimit(RLIMIT_MEMLOCK, &limit) != 0) return false;
              if (::syscall(SYS_capset, &header, none) != 0) return false;
              const auto locked = LockOwnMemory();
              return !locked && locked.error().code == ErrorCode::kPermissionDenied;
            }));
}

}  // namespace
}  // namespace jettison
