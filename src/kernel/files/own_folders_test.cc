#include "kernel/files/own_folders.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "kernel/files/files.h"
#include "kernel/files/paths.h"
#include "kernel/files/testing/temporary_folder.h"

namespace jettison::kernel {
namespace {

class OwnFoldersTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(MakeFolders(pod_ + "/volumes/v")); }
  TemporaryFolder folder_;
  const std::string pod_ = folder_.path() + "/u";
};

TEST_F(OwnFoldersTest, APodIsNotMadeWhereSomethingElseIs) {
  EXPECT_TRUE(CheckPodPlace(folder_.path() + "/none"));
  EXPECT_TRUE(CheckPodPlace(pod_));
  ASSERT_TRUE(WriteFile(pod_ + "/f", ""));
  const auto checked = CheckPodPlace(pod_);
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().message, testing::StartsWith(pod_ + " is in the pod's place"));
}

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

TEST(RootFolders, OfARootThatFailsAreDoneWithout) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() + "/root") << "in the way";
  const Paths paths(folder.path() + "/root");
  const auto opened = OpenRootFolders(paths, kProcessPodMarks).value();
  EXPECT_FALSE(opened);
}

TEST(RootFolders, OfAnotherAgentAreRefused) {
  const TemporaryFolder folder;
  const Paths paths(folder.path() + "/root");
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
    by_uid.uid = name;
    EXPECT_FALSE(CheckNames(by_uid)) << name;
    Pod by_namespace = SamplePod();
    by_namespace.namespace_ = name;
    EXPECT_FALSE(CheckNames(by_namespace)) << name;
    Pod by_container = SamplePod();
    by_container.init_containers[0].name = name;
    EXPECT_FALSE(CheckNames(by_container)) << name;
    Pod by_volume = SamplePod();
    by_volume.volumes = {{name, EmptyDirSource{}}};
    EXPECT_FALSE(CheckNames(by_volume)) << name;
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

}  // namespace
}  // namespace jettison::kernel
