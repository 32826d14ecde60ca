#include "machine/cgroups/host_cgroups.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "kernel/files/files.h"
#include "kernel/files/testing/temporary_folder.h"
#include "machine/log/log.h"
#include "ports/fakes/child_process.h"
#include "ports/fakes/fake_cgroups.h"
#include "ports/fakes/fake_clock.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

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

constexpr const char* kHosts = "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
constexpr const char* kWithin = "30 23 0:26 /../../.. /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
constexpr const char* kOther = "40 23 8:1 /../x /mnt rw - ext4 /dev/sda rw\n";

TEST(HostCgroupView, IsMissingWhereAMountBeginsAboveTheRoot) {
  const auto seen_from_within = [](const std::string& text) {
    return AreGroupsSeenFromWithin(kernel::ParseMounts(text));
  };
  EXPECT_FALSE(seen_from_within(kHosts));
  EXPECT_FALSE(seen_from_within(std::string(kHosts) + kOther));
  EXPECT_TRUE(seen_from_within(kWithin));
  EXPECT_TRUE(seen_from_within("5 4 0:3 /.. /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n"));
}

TEST(HostCgroupView, IsOnlyEnteredWhereItIsMissing) {
  const kernel::TemporaryFolder folder;
  const std::string file = folder.path() + "/mountinfo";
  std::ofstream(file) << kHosts;
  EXPECT_TRUE(EnterHostCgroupView(file, "/nowhere"));
  std::ofstream(file) << kWithin;
  const auto refused = EnterHostCgroupView(file, "/nowhere");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("SYS_ADMIN and SYS_PTRACE"));
}

// A group of the unified hierarchy, for a process that takes it for the root. 0: all is well.
int LookFromWithin(const std::string& group, const std::string& host) {
  std::ofstream(group + "/cgroup.procs") << ::getpid() << std::flush;
  if (::unshare(CLONE_NEWCGROUP) != 0) return 1;
  const auto sees_from_within = [] {
    return AreGroupsSeenFromWithin(*kernel::ReadMounts("/proc/self/mountinfo"));
  };
  if (!sees_from_within()) return 2;
  if (!EnterHostCgroupView("/proc/self/mountinfo", host)) return 3;
  return sees_from_within() ? 4 : 0;
}

TEST(LiveHostCgroupView, IsEnteredFromANamespaceBelow) {
  const auto mounts = kernel::ReadMounts("/proc/self/mountinfo");
  ASSERT_TRUE(mounts);
  std::string unified;
  for (const kernel::Mount& mount : *mounts) {
    if (mount.type == "cgroup2" && mount.IsOfRoot()) unified = mount.point;
  }
  if (unified.empty() || ::geteuid() != 0) GTEST_SKIP() << "needs root and a unified hierarchy";
  const std::string group = fmt::format("{}/jettison-view-{}", unified, ::getpid());
  ASSERT_TRUE(fs::create_directory(group));
  const std::string host = fmt::format("/proc/{}/ns/cgroup", ::getpid());
  const pid_t child = ::fork();
  if (child == 0) ::_exit(LookFromWithin(group, host));
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
  EXPECT_TRUE(fs::remove(group));
}

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

// As kind configures it.
constexpr const char* kPlain = "kubelet/kubepods";
constexpr const char* kSlices = "kubelet.slice/kubelet-kubepods.slice";

class DriverInUseTest : public testing::Test {
 protected:
  DriverInUseTest() {
    config_.source = SourceKind::kKubernetes;
    config_.cgroup_root = "/kubelet";
  }
  void Make(const std::string& group, pid_t process = 0) {
    ASSERT_TRUE(groups_.Create(group, {}));
    if (process != 0) {
      ASSERT_TRUE(groups_.Join(group, process));
    }
  }
  [[nodiscard]] Result<CgroupDriver> Seen() { return DriverInUse(config_, groups_, log_); }

  AgentConfig config_;
  FakeCgroups groups_;
  FakeClock clock_;
  std::vector<std::string> lines_;
  Log log_{LogFormat::kText, clock_, [this](std::string_view line) { lines_.emplace_back(line); }};
};

TEST_F(DriverInUseTest, TheGroupThatIsThereTellsItWhateverTheConfigurationSays) {
  Make(kSlices);
  for (const CgroupDriver configured : {CgroupDriver::kCgroupfs, CgroupDriver::kSystemd}) {
    config_.cgroup_driver = configured;
    EXPECT_EQ(Seen(), CgroupDriver::kSystemd);
  }
  EXPECT_THAT(lines_[0],
              AllOf(HasSubstr("group=/kubelet.slice/kubelet-kubepods.slice cgroupDriver=systemd "
                              "configured=cgroupfs"),
                    HasSubstr("/kubelet/kubepods is not there")));
}

TEST_F(DriverInUseTest, OfTwoItIsTheOneThatHasProcesses) {
  Make(kSlices);
  Make(std::string(kPlain) + "/burstable/podu", 7);
  config_.cgroup_driver = CgroupDriver::kSystemd;
  EXPECT_EQ(Seen(), CgroupDriver::kCgroupfs);
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("is there, too, but has no processes")));
}

TEST_F(DriverInUseTest, BothOrNeitherIsAFaultThatNamesThem) {
  config_.node_cgroup = "/node";
  const auto none = Seen();
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(none.error().message,
              HasSubstr("neither /node/kubelet/kubepods nor "
                        "/node/kubelet.slice/kubelet-kubepods.slice; see that the kubelet runs"));
  Make(kSlices);
  Make(kPlain);
  const auto idle = Seen();
  ASSERT_FALSE(idle);
  EXPECT_EQ(idle.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(idle.error().message, HasSubstr("and neither has processes"));
  Make(std::string(kSlices) + "/a", 7);
  Make(std::string(kPlain) + "/b", 8);
  const auto busy = Seen();
  ASSERT_FALSE(busy);
  EXPECT_THAT(busy.error().message, HasSubstr("and each has processes"));
}

TEST_F(DriverInUseTest, AGroupThatCannotBeReadIsNoReasonToTakeTheOther) {
  Make(kSlices, 8);
  Make(kPlain, 7);
  groups_.FailOn(FakeCgroups::Operation::kRead, kPlain,
                 {ErrorCode::kInternal, "Input/output error"});
  const auto unread = Seen();
  ASSERT_FALSE(unread);
  EXPECT_THAT(unread.error().message, HasSubstr("/kubelet/kubepods: Input/output error"));
}

TEST_F(DriverInUseTest, AnAgentWithPodsOfItsOwnUsesWhatIsConfigured) {
  config_.source = SourceKind::kManifests;
  config_.cgroup_driver = CgroupDriver::kSystemd;
  EXPECT_EQ(WithDriverInUse(config_, log_)->cgroup_driver, CgroupDriver::kSystemd);
  EXPECT_THAT(lines_, testing::IsEmpty());
}

}  // namespace
}  // namespace jettison
