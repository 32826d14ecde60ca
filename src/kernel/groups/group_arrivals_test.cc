#include "kernel/groups/group_arrivals.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "kernel/files/temporary_folder.h"
#include "ports/fakes/fake_cgroups.h"
#include "ports/system_error.h"

namespace jettison::kernel {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

// Groups whose folders a test makes.
class FolderGroups : public FakeCgroups {
 public:
  [[nodiscard]] Result<FileDescriptor> OpenMemoryDirectory(std::string_view path) const override {
    FileDescriptor folder(::open(PathOf(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder) return Fail(SystemError(errno, "open"));
    return folder;
  }
  void Make(std::string_view path) const { ASSERT_EQ(::mkdir(PathOf(path).c_str(), 0755), 0); }
  void Unmake(std::string_view path) const { ASSERT_EQ(::rmdir(PathOf(path).c_str()), 0); }

 private:
  [[nodiscard]] std::string PathOf(std::string_view path) const {
    return folder_.path() + "/" + std::string(path);
  }
  TemporaryFolder folder_;
};

class GroupArrivalsTest : public testing::Test {
 protected:
  GroupArrivalsTest() {
    groups_.Make("a");
    groups_.Make("b");
  }
  [[nodiscard]] bool IsReadable() const {
    pollfd news{.fd = arrivals_.fd(), .events = POLLIN, .revents = 0};
    return ::poll(&news, 1, 0) == 1;
  }
  FolderGroups groups_;
  GroupArrivals arrivals_{groups_};
};

TEST_F(GroupArrivalsTest, EachGroupThatGotOthersIsToldOnce) {
  EXPECT_THAT(arrivals_.Take().groups, IsEmpty());
  ASSERT_TRUE(arrivals_.Watch("a"));
  ASSERT_TRUE(arrivals_.Watch("a"));
  ASSERT_TRUE(arrivals_.Watch("b"));
  EXPECT_FALSE(IsReadable());
  groups_.Make("a/1");
  groups_.Make("a/2");
  groups_.Make("b/1");
  EXPECT_TRUE(IsReadable());
  EXPECT_THAT(arrivals_.Take().groups, UnorderedElementsAre("a", "b"));
  EXPECT_FALSE(IsReadable());
  groups_.Unmake("a/1");
  EXPECT_THAT(arrivals_.Take().groups, IsEmpty());
}

TEST_F(GroupArrivalsTest, OneThatCameAgainIsWatchedAgain) {
  ASSERT_TRUE(arrivals_.Watch("a"));
  groups_.Unmake("a");
  EXPECT_THAT(arrivals_.Take().groups, IsEmpty());
  EXPECT_FALSE(arrivals_.Watch("a"));
  groups_.Make("a");
  ASSERT_TRUE(arrivals_.Watch("a"));
  groups_.Make("a/1");
  EXPECT_THAT(arrivals_.Take().groups, UnorderedElementsAre("a"));
}

}  // namespace
}  // namespace jettison::kernel
