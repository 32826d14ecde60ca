#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>

#include "kernel/groups/group_files.h"
#include "runtimes/process/live_bed.h"

namespace jettison::process {

using namespace kernel;
namespace {

using cgroup_v1::Controller;
using namespace testing;
using std::chrono::seconds;

class LiveProcessRuntime : public LiveBed {
 protected:
  void SetUp() override {
    LiveBed::SetUp();
    if (!IsSkipped() && bed_) bed_->Open();
  }
  [[nodiscard]] ContainerRuntime& runtime() { return bed_->runtime(); }
  // Starts the pod's container and waits until it runs.
  [[nodiscard]] bool StartMain(const Pod& pod, int oom_score_adj = 0) {
    if (!bed_->Create(pod)) return false;
    runtime().StartContainer(pod.uid, "main", 0, oom_score_adj);
    return bed_->Await<ContainerStarted>(pod.uid) != nullptr;
  }
};

Volume EmptyDir(const std::string& name) {
  return {name, EmptyDirSource{}};
}

TEST_F(LiveProcessRuntime, AContainerBeyondItsMemoryLimitIsOomKilledAndSoIsTold) {
  Pod pod = ShellPod("u", "exec tail /dev/zero");
  pod.containers[0].resources.limits = {{"memory", *Quantity::Parse("16Mi")}};
  const auto* exited = bed_->Run(pod);
  ASSERT_NE(exited, nullptr);
  EXPECT_TRUE(exited->exit.oom_killed);
  EXPECT_EQ(exited->exit.exit_code, 137);
  // The group's counter is not reset, but the next run is judged only by its own kills.
  runtime().StartContainer("u", "main", 1, 0);
  ASSERT_NE(bed_->Await<ContainerStarted>("u"), nullptr);
  runtime().KillContainer("u", "main");
  const auto* killed = bed_->Await<ContainerExited>("u");
  ASSERT_NE(killed, nullptr);
  RemoveAllAndLookForRemains();
}

TEST_F(LiveProcessRuntime, VolumesAreMountedForTheContainerAlone) {
  const std::string host = folder_.path() + "/host";
  ASSERT_TRUE(MakeFolders(host));
  ASSERT_TRUE(MakeFolders(bed_->paths().ConfigMap("default", "c")));
  ASSERT_TRUE(WriteFile(bed_->paths().ConfigMap("default", "c") + "/key", "value\n"));
  const std::string at = folder_.path() + "/mounted";
  Pod pod = ShellPod("u", "cd " + at +
                              "; cat conf/key; echo x > conf/key; echo d > data/f; echo r > "
                              "data/read-only/f; cat data/read-only/f; stat -f -c %T mem; "
                              "df -k --output=size mem | tail -1; cat one-file");
  pod.volumes = {
      EmptyDir("data"),
      {"conf", ConfigMapSource{.name = "c", .optional = false}},
      {"host", HostPathSource{.path = host, .type = "Directory"}},
      {"mem", EmptyDirSource{.medium = "Memory", .size_limit = *Quantity::Parse("8Mi")}}};
  ASSERT_TRUE(WriteFile(host + "/f", "of the host\n"));
  pod.containers[0].volume_mounts = {{"conf", at + "/conf", "", false},
                                     {"data", at + "/data", "a/b", false},
                                     {"host", at + "/data/read-only", "", true},
                                     {"mem", at + "/mem", "", false},
                                     {"conf", at + "/one-file", "key", false}};
  ASSERT_NE(bed_->Run(pod), nullptr);
  const std::string log = bed_->LogOf(pod);
  EXPECT_THAT(log, AllOf(HasSubstr("stdout F value\n"), HasSubstr("conf/key: Read-only"),
                         HasSubstr("data/read-only/f: Read-only"), HasSubstr("F of the host\n"),
                         HasSubstr("F tmpfs\n"), HasSubstr("8192\n")));
  EXPECT_EQ(*ReadFile(bed_->paths().Volume("u", "data") + "/a/b/f"), "d\n");
  for (const char* made : {"/a", "/a/b"}) {
    struct stat facts {};
    ASSERT_EQ(::stat((bed_->paths().Volume("u", "data") + made).c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 07777U, 0777U) << made << " has the mode of the volume";
  }
  EXPECT_FALSE(Exists(at + "/data/f")) << "nothing is mounted outside the container";
  RemoveAllAndLookForRemains();
  EXPECT_EQ(*ReadFile(host + "/f"), "of the host\n");
}

TEST_F(LiveProcessRuntime, ASubPathNeverLeadsOutOfItsVolume) {
  const std::string at = folder_.path() + "/mounted";
  Pod pod = ShellPod("u", "ln -s / " + at + "/out; ln -s sub " + at + "/in; mkdir " + at + "/sub");
  pod.volumes = {EmptyDir("data")};
  pod.containers[0].volume_mounts = {{"data", at, "", false}};
  pod.containers.push_back(pod.containers[0]);
  pod.containers[1].name = "second";
  pod.containers[1].command = {"true"};
  pod.containers[1].volume_mounts = {{"data", at, "out/etc", false}};
  pod.containers.push_back(pod.containers[1]);
  pod.containers[2].name = "third";
  pod.containers[2].volume_mounts = {{"data", at, "in", false}};
  ASSERT_NE(bed_->Run(pod), nullptr);
  runtime().StartContainer("u", "second", 0, 0);
  const auto& failed = bed_->Need<ContainerStartFailed>("u");
  EXPECT_THAT(failed.error.message, HasSubstr("open \"out/etc\" to mount it"));
  runtime().StartContainer("u", "third", 0, 0);
  const auto& exited = bed_->Need<ContainerExited>("u");
  EXPECT_EQ(exited.container, "third");
  EXPECT_EQ(exited.exit.exit_code, 0);
  RemoveAllAndLookForRemains();
}

TEST_F(LiveProcessRuntime, ASubPathThatAConfigMapDoesNotHaveIsNotMadeThere) {
  const std::string folder = bed_->paths().ConfigMap("default", "c");
  ASSERT_TRUE(MakeFolders(folder));
  Pod pod = ShellPod("u", "true");
  pod.volumes = {{"conf", ConfigMapSource{.name = "c", .optional = false}}};
  pod.containers[0].volume_mounts = {{"conf", folder_.path() + "/mounted", "typo/key", false}};
  ASSERT_TRUE(bed_->Create(pod));
  runtime().StartContainer("u", "main", 0, 0);
  const auto& failed = bed_->Need<ContainerStartFailed>("u");
  EXPECT_THAT(failed.error.message, HasSubstr("open \"typo/key\" to mount it"));
  EXPECT_FALSE(Exists(folder + "/typo"));
  RemoveAllAndLookForRemains();
}

TEST_F(LiveProcessRuntime, AHookSeesTheVolumesOfItsContainer) {
  const std::string at = folder_.path() + "/mounted";
  Pod pod = ShellPod("u", "exec sleep 1000");
  pod.volumes = {EmptyDir("data")};
  pod.containers[0].volume_mounts = {{"data", at, "", false}};
  pod.containers[0].pre_stop =
      ExecAction{{"/bin/sh", "-c", "grep memory /proc/self/cgroup > " + at + "/hook"}};
  ASSERT_TRUE(StartMain(pod));
  runtime().StopContainer("u", "main", seconds(30));
  const auto& exited = bed_->Need<ContainerExited>("u");
  EXPECT_EQ(exited.exit.signal, SIGTERM);
  EXPECT_THAT(*ReadFile(bed_->paths().Volume("u", "data") + "/hook"),
              HasSubstr("kubepods/burstable/podu/main"));
  RemoveAllAndLookForRemains();
}

TEST_F(LiveProcessRuntime, ARefusedOomScoreAdjIsSaidOnceAndSurvived) {
  const Pod first = ShellPod("a", "cat /proc/self/oom_score_adj");
  const Pod second = ShellPod("b", "cat /proc/self/oom_score_adj");
  for (const Pod* pod : {&first, &second}) {
    ASSERT_TRUE(bed_->Create(*pod));
    runtime().StartContainer(pod->uid, "main", 0, -997);
    ASSERT_NE(bed_->Await<ContainerExited>(pod->uid), nullptr);
  }
  if (bed_->LogOf(first) == "stdout F -997\n") {
    EXPECT_THAT(bed_->logged, IsEmpty());
  } else {
    EXPECT_EQ(bed_->LogOf(first), "stdout F 0\n");
    EXPECT_EQ(bed_->LogOf(second), "stdout F 0\n");
    ASSERT_EQ(bed_->logged.size(), 1U);
    EXPECT_THAT(bed_->logged[0], HasSubstr("oom_score_adj cannot be lowered"));
  }
  RemoveAllAndLookForRemains();
}

TEST_F(LiveProcessRuntime, AFullDiskCostsOutputButNotTheExitCode) {
  const std::string disk = folder_.path() + "/disk";
  ASSERT_TRUE(MakeFolders(disk));
  ASSERT_EQ(::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=256k"), 0);
  bed_ = std::make_unique<RuntimeBed>(*cgroups_, disk);
  bed_->Open();
  const Pod pod = ShellPod("u",
                           "dd if=/dev/zero of=fill bs=4k 2>/dev/null; "
                           "i=0; while [ $i -lt 300 ]; do echo lost lost lost lost lost lost "
                           "lost lost lost lost; i=$((i+1)); done; exit 6");
  const auto* exited = bed_->Run(pod);
  ASSERT_NE(exited, nullptr);
  EXPECT_EQ(exited->exit.exit_code, 6);
  EXPECT_THAT(bed_->logged, Contains(HasSubstr("bytes of output that the disk had no room for")));
  ASSERT_TRUE(bed_->Remove("u"));
  bed_.reset();
  ASSERT_EQ(::umount(disk.c_str()), 0);
  EXPECT_THAT(Mounts(), IsEmpty());
}

// The microseconds that something took.
template <typename Do>
std::int64_t Timed(Do something) {
  const auto begin = std::chrono::steady_clock::now();
  something();
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() -
                                                               begin)
      .count();
}

TEST_F(LiveProcessRuntime, AStartTakesMillisecondsAndAStopReachesTheContainerAtOnce) {
  ASSERT_TRUE(bed_->Create(ShellPod("u", "exec sleep 1000")));
  constexpr int kRuns = 21;
  std::vector<std::int64_t> commands;
  std::vector<std::int64_t> starts;
  std::vector<std::int64_t> stops;
  for (int attempt = 0; attempt < kRuns; ++attempt) {
    starts.push_back(Timed([&] {
      commands.push_back(Timed([&] { runtime().StartContainer("u", "main", attempt, 0); }));
      ASSERT_NE(bed_->Await<ContainerStarted>("u"), nullptr);
    }));
    // SIGTERM has been sent when the call returns.
    stops.push_back(Timed([&] { runtime().StopContainer("u", "main", seconds(1)); }));
    ASSERT_NE(bed_->Await<ContainerExited>("u"), nullptr);
  }
  const auto median = [](std::vector<std::int64_t>& times) {
    std::nth_element(times.begin(), times.begin() + kRuns / 2, times.end());
    return static_cast<int>(times[kRuns / 2]);
  };
  RecordProperty("start_command_us", median(commands));
  RecordProperty("started_us", median(starts));
  RecordProperty("stop_us", median(stops));
  EXPECT_LT(median(starts), 100'000);
  EXPECT_LT(median(stops), 1'000);
  RemoveAllAndLookForRemains();
}

// An operator has replaced volumes by other folders.
TEST_F(LiveProcessRuntime, WhatSomebodyElseMountedAtAVolumeOutlivesThePod) {
  const TemporaryFolder elsewhere;
  const std::string& host = elsewhere.path();
  ASSERT_EQ(::mount("host", host.c_str(), "tmpfs", 0, nullptr), 0);
  ASSERT_EQ(::mount(nullptr, host.c_str(), nullptr, MS_SHARED, nullptr), 0);
  ASSERT_TRUE(MakeFolders(host + "/inner"));
  ASSERT_EQ(::mount("inner", (host + "/inner").c_str(), "tmpfs", 0, nullptr), 0);
  ASSERT_TRUE(WriteFile(host + "/dear", "dear"));
  ASSERT_TRUE(WriteFile(host + "/inner/dear", "dear"));
  Pod pod = ShellPod("u", "exec sleep 1000");
  pod.volumes = {EmptyDir("disk"),
                 {"mem", EmptyDirSource{.medium = "Memory", .size_limit = std::nullopt}}};
  ASSERT_TRUE(bed_->Create(pod));
  for (const char* volume : {"disk", "mem"}) {
    const std::string at = bed_->paths().Volume("u", volume);
    ASSERT_EQ(::mount(host.c_str(), at.c_str(), nullptr, MS_BIND | MS_REC, nullptr), 0);
  }
  RemoveAllAndLookForRemains();
  EXPECT_EQ(*ReadFile(host + "/dear"), "dear");
  EXPECT_EQ(*ReadFile(host + "/inner/dear"), "dear") << "it is still mounted";
  ::umount2((host + "/inner").c_str(), MNT_DETACH);
  ::umount2(host.c_str(), MNT_DETACH);
}

constexpr const char* kPodGroup = "kubepods/burstable/podu";

class LiveGroups : public LiveBed {
 protected:
  void SetUp() override {
    LiveBed::SetUp();
    if (!IsSkipped() && bed_) bed_->Open();
  }
  [[nodiscard]] static std::string GroupsOf(pid_t pid) {
    return kernel::ReadFile(fmt::format("/proc/{}/cgroup", pid)).value_or("");
  }
  [[nodiscard]] static std::vector<std::string> OpenFilesOf(pid_t pid) {
    std::vector<std::string> files;
    const std::string folder = fmt::format("/proc/{}/fd", pid);
    const auto names = NamesIn(folder);
    if (!names) return files;
    for (const std::string& name : *names) {
      std::array<char, 4096> target{};
      const ssize_t size =
          ::readlink((folder + "/" + name).c_str(), target.data(), target.size() - 1);
      if (size > 0) files.emplace_back(target.data(), static_cast<std::size_t>(size));
    }
    return files;
  }
  // The number of hierarchies in which `groups` names `group`.
  [[nodiscard]] static std::size_t CountIn(const std::string& groups, const std::string& group) {
    std::size_t count = 0;
    const std::string end = ":/" + group + "\n";
    for (auto at = groups.find(end); at != std::string::npos; at = groups.find(end, at + 1)) {
      ++count;
    }
    return count;
  }
};

TEST_F(LiveGroups, AContainerIsInItsGroupOfEachHierarchyAndItsShimStaysInTheAgents) {
  ASSERT_TRUE(bed_->Start(ShellPod("u", "exec sleep 1000")));
  const auto record =
      ParseRunRecord(*kernel::ReadFile(bed_->paths().Run("u", "main", 0) + "/running"));
  ASSERT_TRUE(record);
  const auto files = cgroups_->OpenProcs(std::string(kPodGroup) + "/main").value();
  EXPECT_EQ(CountIn(GroupsOf(record->container), node_ + "/" + kPodGroup + "/main"), files.size())
      << GroupsOf(record->container);
  EXPECT_EQ(GroupsOf(record->shim.pid), GroupsOf(::getpid()));
  for (const pid_t pid : {record->container, record->shim.pid}) {
    EXPECT_THAT(OpenFilesOf(pid), Contains("/dev/null"));
    EXPECT_THAT(OpenFilesOf(pid), Not(Contains(HasSubstr("cgroup.procs"))));
  }
  RemoveAllAndLookForRemains();
}

// Below a threaded domain only threaded groups accept processes: the unified hierarchy, which is
// the last one, refuses what all others have accepted.
TEST_F(LiveGroups, AContainerThatOneHierarchyDoesNotTakeIsNotStarted) {
  if (!cgroups_->Has(Controller::kUnified)) GTEST_SKIP() << "the host has no unified hierarchy";
  const std::string mark = folder_.path() + "/ran";
  ASSERT_TRUE(bed_->Create(ShellPod("u", "touch " + mark)));
  const auto pod = cgroups_->OpenPressureDirectory(kPodGroup).value();
  ASSERT_EQ(::mkdirat(pod.get(), "threads", 0755), 0);
  const auto threads = OpenGroup(pod.get(), "threads").value();
  ASSERT_TRUE(kernel::WriteFile(threads.get(), "cgroup.type", "threaded"));

  bed_->runtime().StartContainer("u", "main", 0, 0);
  const auto& failed = bed_->Need<ContainerStartFailed>("u");
  EXPECT_THAT(failed.error.message,
              AllOf(HasSubstr("put the process into its control groups: join "),
                    HasSubstr("podu/main (unified): Operation not supported")));
  EXPECT_FALSE(Exists(mark));
  EXPECT_THAT(*cgroups_->Processes(kPodGroup), testing::IsEmpty());
  EXPECT_THAT(*NamesIn(bed_->paths().Container("u", "main")), testing::IsEmpty());
  RemoveAllAndLookForRemains();
}

}  // namespace
}  // namespace jettison::process
