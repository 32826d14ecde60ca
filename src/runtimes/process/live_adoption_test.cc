#include <gmock/gmock.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "runtimes/process/live_bed.h"

namespace jettison::process {

using namespace kernel;
namespace {

using testing::IsEmpty;
using testing::SizeIs;

// Control groups that kill the agent at one of its calls, before or after the kernel's call.
class DeadlyCgroups : public Cgroups {
 public:
  DeadlyCgroups(Cgroups& cgroups, int fatal_call) : cgroups_(cgroups), countdown_(fatal_call) {}

  Result<void> Create(std::string_view path, const CgroupLimits& limits) override {
    return Around([&] { return cgroups_.Create(path, limits); });
  }
  Result<void> Remove(std::string_view path) override {
    return Around([&] { return cgroups_.Remove(path); });
  }
  Result<std::vector<ProcsFile>> OpenProcs(std::string_view path) override {
    return Around([&] { return cgroups_.OpenProcs(path); });
  }
  Result<std::vector<pid_t>> Processes(std::string_view path) override {
    return Around([&] { return cgroups_.Processes(path); });
  }
  Result<void> Signal(std::string_view path, int signal) override {
    return Around([&] { return cgroups_.Signal(path, signal); });
  }
  Result<void> Kill(std::string_view path) override {
    return Around([&] { return cgroups_.Kill(path); });
  }
  Result<std::vector<std::string>> Children(std::string_view path) override {
    return cgroups_.Children(path);
  }
  Result<CgroupMemory> ReadMemory(std::string_view path) override {
    return cgroups_.ReadMemory(path);
  }
  Result<std::optional<std::uint64_t>> ReadMemoryLimit(std::string_view path) override {
    return cgroups_.ReadMemoryLimit(path);
  }
  Result<std::uint64_t> ReadPids(std::string_view path) override { return cgroups_.ReadPids(path); }
  Result<bool> HasCpuShares(std::string_view path, std::uint64_t shares) override {
    return cgroups_.HasCpuShares(path, shares);
  }
  Result<std::uint64_t> ReadOomKills(std::string_view path) override {
    return Around([&] { return cgroups_.ReadOomKills(path); });
  }
  Result<FileDescriptor> OpenMemoryDirectory(std::string_view path) const override {
    return cgroups_.OpenMemoryDirectory(path);
  }
  Result<FileDescriptor> OpenPressureDirectory(std::string_view path) const override {
    return cgroups_.OpenPressureDirectory(path);
  }

 private:
  template <typename Call>
  auto Around(Call call) -> decltype(call()) {
    if (countdown_-- == 0) ::raise(SIGKILL);
    auto result = call();
    if (countdown_-- == 0) ::raise(SIGKILL);
    return result;
  }

  Cgroups& cgroups_;
  int countdown_;
};

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

  // Runs an agent in a separate process; whether it ended by itself.
  [[nodiscard]] bool RunAgent(const std::function<bool()>& life) const {
    const pid_t agent = ::fork();
    if (agent == 0) ::_exit(life() ? 0 : 1);
    int status = 0;
    ::waitpid(agent, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return WIFEXITED(status);
  }

  // The same for an agent that is killed as soon as the pod runs.
  [[nodiscard]] bool RunAgentUntilThePodRuns() const {
    return RunAgent([&] {
      RuntimeBed agent(*cgroups_, folder_.path());
      agent.Open();
      if (!agent.Create(pod_)) return false;
      agent.runtime().StartContainer("u", "main", 0, 0);
      if (agent.Await<ContainerStarted>("u") == nullptr) return false;
      return ::raise(SIGKILL) == 0;
    });
  }

  // The life of a pod under an agent whose control groups kill it at some call.
  bool WholeLife(int fatal_call) {
    DeadlyCgroups deadly(*cgroups_, fatal_call);
    RuntimeBed agent(deadly, folder_.path());
    agent.Open();
    if (!agent.runtime().List() || !agent.Create(pod_)) return false;
    agent.runtime().StartContainer("u", "main", 0, 0);
    if (agent.Await<ContainerStarted>("u") == nullptr) return false;
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
      bed_->runtime().StartContainer("u", "main", 0, 0);
      ASSERT_NE(bed_->Await<ContainerStarted>("u"), nullptr);
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

TEST_F(LiveAdoption, AnAgentKilledAtAnyCallLeavesWhatTheNextOneUnderstands) {
  bool came_to_the_end = false;
  int call = 0;
  for (; !came_to_the_end && !HasFailure(); ++call) {
    SCOPED_TRACE("killed at call " + std::to_string(call));
    came_to_the_end = RunAgent([&] { return WholeLife(call); });
    AdoptAndCheck();
    bed_->Close();
    ::unlink(starts_.c_str());
  }
  EXPECT_GT(call, 20) << "there should be more calls";
}

TEST_F(LiveAdoption, AnAgentKilledAtAnyMomentOfAStartLosesAndDoublesNothing) {
  for (int delay_us = 0; delay_us < 20'000 && !HasFailure(); delay_us += 700) {
    SCOPED_TRACE("killed after " + std::to_string(delay_us) + " us");
    const pid_t agent = ::fork();
    if (agent == 0) {
      RuntimeBed bed(*cgroups_, folder_.path());
      bed.Open();
      if (!bed.runtime().List() || !bed.Create(pod_)) ::_exit(1);
      bed.runtime().StartContainer("u", "main", 0, 0);
      // A timer of the kernel kills the agent at an arbitrary point.
      const itimerval when{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_usec = delay_us + 1}};
      ::signal(SIGALRM, [](int) { ::raise(SIGKILL); });
      ::setitimer(ITIMER_REAL, &when, nullptr);
      (void)bed.Await<ContainerExited>("u");
      ::_exit(1);
    }
    int status = 0;
    ::waitpid(agent, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    AdoptAndCheck();
    bed_->Close();
    ::unlink(starts_.c_str());
  }
}

TEST_F(LiveAdoption, OutputGoesOnWhileNoAgentIsThere) {
  pod_.containers[0].command[2] = "read line < " + starts_ + "; echo late; exit 9";
  bed_->known["u"] = pod_;
  ASSERT_EQ(::mkfifo(starts_.c_str(), 0600), 0);
  EXPECT_FALSE(RunAgentUntilThePodRuns());
  // Only the shim receives this.
  FILE* const gate = std::fopen(starts_.c_str(), "w");
  ASSERT_NE(gate, nullptr);
  std::fputs("go\n", gate);
  std::fclose(gate);
  bed_->Open();
  const auto listed = bed_->runtime().List().value();
  ASSERT_THAT(listed, SizeIs(1));
  auto exit = listed[0].containers.at(0).exit;
  if (!exit) {
    const auto& exited = bed_->Need<ContainerExited>("u");
    exit = exited.exit;
  }
  EXPECT_EQ(exit->exit_code, 9);
  EXPECT_EQ(bed_->LogOf(pod_), "stdout F late\n");
  RemoveAllAndLookForRemains();
}

TEST_F(LiveAdoption, AContainerWhoseShimDiedBetweenTwoAgentsIsEndedAtTheNextStart) {
  EXPECT_FALSE(RunAgentUntilThePodRuns());
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
