#include "machine/cgroups/host_cgroups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "kernel/files/testing/temporary_folder.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// A host whose hierarchies are plain folders.
class HostCgroups : public testing::Test {
 protected:
  [[nodiscard]] std::string V1(const std::string& controllers) const {
    fs::create_directories(folder_.path() + "/" + controllers);
    return "1 1 0:1 / " + folder_.path() + "/" + controllers + " rw - cgroup cgroup rw," +
           controllers + "\n";
  }
  [[nodiscard]] std::string Unified(const std::string& controllers) const {
    const std::string point = folder_.path() + "/unified";
    fs::create_directories(point);
    std::ofstream(point + "/cgroup.controllers") << controllers << "\n";
    return "2 1 0:2 / " + point + " rw - cgroup2 cgroup2 rw\n";
  }
  [[nodiscard]] std::string MountInfo(const std::string& text) const {
    std::ofstream(folder_.path() + "/mountinfo") << text;
    return folder_.path() + "/mountinfo";
  }

  const kernel::TemporaryFolder folder_;
};

TEST_F(HostCgroups, TheRoomOfThatVersionIsOpened) {
  const auto v1 = OpenHostCgroups({.mountinfo_file = MountInfo(V1("memory") + Unified(""))});
  ASSERT_TRUE(v1) << v1.error().message;
  fs::create_directories(folder_.path() + "/memory/of-v1");
  EXPECT_TRUE((*v1)->OpenMemoryDirectory("of-v1"));
  const auto v2 = OpenHostCgroups({.mountinfo_file = MountInfo(Unified("memory"))});
  ASSERT_TRUE(v2) << v2.error().message;
  fs::create_directories(folder_.path() + "/unified/of-v2");
  EXPECT_TRUE((*v2)->OpenMemoryDirectory("of-v2"));
}

TEST_F(HostCgroups, WithoutMemoryTheUnifiedHierarchyIsOpenedAndItIsSaidHowToBoot) {
  const std::string mounts = MountInfo(Unified("cpu pids"));
  EXPECT_TRUE(OpenHostCgroups({.mountinfo_file = mounts}));
  EXPECT_THAT(WhyNoMemory(mounts), HasSubstr("/boot/firmware/cmdline.txt"));
  EXPECT_EQ(WhyNoMemory(MountInfo(Unified("cpu memory pids"))), "");
  EXPECT_EQ(WhyNoMemory(MountInfo(V1("memory") + Unified(""))), "");
}

TEST_F(HostCgroups, WithoutAHierarchyThatCanBeUsedTheErrorSaysWhatToDo) {
  for (const std::string& text : {std::string(), V1("cpuset")}) {
    const auto opened = OpenHostCgroups({.mountinfo_file = MountInfo(text)});
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::kUnavailable);
    EXPECT_THAT(opened.error().message, testing::AnyOf(HasSubstr("mount -t"), HasSubstr("boot")));
  }
}

}  // namespace
}  // namespace jettison
