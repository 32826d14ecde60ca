// The process runtime over real control groups.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include "kernel/cgroup_v1/cgroup_v1.h"
#include "kernel/mounts/mount_info.h"
#include "pods/tree_removal.h"
#include "runtimes/process/runtime_bed.h"

namespace jettison::process {

using namespace kernel;
namespace {

using namespace testing;
using std::chrono::seconds;

// The process runtime over real control groups: a node of its own, taken down at the end with
// everything in it.
class LiveBed : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "control groups and mounts need root";
    auto host = CgroupV1::Open({});
    if (!host) GTEST_SKIP() << host.error().message;
    host_ = std::move(*host);
    const auto made = host_->Create(node_, {});
    ASSERT_TRUE(made) << made.error().message;
    auto node = CgroupV1::Open({.node_cgroup = node_});
    ASSERT_TRUE(node) << node.error().message;
    cgroups_ = std::move(*node);
    // Shims of agents that were killed are reaped here.
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    bed_ = std::make_unique<RuntimeBed>(*cgroups_, folder_.path());
  }
  void TearDown() override {
    if (!host_) return;
    bed_.reset();
    (void)host_->Kill(node_);
    const auto removed = host_->Remove(node_);
    EXPECT_TRUE(removed) << removed.error().message;
    (void)RemoveTrees({folder_.path()});
    while (::waitpid(-1, nullptr, 0) > 0) {
    }
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  }

  // Ends every pod in the orderly way and checks that nothing of them is left.
  void RemoveAllAndLookForRemains() {
    for (const auto& [uid, pod] : bed_->known) ASSERT_TRUE(bed_->Remove(uid));
    ExpectNothingLeft();
  }
  void ExpectNothingLeft() {
    const auto uids = kernel::NamesIn(bed_->paths().Pods());
    for (const std::string& uid : *uids) {
      EXPECT_TRUE(bed_->AwaitGone(bed_->paths().Pod(uid)));
    }
    EXPECT_THAT(*kernel::NamesIn(bed_->paths().Pods()), testing::IsEmpty());
    EXPECT_THAT(*kernel::NamesIn(bed_->paths().Logs()), testing::IsEmpty());
    EXPECT_THAT(Mounts(), testing::IsEmpty());
    for (const char* group : {"kubepods/burstable", "kubepods/besteffort"}) {
      if (const auto pods = cgroups_->Children(group)) {
        EXPECT_THAT(*pods, testing::IsEmpty());
      }
    }
    if (const auto processes = cgroups_->Processes("kubepods")) {
      EXPECT_THAT(*processes, testing::IsEmpty());
    }
  }
  // What is mounted below the root, the last first.
  [[nodiscard]] std::vector<std::string> Mounts() const {
    return kernel::MountsBelow(folder_.path()).value();
  }

  kernel::TemporaryFolder folder_;
  const std::string node_ = "jettison-process-test-" + std::to_string(::getpid());
  std::unique_ptr<CgroupV1> host_;
  std::unique_ptr<CgroupV1> cgroups_;
  std::unique_ptr<RuntimeBed> bed_;
};

class LiveProcessRuntime : public LiveBed {
 protected:
  void SetUp() override {
    LiveBed::SetUp();
    if (!IsSkipped() && bed_) bed_->Open();
  }
  [[nodiscard]] ContainerRuntime& runtime() { return bed_->runtime(); }
};

