#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>

#include "agent/figures/stats_collector.h"
#include "cli/doctor/doctor.h"
#include "cli/terminal/text_line.h"
#include "core/evaluate/evaluate.h"
#include "core/model/fault.h"
#include "kernel/filesystem/filesystem.h"
#include "kernel/procfs/parse.h"
#include "kernel/procfs/procfs.h"
#include "machine/cgroups/host_cgroups.h"
#include "machine/log/log.h"
#include "machine/loop/steady_clock.h"
#include "machine/own_process/memory_lock.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

// Tries something in a process of its own, which the trial cannot outlive: what is there, or the
// errno that `body` gives.
Result<std::string> TryInChild(int (*body)(), std::string what) {
  const pid_t child = ::fork();
  if (child < 0) return FailErrno("start a process");
  if (child == 0) ::_exit(body());
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  const int error = WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
  if (error == 0) return what;
  return Fail(ErrorCode::kUnavailable, std::generic_category().message(error));
}

int LowerOwnOomScore() {
  const int fd = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return errno;
  constexpr std::string_view kAgentScore = "-999";
  return ::write(fd, kAgentScore.data(), kAgentScore.size()) < 0 ? errno : 0;
}

int MountInOwnNamespace() {
  if (::unshare(CLONE_NEWNS) != 0) return errno;
  if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return errno;
  return ::mount("none", "/tmp", "tmpfs", 0, "size=4k") == 0 ? 0 : errno;
}

// Both ways of counting side by side, since they may be far apart, and what neither sees.
HostCheck CheckAvailableMemory(const AgentConfig& config, const Procfs& procfs) {
  const auto groups = OpenHostCgroups({.node_cgroup = config.node_cgroup});
  if (!groups) {
    return Missing("memory available", groups.error().message, "memory.available is unknown",
                   "see the rows on the memory controller and the node cgroup");
  }
  const SteadyClock clock;
  const Log nobody(LogFormat::kText, clock, [](std::string_view) {});
  std::string found;
  std::string held;
  for (const auto estimator : {MemoryEstimator::kWorkingSet, MemoryEstimator::kAvailable}) {
    StatsCollector figures({.node = **groups,
                            .pods = **groups,
                            .procfs = procfs,
                            .whole_machine = config.node_cgroup.empty(),
                            .memory_estimator = estimator,
                            .thresholds = config.eviction.thresholds},
                           clock, nobody);
    const NodeStats stats = figures.ReadNode();
    const auto available = stats.memory ? stats.memory->available_bytes : std::nullopt;
    const bool in_force = estimator == config.memory_estimator;
    found += fmt::format("{}{} by {}{}", found.empty() ? "" : ", ",
                         available ? BytesText(*available) : "unknown", NameOf(estimator),
                         in_force ? " (in force)" : "");
    if (in_force && figures.KernelHoldsMuch(stats)) {
      held = procfs::DescribeKernelMemory(figures.held_by_kernel());
    }
  }
  if (held.empty()) return OkCheck("memory available", found);
  return Degraded("memory available", fmt::format("{}; the kernel holds {}", found, held),
                  "the kernel holds memory that no cgroup is charged with, so pods are evicted "
                  "although their usage leaves more",
                  "give the machine memory, or what holds it less (a zram swap: a smaller "
                  "disksize or mem_limit)");
}

HostCheck CheckSwap(const AgentConfig& config, const procfs::MachineMemory& memory) {
  const std::uint64_t total = memory.swap_total.value_or(0);
  const auto& thresholds = config.eviction.thresholds;
  const bool watched =
      std::ranges::find(thresholds, Signal::kSwapAvailable, &Threshold::signal) != thresholds.end();
  if (total == 0 && watched) {
    return Degraded(
        "swap", "off", "thresholds on swap.available have no effect",
        "turn swap on (swapon), or remove swapHard and swapSoft from the configuration");
  }
  if (total == 0) return OkCheck("swap", "off");
  const std::uint64_t free = std::min(memory.swap_free.value_or(0), total);
  return Degraded("swap", fmt::format("{} of {} in use", BytesText(total - free), BytesText(total)),
                  "memory that is swapped out does not count as used: the node slows down before "
                  "memory.available falls",
                  watched ? "none: swap.available is watched"
                          : "swapoff -a, and remove it from /etc/fstab; or set swapHard");
}

void AppendProcChecks(const AgentConfig& config, std::vector<HostCheck>& checks) {
  const auto procfs = Procfs::Open();
  if (!procfs) {
    checks.push_back(Missing("proc", procfs.error().message,
                             "neither memory capacity nor process ids are known",
                             "mount -t proc proc /proc"));
    return;
  }
  checks.push_back(CheckOf(procfs->ReadMemory().map([](const procfs::MachineMemory& memory) {
    if (memory.huge_pages == 0) return BytesText(memory.total) + ", none of it huge pages";
    return fmt::format("{}, less {} of huge pages, which ordinary memory cannot use",
                       BytesText(memory.total), BytesText(memory.huge_pages));
  }),
                           Missing("memory", "", "the node's capacity is unknown", "mount proc")));
  checks.push_back(CheckAvailableMemory(config, *procfs));
  if (const auto memory = procfs->ReadMemory()) {
    const auto unfit = ThresholdsThatDoNotFit(config, CapacitiesOfThisHost(config));
    if (unfit) checks.push_back(*unfit);
    checks.push_back(MinFreeCheck(config, memory->WithoutHugePages()));
    checks.push_back(CheckSwap(config, *memory));
  }
  checks.push_back(CheckOf(procfs->ReadRlimit().map([](const auto& pids) {
    return fmt::format("{} tasks of at most {}", *pids.running, *pids.max_pid);
  }),
                           Missing("process ids", "", "pid.available is unknown", "mount proc")));
}

