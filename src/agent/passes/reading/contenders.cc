#include "agent/passes/reading/contenders.h"

#include <algorithm>
#include <utility>

namespace jettison {
namespace {

// Resets the stats of the pod to not measured.
void Begin(const PodFacts& facts, PodStats& stats) {
  if (stats.uid != facts.pod.uid) {
    stats.uid = facts.pod.uid;
    stats.name = facts.pod.name;
    stats.namespace_ = facts.pod.namespace_;
  }
  stats.containers.clear();
  stats.volumes.clear();
  stats.has_memory = false;
  stats.memory_working_set_bytes.reset();
  stats.swap_bytes.reset();
  stats.most_on_disk.reset();
  stats.ephemeral_storage.reset();
  stats.stale_disk.reset();
  stats.process_count.reset();
  stats.io_some_avg10.reset();
  stats.passed_over_at.reset();
}

void Limit(std::optional<std::uint64_t>& figure, std::uint64_t most) {
  if (figure) figure = std::min(*figure, most);
}

}  // namespace

void Contenders::Keep(const Pods& pods) {
  search_.Reserve(pods.size());
  if (!known_.Keep(pods)) return;
  FindClasses();
  ReadClasses();
}

void Contenders::FindClasses() {
  in_class_.assign(known_.pods().size(), 0);
  FindClassesOfOthers();
}

// The groups of a foreign pod may be known later than the pod.
void Contenders::FindClassesOfOthers() {
  const auto pods = known_.pods();
  for (std::size_t i = 0; i < pods.size(); ++i) {
    if (in_class_[i] == 0 && figures_.IsInClass(*pods[i])) in_class_[i] = 1;
  }
}

// A file that has been read stays open, but one that is not read for some full passes is closed.
void Contenders::ReadClasses() {
  for (std::size_t qos = 0; qos < kQosClassCount; ++qos) {
    (void)figures_.ReadCharge(Resource::kMemory, static_cast<QosClass>(qos));
    (void)figures_.ReadCharge(Resource::kPids, static_cast<QosClass>(qos));
  }
}

void Contenders::Take(const Pods& pods, const std::vector<PodStats>& stats) {
  if (known_.Keep(pods)) in_class_.assign(pods.size(), 0);
  known_.Take(stats);
  FindClassesOfOthers();
  ReadClasses();
}

void Contenders::Read(Resource resource, const Pods& pods, std::vector<PodStats>& stats) {
  Keep(pods);
  stats.resize(pods.size());
  for (std::size_t i = 0; i < pods.size(); ++i) Begin(*pods[i], stats[i]);
  search_.Begin(resource, pods, known_.Amounts(resource), in_class_);
  while (const auto step = search_.Next()) {
    search_.Answer(Read(resource, *step, *pods[step->pod], stats[step->pod]));
  }
  resource_ = resource;
}

std::optional<std::uint64_t> Contenders::Read(Resource resource, const SearchStep& step,
                                              const PodFacts& pod, PodStats& stats) {
  switch (step.reading) {
    case SearchReading::kClass: return figures_.ReadCharge(resource, step.qos);
    case SearchReading::kCharge: {
      const auto charge = figures_.ReadCharge(resource, pod);
      if (resource == Resource::kPids) stats.process_count = charge;
      return charge;
    }
    case SearchReading::kFigure:
      figures_.ReadMemoryOf(pod, stats);
      return stats.memory_working_set_bytes;
  }
  __builtin_unreachable();
}

void Contenders::ReadOthers(const Pods& pods, std::vector<PodStats>& stats) {
  const Resource resource = *std::exchange(resource_, std::nullopt);
  if (resource == Resource::kPids) {
    ReadAllOf(pods, stats);
  } else {
    for (std::size_t i = 0; i < pods.size(); ++i) {
      if (!search_.IsRead(i)) figures_.ReadMemoryAtRest(*pods[i], stats[i]);
    }
  }
  for (std::size_t i = 0; i < pods.size(); ++i) {
    const auto most = search_.BoundOf(i);
    if (!most) continue;
    stats[i].passed_over_at = most;
    Limit(resource == Resource::kPids ? stats[i].process_count : stats[i].memory_working_set_bytes,
          *most);
  }
  known_.Take(stats);
}

// The decision was made by the process counts that the search has read, and by whether the disk use
// was marked as unknown, so both are kept.
void Contenders::ReadAllOf(const Pods& pods, std::vector<PodStats>& stats) {
  std::vector<PodStats> all;
  figures_.ReadPods(pods, nullptr, all);
  for (std::size_t i = 0; i < pods.size(); ++i) {
    const auto counted = stats[i].process_count;
    const auto stale_disk = stats[i].stale_disk;
    stats[i] = std::move(all[i]);
    stats[i].stale_disk = stale_disk;
    if (search_.IsRead(i)) stats[i].process_count = counted;
  }
}

}  // namespace jettison
