#include "agent/figures/stats_collector.h"

#include <algorithm>
#include <string_view>

#include "core/evaluate/evaluate.h"
#include "core/model/pressure.h"
#include "core/observe/observations.h"
#include "kernel/filesystem/filesystem.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "kernel/procfs/procfs.h"

namespace jettison {
namespace {

using psi::PressureFiles;
using psi::PressureResource;

bool AskForPressure(std::span<const Threshold> thresholds, PressureResource of) {
  const Resource resource = of == PressureResource::kMemory ? Resource::kMemory : Resource::kIo;
  return std::ranges::any_of(thresholds, [&](const Threshold& threshold) {
    return IsPressure(threshold.signal) && ResourceOf(threshold.signal) == resource;
  });
}

PressureFiles FilesOf(const Cgroups& groups) {
  return PressureFiles(
      [&groups](std::string_view group) { return groups.OpenPressureDirectory(group); });
}

MemoryStats StatsOf(const CgroupMemory& memory, std::optional<std::uint64_t> capacity,
                    MemoryEstimator estimator, Instant now) {
  const std::uint64_t taken =
      estimator == MemoryEstimator::kWorkingSet ? memory.WorkingSet() : memory.WithoutFilePages();
  MemoryStats stats;
  stats.time = now;
  stats.usage_bytes = memory.usage;
  stats.working_set_bytes = taken;
  stats.shared_bytes = memory.shared;
  stats.kernel_bytes = memory.kernel;
  if (capacity) stats.available_bytes = *capacity > taken ? *capacity - taken : 0;
  return stats;
}

// The smaller of both, where both are known.
std::optional<std::uint64_t> CapacityOf(const procfs::MachineMemory* machine,
                                        std::optional<std::uint64_t> limit) {
  if (machine == nullptr) return limit;
  const std::uint64_t total = machine->WithoutHugePages();
  return limit ? std::min(*limit, total) : total;
}

std::optional<std::uint64_t> SwapUsed(const procfs::MachineMemory& machine) {
  if (!machine.swap_total || !machine.swap_free) return std::nullopt;
  return *machine.swap_total > *machine.swap_free ? *machine.swap_total - *machine.swap_free : 0;
}

}  // namespace

StatsCollector::StatsCollector(FigureSources sources, const Clock& clock, const Log& log)
    : sources_(std::move(sources)),
      pods_group_(kernel::PodsGroup(sources_.group_names)),
      clock_(clock),
      log_(log),
      node_pressure_(sources_.whole_machine ? PressureFiles::OfMachine() : FilesOf(sources_.node)),
      pods_pressure_(FilesOf(sources_.pods)),
      root_limits_tasks_(sources_.whole_machine && sources_.node.ReadPidsLimit("").has_value()) {}

GroupsOfPod StatsCollector::ComputeGroups(const PodFacts& facts) const {
  const ContainerRuntime* const runtime = sources_.runtime;
  GroupsOfPod groups;
  if (runtime != nullptr) groups.pod = runtime->ForeignGroupsOf(facts.pod.uid);
  const bool is_foreign = !groups.pod.empty();
  if (!is_foreign) groups.pod = {kernel::PodGroup(facts.qos, facts.pod.uid, sources_.group_names)};
  for (const auto* containers : {&facts.pod.init_containers, &facts.pod.containers}) {
    for (const Container& container : *containers) {
      std::string group(runtime == nullptr ? std::string_view(container.name)
                                           : runtime->GroupOf(facts.pod.uid, container.name));
      if (!group.empty() && !is_foreign) {
        group = kernel::ContainerGroup(groups.pod.front(), group);
      }
      groups.containers.emplace_back(container.name, std::move(group));
    }
  }
  return groups;
}

const GroupsOfPod& StatsCollector::AllGroupsOf(const PodFacts& facts) {
  const auto [entry, is_new] = groups_.try_emplace(facts.pod.uid);
  GroupsOfPod present = ComputeGroups(facts);
  if (!is_new && entry->second != present) Close(entry->second);
  return entry->second = std::move(present);
}

// What is still read is opened again.
void StatsCollector::Close(const GroupsOfPod& groups) {
  for (const std::string& group : groups.pod) sources_.pods.Forget(group);
  for (const auto& [name, group] : groups.containers) {
    if (!group.empty()) sources_.pods.Forget(group);
  }
}

// The value, or null. Logs once when a reading begins to fail, and never that something has
// vanished.
template <typename T>
const T* StatsCollector::Checked(const Result<T>& reading, std::string_view what) {
  auto known = failing_.find(what);
  if (known == failing_.end()) known = failing_.emplace(what, false).first;
  bool& failing = known->second;
  if (reading) {
    failing = false;
    return &*reading;
  }
  if (!failing) {
    log_.Warn("figures cannot be read and are unknown",
              {{"what", what}, {"err", reading.error().message}});
  }
  failing = true;
  return nullptr;
}

// What the kernel holds beyond what groups are charged with, as far as the usage does not tell it:
// slab, page tables, pipe buffers, the memory of a zram swap. All of it counts as used.
void StatsCollector::AddHeldByKernel(const procfs::MachineMemory& machine, MemoryStats& stats) {
  const auto reading = machine.Available();
  const auto* available = Checked(reading, "MemAvailable of the machine");
  if (available == nullptr || *available >= *stats.available_bytes) return;
  const std::uint64_t of_kernel = *available + sources_.procfs.ReadListed();
  if (of_kernel >= *stats.available_bytes) return;
  const std::uint64_t held = *stats.available_bytes - of_kernel;
  stats.available_bytes = of_kernel;
  *stats.working_set_bytes += held;
  *stats.usage_bytes += held;
  stats.kernel_bytes = std::max(stats.kernel_bytes.value_or(0), held);
}

Result<std::uint64_t> StatsCollector::ReadMemoryCapacity() const {
  const auto machine = sources_.procfs.ReadMemory();
  const auto limit = sources_.node.ReadMemoryLimit("");
  if (!limit) return Fail(limit.error());
  const auto capacity = CapacityOf(machine ? &*machine : nullptr, *limit);
  if (!capacity) return Fail(machine.error());
  return *capacity;
}

// In a container the root of the groups has the container's limit, while /proc is the machine's.
std::optional<std::uint64_t> StatsCollector::ReadWholeMemory(NodeStats& stats, Instant now) {
  const auto machine = sources_.procfs.ReadMemory();
  const auto reading = sources_.node.ReadLimitedMemory("");
  const LimitedMemory* figures = Checked(reading, "memory of the node");
  const auto* total = Checked(machine, "memory capacity of the node");
  if (figures == nullptr) return std::nullopt;
  const auto capacity = CapacityOf(total, figures->limit);
  stats.memory = StatsOf(figures->memory, capacity, sources_.memory_estimator, now);
  if (total == nullptr) return capacity;
  const bool is_machine = sources_.whole_machine && *capacity == total->WithoutHugePages();
  if (is_machine) AddHeldByKernel(*total, *stats.memory);
  stats.swap = {.time = now,
                .available_bytes = total->swap_free,
                .usage_bytes = is_machine ? SwapUsed(*total) : figures->memory.swap};
  return capacity;
}

// As with memory: a limit of the root's, where it has one, and below it what the root has.
Result<RlimitStats> StatsCollector::ReadProcessIds() {
  auto machine = sources_.procfs.ReadRlimit();
  if (!root_limits_tasks_) return machine;
  const auto limit = sources_.node.ReadPidsLimit("");
  if (!limit || !*limit) return machine;
  const auto most = static_cast<std::int64_t>(**limit);
  if (machine && *machine->max_pid <= most) return machine;
  return sources_.node.ReadPids("").map([most](std::uint64_t tasks) {
    return RlimitStats{.max_pid = most, .running = static_cast<std::int64_t>(tasks)};
  });
}

// Without a limit on the pods' group, nor above it, the signal is unknown, as in the kubelet. A
// limit that is wanted and cannot be set, because more is in use, decides as if it were set.
std::optional<MemoryStats> StatsCollector::ReadPodsMemory(std::optional<std::uint64_t> capacity,
                                                          Instant now) {
  const auto reading = sources_.pods.ReadLimitedMemory(pods_group_);
  const LimitedMemory* figures = Checked(reading, "memory of the pods' group");
  if (figures == nullptr) return std::nullopt;
  std::optional<std::uint64_t> limit = figures->limit;
  if (sources_.reserved_from_pods && capacity) {
    const std::uint64_t rest = *capacity - std::min(*capacity, *sources_.reserved_from_pods);
    limit = std::min(limit.value_or(rest), rest);
  }
  return StatsOf(figures->memory, limit, sources_.memory_estimator, now);
}

// Memory is read last, because it changes fastest.
NodeStats StatsCollector::ReadNode() {
  NodeStats stats;
  ReadRest(stats);
  const Instant now = clock_.Now();
  stats.pods_memory = ReadPodsMemory(ReadWholeMemory(stats, now), now);
  ReadPressure(stats, now);
  return stats;
}

void StatsCollector::ReadRest(NodeStats& stats) {
  const Instant now = clock_.Now();
  const auto rlimit = ReadProcessIds();
  if (const RlimitStats* figures = Checked(rlimit, "process ids")) {
    stats.rlimit = *figures;
    stats.rlimit->time = now;
  }
  stats.fs = ReadFs(sources_.node_fs, "file system of the node", now);
  // Like the kubelet, this reports the same file system under each of its roles.
  stats.image_fs = sources_.image_fs.empty()
                       ? stats.fs
                       : ReadFs(sources_.image_fs, "file system of the images", now);
  if (sources_.container_fs.empty()) {
    stats.container_fs = stats.fs;
  } else if (sources_.container_fs == sources_.image_fs) {
    stats.container_fs = stats.image_fs;
  } else {
    stats.container_fs = ReadFs(sources_.container_fs, "file system of writable layers", now);
  }
}

std::optional<PressureStats> StatsCollector::ReadPressureOf(PressureResource resource,
                                                            const char* what, Instant now) {
  if (!AskForPressure(sources_.thresholds, resource)) return std::nullopt;
  const auto pressure = node_pressure_.Read("", resource);
  const auto* figures = Checked(pressure, what);
  return figures != nullptr ? std::optional(psi::StatsOf(*figures, now)) : std::nullopt;
}

void StatsCollector::ReadPressure(NodeStats& stats, Instant now) {
  stats.memory_pressure = ReadPressureOf(PressureResource::kMemory, "memory pressure", now);
  stats.io_pressure = ReadPressureOf(PressureResource::kIo, "I/O pressure", now);
  NodeStats io;
  io.io_pressure = stats.io_pressure;
  compares_io_ = ThresholdsMet(sources_.thresholds, ObservationsFrom(io), false).any();
}

std::optional<std::int32_t> StatsCollector::ReadIoStalls(const GroupsOfPod& groups) {
  std::optional<std::int32_t> most;
  for (const std::string& group : groups.pod) {
    const auto pressure = pods_pressure_.Read(group, PressureResource::kIo);
    if (pressure) most = std::max(most.value_or(0), pressure->some.avg10);
  }
  return most;
}

std::optional<FsStats> StatsCollector::ReadFs(const std::string& path, const char* what,
                                              Instant now) {
  const auto fs = disks_.Read(path, now);
  const FsStats* figures = Checked(fs, what);
  return figures != nullptr ? std::optional(*figures) : std::nullopt;
}

void StatsCollector::ForgetOthers(std::span<const PodFacts* const> pods) {
  // While an I/O threshold may act, the files stay open; those of gone pods among them.
  if (!compares_io_ || pods_pressure_.open_files() > 2 * pods.size() + 16) {
    pods_pressure_.CloseAll();
  }
  constexpr std::size_t kMany = 16;
  if (groups_.size() <= pods.size() + kMany) return;
  TextSet uids;
  for (const PodFacts* facts : pods) uids.insert(facts->pod.uid);
  std::erase_if(groups_, [&](const auto& entry) {
    const bool is_gone = !uids.contains(entry.first);
    if (is_gone) Close(entry.second);
    return is_gone;
  });
}

void StatsCollector::ReadMemoryOf(std::span<const PodFacts* const> pods,
                                  std::vector<PodStats>& stats) {
  stats.clear();
  for (const PodFacts* const pod : pods) stats.push_back(MemoryOf(*pod, AllGroupsOf(*pod)));
}

void StatsCollector::ReadContainersOf(const PodFacts& pod, PodStats& stats) {
  stats.containers = ContainersOf(AllGroupsOf(pod));
}

// A group that does not exist (yet, or any more) is no failure: its figures are unknown, or, if the
// pod has several groups, the figures are those of the others.
PodStats StatsCollector::MemoryOf(const PodFacts& facts, const GroupsOfPod& groups) const {
  PodStats stats;
  stats.uid = facts.pod.uid;
  stats.name = facts.pod.name;
  stats.namespace_ = facts.pod.namespace_;
  for (const std::string& group : groups.pod) {
    const auto memory = sources_.pods.ReadMemory(group);
    if (!memory) continue;
    stats.has_memory = true;
    stats.memory_working_set_bytes =
        stats.memory_working_set_bytes.value_or(0) + memory->WorkingSet();
    if (memory->swap) stats.swap_bytes = stats.swap_bytes.value_or(0) + *memory->swap;
  }
  return stats;
}

std::vector<ContainerStats> StatsCollector::ContainersOf(const GroupsOfPod& groups) const {
  std::vector<ContainerStats> containers;
  for (const auto& [name, group] : groups.containers) {
    ContainerStats& container = containers.emplace_back();
    container.name = name;
    if (group.empty()) continue;
    const auto memory = sources_.pods.ReadMemory(group);
    if (memory) container.memory_working_set_bytes = memory->WorkingSet();
  }
  return containers;
}

PodStats StatsCollector::AllOf(const PodFacts& facts, const DiskUse* disk) {
  const GroupsOfPod& groups = AllGroupsOf(facts);
  PodStats stats = MemoryOf(facts, groups);
  stats.containers = ContainersOf(groups);
  for (const std::string& group : groups.pod) {
    const auto tasks = sources_.pods.ReadPids(group);
    if (tasks) stats.process_count = stats.process_count.value_or(0) + *tasks;
  }
  if (compares_io_) stats.io_some_avg10 = ReadIoStalls(groups);
  if (disk == nullptr) return stats;
  const auto use = disk->find(facts.pod.uid);
  if (use == disk->end()) return stats;  // it was not measured
  stats.ephemeral_storage = use->second.total;
  stats.volumes = use->second.volumes;
  for (const PodDiskUse::OfContainer& container : use->second.containers) {
    const auto found = std::ranges::find(stats.containers, container.name, &ContainerStats::name);
    if (found == stats.containers.end()) continue;
    found->rootfs = container.rootfs;
    found->logs = container.logs;
  }
  return stats;
}

void StatsCollector::ReadPods(std::span<const PodFacts* const> pods, const DiskUse* disk,
                              std::vector<PodStats>& stats) {
  stats.clear();
  for (const PodFacts* const pod : pods) stats.push_back(AllOf(*pod, disk));
}

}  // namespace jettison
