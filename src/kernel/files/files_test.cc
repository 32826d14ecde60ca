#include "kernel/files/files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <grp.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "kernel/files/own_folders.h"
#include "kernel/files/paths.h"
#include "kernel/files/testing/temporary_folder.h"
#include "kernel/files/whole_file.h"

namespace jettison::kernel {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class OwnFoldersTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(MakeFolders(pod_ + "/volumes/v")); }
  TemporaryFolder folder_;
  const std::string pod_ = folder_.path() + "/u";
};

TEST_F(OwnFoldersTest, APodOfTheOtherRuntimeIsNamedWithTheSettingItNeeds) {
  const std::string& pods = folder_.path();
  EXPECT_TRUE(CheckPodsAreOwn(pods, kProcessPodMarks)) << "a leftover belongs to no runtime";
  ASSERT_TRUE(WriteFile(pod_ + "/record", ""));
  EXPECT_TRUE(CheckPodsAreOwn(pods, kCriPodMarks));
  const auto checked = CheckPodsAreOwn(pods, kProcessPodMarks);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(checked.error().message,
              testing::AllOf(testing::HasSubstr("pod u (1 in all)"),
                             testing::HasSubstr("created with `runtime: cri`")));
  ASSERT_TRUE(WriteFile(pod_ + "/pod.json", ""));
  EXPECT_TRUE(CheckPodsAreOwn(pods, kProcessPodMarks)) << "it has what its own runtime wrote";
}

TEST_F(OwnFoldersTest, FoldersOfPodsThatCannotBeListedAreNotTakenForNone) {
  ASSERT_TRUE(WriteFile(folder_.path() + "/f", ""));
  EXPECT_FALSE(CheckPodsAreOwn(folder_.path() + "/f", kProcessPodMarks));
}