Volume EmptyDir(const std::string& name) {
  return {name, EmptyDirSource{}};
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

TEST_F(LiveProcessRuntime, AHookSeesTheVolumesOfItsContainer) {
  const std::string at = folder_.path() + "/mounted";
  Pod pod = ShellPod("u", "exec sleep 1000");
  pod.volumes = {EmptyDir("data")};
  pod.containers[0].volume_mounts = {{"data", at, "", false}};
  pod.containers[0].pre_stop =
      ExecAction{{"/bin/sh", "-c", "grep memory /proc/self/cgroup > " + at + "/hook"}};
  ASSERT_TRUE(bed_->Start(pod));
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

class LiveGroups : public LiveProcessRuntime {
 protected:
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

// Agents that are killed.

class LiveAdoption : public LiveBed {
 protected:
  void SetUp() override {
    LiveBed::SetUp();
    if (!bed_) return;
    // Every start of the program leaves a line.
    pod_ = ShellPod("u", "echo >> " + starts_ + "; exec sleep 1000");
    pod_.volumes = {{"mem", EmptyDirSource{.medium = "Memory", .size_limit = std::nullopt}}};
    pod_.containers[0].volume_mounts = {{"mem", folder_.path() + "/mounted", "", false}};
    bed_->known["u"] = pod_;
  }

  [[nodiscard]] std::size_t Starts() const { return ReadFile(starts_).value_or("").size(); }

  // Runs an agent in a separate process, until it is killed; false: it ended by itself.
  [[nodiscard]] static bool IsKilled(const std::function<bool()>& life) {
    const pid_t agent = ::fork();
    if (agent == 0) ::_exit(life() ? 0 : 1);
    int status = 0;
    ::waitpid(agent, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return WIFSIGNALED(status);
  }

  // The life of a pod under an agent that the kernel kills after so many microseconds.
  bool WholeLife(int delay_us) {
    RuntimeBed agent(*cgroups_, folder_.path());
    agent.Open();
    const itimerval when{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_usec = delay_us + 1}};
    ::signal(SIGALRM, [](int) { ::raise(SIGKILL); });
    ::setitimer(ITIMER_REAL, &when, nullptr);
    if (!agent.runtime().List() || !agent.Start(pod_)) return false;
    agent.runtime().StopContainer("u", "main", std::chrono::seconds(30));
    if (agent.Await<ContainerExited>("u") == nullptr) return false;
    return agent.Remove("u");
  }

  // A new agent takes over what is there: it lists exactly what runs.
  void AdoptAndCheck() {
    bed_->Open();
    const auto listed = bed_->runtime().List();
    ASSERT_TRUE(listed) << listed.error().message;
    if (listed->empty()) {
      EXPECT_LE(Starts(), 1U);
      ExpectNothingLeft();
      return;
    }
    ASSERT_THAT(*listed, SizeIs(1));
    const auto& containers = (*listed)[0].containers;
    ASSERT_LE(containers.size(), 1U);
    if (containers.empty()) {
      EXPECT_TRUE(AwaitNoProcess()) << "what is not listed does not run";
      EXPECT_EQ(Starts(), 0U) << "it never ran";
      EXPECT_THAT(*NamesIn(bed_->paths().Containers("u") + "/main"), IsEmpty());
    } else if (!containers[0].exit) {
      EXPECT_THAT(*cgroups_->Processes("kubepods/burstable/podu"), SizeIs(testing::Le(1U)));
    }
    EXPECT_LE(Starts(), 1U);
    // In both cases the pod can continue: to its start, or to its end.
    if (containers.empty()) {
      ASSERT_TRUE(bed_->Start("u", "main"));
    }
    if (containers.empty() || !containers[0].exit) {
      bed_->runtime().KillContainer("u", "main");
      ASSERT_NE(bed_->Await<ContainerExited>("u"), nullptr);
    }
    EXPECT_LE(Starts(), 1U);
    ASSERT_TRUE(bed_->Remove("u"));
    ExpectNothingLeft();
  }

  // Waits until every process of the pod has ended, because a killed one takes a moment.
  [[nodiscard]] bool AwaitNoProcess() {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (std::chrono::steady_clock::now() < deadline) {
      const auto processes = cgroups_->Processes("kubepods/burstable/podu");
      if (processes && processes->empty()) return true;
      ::sched_yield();
    }
    return false;
  }

  const std::string starts_ = folder_.path() + "/starts";
  Pod pod_;
};

TEST_F(LiveAdoption, AnAgentKilledAtAnyMomentOfAPodsLifeLosesAndDoublesNothing) {
  bool is_killed = true;
  int delay_us = 0;
  for (; is_killed && !HasFailure(); delay_us += 500) {
    SCOPED_TRACE("killed after " + std::to_string(delay_us) + " us");
    is_killed = IsKilled([&] { return WholeLife(delay_us); });
    AdoptAndCheck();
    bed_->Close();
    ::unlink(starts_.c_str());
  }
  EXPECT_GT(delay_us, 5000) << "a life takes longer";
}

TEST_F(LiveAdoption, AContainerWhoseShimDiedBetweenTwoAgentsIsEndedAtTheNextStart) {
  EXPECT_TRUE(IsKilled([this] {
    RuntimeBed agent(*cgroups_, folder_.path());
    agent.Open();
    return agent.Start(pod_) && ::raise(SIGKILL) == 0;
  }));
  const auto record =
      ParseRunRecord(*ReadFile(bed_->paths().Run("u", "main", 0) + "/running")).value();
  ASSERT_EQ(::kill(record.shim.pid, SIGKILL), 0);
  ASSERT_EQ(::waitpid(record.shim.pid, nullptr, 0), record.shim.pid);

  bed_->Open();
  const auto listed = bed_->runtime().List().value();
  const auto& exit = listed[0].containers.at(0).exit;
  ASSERT_TRUE(exit);
  EXPECT_EQ(exit->exit_code, 137);
  RemoveAllAndLookForRemains();
}

}  // namespace
}  // namespace jettison::process