// What the hard thresholds on memory.available stand for; the largest counts.
std::optional<std::uint64_t> HardThresholdOf(const AgentConfig& config, std::uint64_t capacity) {
  std::optional<std::uint64_t> bytes;
  for (const Threshold& threshold : config.eviction.thresholds) {
    if (threshold.signal != Signal::kMemoryAvailable || !threshold.IsHard()) continue;
    const std::int64_t value =
        QuantityOf(threshold.value, static_cast<std::int64_t>(capacity)).Value();
    bytes =
        std::max(bytes.value_or(0), static_cast<std::uint64_t>(std::max<std::int64_t>(value, 0)));
  }
  return bytes;
}

}  // namespace

SignalCapacities CapacitiesOfThisHost(const AgentConfig& config) {
  SignalCapacities capacities;
  const auto set = [&](Signal signal, const auto& capacity) {
    if (capacity) capacities[IndexOf(signal)] = static_cast<std::int64_t>(*capacity);
  };
  if (const auto procfs = Procfs::Open()) {
    const auto memory = procfs->ReadMemory();
    if (memory) set(Signal::kMemoryAvailable, std::optional(memory->WithoutHugePages()));
    if (const auto pids = procfs->ReadRlimit()) set(Signal::kPidAvailable, pids->max_pid);
  }
  // A file system that may never answer is not asked.
  const Place place = NearestExisting(NodeFsOf(config));
  if (!place.answers_by_itself) return capacities;
  if (const auto disk = ReadFilesystem(place.path)) {
    set(Signal::kNodeFsAvailable, disk->capacity_bytes);
    set(Signal::kNodeFsInodesFree, disk->inodes);
  }
  return capacities;
}

std::vector<HostCheck> NodeChecks(const AgentConfig& config) {
  std::vector<HostCheck> checks;
  AppendProcChecks(config, checks);
  checks.push_back(FilesystemCheck("nodefs", NodeFsOf(config)));
  checks.push_back(DiskChangesCheck(config.root));
  if (config.runtime == RuntimeKind::kProcess) {
    checks.push_back(CheckOf(
        TryInChild(&MountInOwnNamespace, "in a mount namespace of its own"),
        MissingToStartPods(
            config,
            Missing(
                "mounting", "", "pods with volumes do not start",
                "run with CAP_SYS_ADMIN and without PrivateMounts or a seccomp filter on mount"))));
  }
  checks.push_back(
      CheckOf(TryInChild(&LowerOwnOomScore, "can be lowered"),
              Degraded("oom_score_adj", "",
                       "if the kernel's OOM killer acts before the agent, it may kill the agent or "
                       "a guaranteed pod",
                       "give the agent CAP_SYS_RESOURCE")));
  checks.push_back(CheckOf(
      MayLockOwnMemory().map([] { return std::string("the agent can lock its memory"); }),
      Degraded("memory lock", "",
               "when memory is short, the kernel drops the agent's code, which must then be read "
               "from the disk before a pod can be killed",
               "give the agent CAP_IPC_LOCK, or LimitMEMLOCK=infinity in its unit")));
  return checks;
}

HostCheck MinFreeCheck(const AgentConfig& config, std::uint64_t capacity,
                       const std::string& min_free_file) {
  constexpr const char* kName = "min_free";
  std::ifstream file(min_free_file);
  std::string line;
  std::getline(file, line);
  const auto kept = procfs::ParseMinFree(line);
  if (!kept) {
    return Degraded(
        kName, min_free_file + ": " + kept.error().message,
        "it is not known whether the kernel runs short of free memory before the threshold "
        "is met",
        "mount proc");
  }
  const std::string found =
      fmt::format("the kernel keeps {} free (vm.min_free_kbytes), which memory.available includes",
                  BytesText(*kept));
  const auto threshold = HardThresholdOf(config, capacity);
  if (!config.node_cgroup.empty() || !threshold || *threshold > *kept) return OkCheck(kName, found);
  return Degraded(kName, found,
                  fmt::format("processes wait for memory, and the OOM killer may act, before "
                              "evictionHard's memory.available ({}) is met",
                              BytesText(*threshold)),
                  fmt::format("set evictionHard's memory.available above {}, or lower "
                              "vm.min_free_kbytes",
                              BytesText(*kept)));
}

std::optional<HostCheck> ThresholdsThatDoNotFit(const AgentConfig& config,
                                                const SignalCapacities& capacities) {
  const Faults faults = CheckAlwaysMet(config.eviction.thresholds, capacities);
  if (faults.empty()) return std::nullopt;
  constexpr const char* kRemedy = "set values that fit the capacity of this node";
  return config.source == SourceKind::kKubernetes
             ? Degraded("thresholds", DescribeAll(faults),
                        "only the kubelet evicts for these signals", kRemedy)
             : Missing("thresholds", DescribeAll(faults), "the agent evicts every pod that it may",
                       kRemedy);
}

}  // namespace jettison