TEST_F(OwnFoldersTest, ALockThatADeadAgentsChildGivesBackIsTaken) {
  const auto open = [this] {
    return FileDescriptor(::open((pod_ + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  };
  FileDescriptor forked = open();
  ASSERT_EQ(::flock(forked.get(), LOCK_EX), 0);
  std::thread child([&] { forked.Close(); });
  EXPECT_TRUE(AwaitLock(open().get()));
  child.join();
}

unsigned ModeOf(const std::string& path) {
  struct stat facts {};
  EXPECT_EQ(::stat(path.c_str(), &facts), 0) << path;
  return facts.st_mode & 07777U;
}

TEST(RootFolders, NoOtherUserReachesThePods) {
  const TemporaryFolder folder;
  const Paths paths(folder.path() + "/root");
  ASSERT_TRUE(OpenRootFolders(paths, kProcessPodMarks));
  EXPECT_EQ(ModeOf(paths.Pods()), 0750U);
  EXPECT_TRUE(Exists(paths.Logs()));
  EXPECT_EQ(ModeOf(paths.root()), 0755U) << "others find their sockets and files below it";
}

TEST(RootFolders, ThoseOfAnEarlierVersionAreClosedAndNoneIsOpened) {
  const TemporaryFolder folder;
  const Paths paths(folder.path());
  ASSERT_TRUE(MakeFolders(paths.Pods()));
  for (const auto& [before, after] : {std::pair{0755U, 0750U}, {02775U, 02770U}, {0700U, 0700U}}) {
    ASSERT_EQ(::chmod(paths.Pods().c_str(), before), 0);
    ASSERT_TRUE(OpenRootFolders(paths, kProcessPodMarks));
    EXPECT_EQ(ModeOf(paths.Pods()), after);
  }
}

TEST(RootFolders, OfARootThatFailsAreDoneWithoutAndOfAnotherAgentRefused) {
  const TemporaryFolder folder;
  const Paths paths(folder.path() + "/root");
  std::ofstream(paths.root()) << "in the way";
  EXPECT_FALSE(OpenRootFolders(paths, kProcessPodMarks).value());
  ASSERT_EQ(::unlink(paths.root().c_str()), 0);
  const auto first = OpenRootFolders(paths, kProcessPodMarks).value();
  EXPECT_TRUE(first);
  EXPECT_EQ(OpenRootFolders(paths, kProcessPodMarks).error().code, ErrorCode::kUnavailable);
}

Pod SamplePod() {
  Pod pod;
  pod.namespace_ = "ns";
  pod.name = "web";
  pod.uid = "u1";
  pod.init_containers.resize(1);
  pod.init_containers[0].name = "init";
  pod.containers.resize(1);
  pod.containers[0].name = "main";
  return pod;
}

TEST(DiskOf, NamesEmptyDirsAndContainersButNoVolumeOfTheHost) {
  Pod pod = SamplePod();
  pod.volumes = {{"disk", EmptyDirSource{}},
                 {"mem", EmptyDirSource{.medium = "Memory", .size_limit = std::nullopt}},
                 {"host", HostPathSource{.path = "/", .type = ""}}};
  const PodDisk disk = DiskOf(Paths("/r"), pod);
  ASSERT_EQ(disk.empty_dirs.size(), 2U);
  EXPECT_EQ(disk.empty_dirs[0].path, "/r/pods/u1/volumes/disk");
  EXPECT_FALSE(disk.empty_dirs[0].memory);
  EXPECT_TRUE(disk.empty_dirs[1].memory);
  ASSERT_EQ(disk.containers.size(), 2U);
  EXPECT_EQ(disk.containers[0].name, "init");
  EXPECT_EQ(disk.containers[1].logs, "/r/logs/ns_web_u1/main");
  EXPECT_THAT(disk.containers[0].layer, testing::IsEmpty()) << "the runtime knows it";
}

TEST(CheckNames, RefusesEveryNameThatWouldLeadElsewhere) {
  EXPECT_TRUE(CheckNames(SamplePod()));
  const std::string hostile[] = {
      "", ".", "..", "a/b", "../x", std::string("a\0b", 3), "a\nb", std::string(256, 'x')};
  for (const std::string& name : hostile) {
    Pod by_uid = SamplePod();
    Pod by_namespace = SamplePod();
    Pod by_container = SamplePod();
    Pod by_volume = SamplePod();
    by_uid.uid = by_namespace.namespace_ = by_container.init_containers[0].name = name;
    by_volume.volumes = {{name, EmptyDirSource{}}};
    for (const Pod& pod : {by_uid, by_namespace, by_container, by_volume}) {
      EXPECT_FALSE(CheckNames(pod)) << name;
    }
  }
}

TEST(IsLogsOf, TakesNoOtherPodWhoseUidEndsTheSame) {
  EXPECT_TRUE(IsLogsOf("ns_name_b", "b"));
  EXPECT_TRUE(IsLogsOf("ns_name_a_b", "a_b"));
  EXPECT_FALSE(IsLogsOf("ns_name_a_b", "b"));
  EXPECT_FALSE(IsLogsOf("ns_name_ab", "b"));
  EXPECT_FALSE(IsLogsOf("b", "b"));
  EXPECT_FALSE(IsLogsOf("_b", "b"));
}

class WholeFileTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string Path(const std::string& name) const {
    return folder_.path() + "/" + name;
  }
  [[nodiscard]] std::vector<std::string> Names() const { return *kernel::NamesIn(folder_.path()); }
  [[nodiscard]] struct stat FactsOf(const std::string& name) const {
    struct stat facts {};
    EXPECT_EQ(::stat(Path(name).c_str(), &facts), 0);
    return facts;
  }
  kernel::TemporaryFolder folder_;
};

TEST_F(WholeFileTest, IsThereOnceItIsCompleteAndNotWhereItIsGivenUp) {
  {
    WholeFile file(Path("a"));
    ASSERT_TRUE(file.Add("one "));
    ASSERT_TRUE(file.Add("two"));
    EXPECT_FALSE(kernel::Exists(Path("a")));
    ASSERT_TRUE(file.PutInPlace());
    WholeFile given_up(Path("a"));
    ASSERT_TRUE(given_up.Add("new"));
  }
  EXPECT_EQ(*kernel::ReadFile(Path("a")), "one two");
  EXPECT_THAT(Names(), ElementsAre("a"));
}

TEST_F(WholeFileTest, SaysWhyItCannotBeWritten) {
  WholeFile file(Path("missing/a"));
  EXPECT_FALSE(file.Add("x"));
  ASSERT_TRUE(file.fault());
  EXPECT_THAT(file.fault()->message, HasSubstr("missing/a: No such file"));
  EXPECT_FALSE(file.PutInPlace());
}

TEST_F(WholeFileTest, IsWhereASymbolicLinkLeadsAndTheLinkStays) {
  ASSERT_TRUE(kernel::MakeFolders(Path("far")));
  std::filesystem::create_symlink("far/b", Path("a"));
  std::filesystem::create_symlink("a", Path("chain"));
  ASSERT_TRUE(WriteWholeFile(Path("chain"), "first"));
  ASSERT_TRUE(WriteWholeFile(Path("a"), "second"));
  EXPECT_EQ(*kernel::ReadFile(Path("far/b")), "second");
  EXPECT_THAT(Names(), ElementsAre("a", "chain", "far"));
  EXPECT_TRUE(std::filesystem::is_symlink(Path("a")));
}

TEST_F(WholeFileTest, WritesToADeviceThatIsThere) {
  std::filesystem::create_symlink("/dev/full", Path("a"));
  const auto written = WriteWholeFile(Path("a"), "text");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message, "cannot write " + Path("a") + ": No space left on device");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST_F(WholeFileTest, KeepsTheOwnerOfTheFileThatItReplaces) {
  if (::geteuid() != 0) GTEST_SKIP() << "to give a file away needs root";
  ASSERT_TRUE(WriteWholeFile(Path("a"), "old"));
  ASSERT_EQ(::chown(Path("a").c_str(), 1234, 2345), 0);
  ASSERT_EQ(::chmod(Path("a").c_str(), 06750), 0);
  ASSERT_TRUE(WriteWholeFile(Path("a"), "new"));
  EXPECT_EQ(FactsOf("a").st_uid, 1234U);
  EXPECT_EQ(FactsOf("a").st_gid, 2345U);
  EXPECT_EQ(FactsOf("a").st_mode & 07777U, 06750U);
}

// Writes as a user to whom neither the file nor its group belongs, in a process of its own.
void WriteAsAnother(const std::string& path) {
  constexpr uid_t kNobody = 65534;
  const bool is_other = ::setgroups(0, nullptr) == 0 &&
                        ::setresgid(kNobody, kNobody, kNobody) == 0 &&
                        ::setresuid(kNobody, kNobody, kNobody) == 0;
  ::_exit(is_other && WriteWholeFile(path, "new") ? 0 : 1);
}

TEST_F(WholeFileTest, IsItsOwnersAloneWhereTheOwnerCannotBeKept) {
  if (::geteuid() != 0) GTEST_SKIP() << "to be another user needs root";
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0777), 0);
  ASSERT_TRUE(WriteWholeFile(Path("a"), "old"));
  ASSERT_EQ(::chmod(Path("a").c_str(), 06664), 0);
  EXPECT_EXIT(WriteAsAnother(Path("a")), testing::ExitedWithCode(0), "");
  EXPECT_EQ(*kernel::ReadFile(Path("a")), "new");
  EXPECT_EQ(FactsOf("a").st_uid, 65534U);
  EXPECT_EQ(FactsOf("a").st_mode & 07777U, 0600U);
}

}  // namespace
}  // namespace jettison::kernel
