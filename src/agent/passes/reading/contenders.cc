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

// What has to be decided meanwhile waits, so a call is short on a slow machine, too.
bool Contenders::ReadAhead(const Clock& clock) {
  constexpr std::size_t kAtOnce = 128;
  constexpr std::size_t kBetweenTimes = 8;
  constexpr Duration kLongest = std::chrono::milliseconds(1);
  const Instant began = clock.Now();
  const auto pods = known_.pods();
  const std::size_t count = std::min(pods.size(), kAtOnce);
  bool is_round = pods.empty();
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_time_to_look = i > 0 && i % kBetweenTimes == 0;
    if (is_time_to_look && Elapsed(began, clock.Now()) >= kLongest) break;
    ahead_ = ahead_ + 1 < pods.size() ? ahead_ + 1 : 0;
    is_round = is_round || ahead_ == 0;
    const auto charge = figures_.ReadCharge(Resource::kMemory, *pods[ahead_]);
    if (charge) known_.TakeCharge(ahead_, *charge);
  }
  return is_round;
}

// What the search has passed over is still needed while others are to be read. A search among pods
// that hold the same reads many of them; the first steps are those that a later one has, too.
void Contenders::Rehearse() {
  constexpr int kMostSteps = 8;
  if (HavePassedOver()) return;
  const auto pods = known_.pods();
  search_.Begin(Resource::kMemory, pods, known_.Amounts(Resource::kMemory), in_class_);
  for (int steps = 0; steps < kMostSteps; ++steps) {
    const auto step = search_.Next();
    if (!step) break;
    search_.Answer(Read(Resource::kMemory, *step, *pods[step->pod], rehearsed_));
  }
  if (search_.victim()) figures_.OpenContainersOf(*pods[*search_.victim()]);
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
