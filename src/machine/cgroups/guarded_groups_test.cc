
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "kernel/files/files.h"
#include "kernel/files/testing/temporary_folder.h"
#include "machine/cgroups/host_cgroups.h"
#include "ports/fakes/child_process.h"
#include "ports/fakes/fake_cgroups.h"

namespace jettison {
namespace {

using testing::HasSubstr;

constexpr uid_t kNobody = 65534;

// A group that is a folder.
class FolderCgroups : public FakeCgroups {
 public:
  explicit FolderCgroups(std::string folder) : folder_(std::move(folder)) {}
  [[nodiscard]] Result<FileDescriptor> OpenMemoryDirectory(std::string_view) const override {
    return FileDescriptor(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }

 private:
  const std::string folder_;
};

class LiveStrangersLock : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "to be another user needs root";
    ASSERT_EQ(::chmod(folder_.path().c_str(), 0755), 0);
    stranger_.Start();
    ASSERT_TRUE(stranger_.AwaitReady());
  }
  void MakeFileOfRoot() const {
    const std::string file = folder_.path() + "/cgroup.kill";
    ASSERT_TRUE(kernel::WriteFile(file, ""));
    ASSERT_EQ(::chmod(file.c_str(), 0200), 0);
  }
  [[nodiscard]] Result<FileDescriptor> Lock() {
    return LockPodsGroup(groups_, {.path = "kubepods", .shown = "/shown"}, "/root/one");
  }

  const kernel::TemporaryFolder folder_;
  FolderCgroups groups_{folder_.path()};
  // As `flock FOLDER sleep inf` of another user.
  ChildProcess stranger_{[this](const std::function<void()>& ready) {
    if (::setresuid(kNobody, kNobody, kNobody) != 0) return;
    const int fd = ::open(folder_.path().c_str(), O_RDONLY | O_DIRECTORY);
    if (::flock(fd, LOCK_EX | LOCK_NB) != 0) return;
    ready();
    SleepForever();
  }};
};

TEST_F(LiveStrangersLock, OfAFileThatOnlyRootCanOpenIsHadByOneAtATimeAllTheSame) {
  MakeFileOfRoot();
  const auto one = Lock();
  ASSERT_TRUE(one) << one.error().message;
  const auto two = Lock();
  ASSERT_FALSE(two);
  EXPECT_EQ(two.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(two.error().message, HasSubstr("belongs to another agent"));
}

TEST(LivePodsGroupLock, IsHadByOneAtATimeAndEndsWithItsHolder) {
  if (::geteuid() != 0) GTEST_SKIP() << "making control groups needs root";
  auto groups = OpenHostCgroups({});
  if (!groups) GTEST_SKIP() << groups.error().message;
  const PodsGroupName name{.path = fmt::format("jettison-lock-{}", getpid()), .shown = "/shown"};
  {
    const auto one = LockPodsGroup(**groups, name, "/root/one");
    ASSERT_TRUE(one);
    const auto two = LockPodsGroup(**groups, name, "/root/two");
    ASSERT_FALSE(two);
    EXPECT_EQ(two.error().code, ErrorCode::kUnavailable);
    EXPECT_THAT(two.error().message, HasSubstr("/shown"));
    EXPECT_THAT(two.error().message, HasSubstr("/root/two"));
  }
  EXPECT_TRUE(LockPodsGroup(**groups, name, "/root/two"));
  EXPECT_TRUE((*groups)->Remove(name.path));
}

}  // namespace
}  // namespace jettison
