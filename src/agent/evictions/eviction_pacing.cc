#include "agent/evictions/eviction_pacing.h"

#include <algorithm>

#include "core/decide/eviction_order.h"
#include "core/model/pod_resources.h"
#include "core/model/pressure.h"

namespace jettison {
namespace {

// Whether amounts of the signal can be added up over pods between passes: disks are not measured in
// between, and averages do not add up.
bool AddsUp(Signal signal) {
  return ConditionOf(signal) != NodeConditionType::kDiskPressure && !IsPressure(signal);
}

// The kernel may have ended such a pod at its own limit, which says nothing of the node.
bool HasMemoryLimit(const Pod& pod) {
  const bool has_pod_level =
      pod.resources && FindResource(pod.resources->limits, kMemoryResource) != nullptr;
  return has_pod_level || SumOfContainers(pod, &ResourceRequirements::limits, kMemoryResource);
}

}  // namespace

EvictionPacing::EvictionPacing(const NodeEdges& edges)
    : pods_(edges.pods),
      figures_(edges.figures),
      early_kills_({.pods = edges.pods,
                    .figures = edges.figures,
                    .events = edges.events,
                    .log = edges.log}) {}

void EvictionPacing::Evicted(Resource resource, bool hard, Duration grace, Instant now) {
  keeper_.Evicted(resource, hard, grace, now);
}

void EvictionPacing::Resume(const KeptWait& wait, Instant began, Instant now) {
  for (const Resource resource : wait.hard_for) {
    keeper_.Evicted(resource, true, std::chrono::seconds(kHardEvictionGracePeriodSeconds), began);
  }
  looks_.Begin(now);
}

void EvictionPacing::Lost(std::string_view pod_uid, Instant now) {
  const auto& active = pods_.Active();
  const auto found = std::ranges::find_if(
      active, [pod_uid](const PodFacts* facts) { return facts->pod.uid == pod_uid; });
  if (found == active.end() || HasMemoryLimit((*found)->pod)) return;
  keeper_.Lost(held_.AmountOf(**found), now);
}

void EvictionPacing::ReadEnding(bool awaited) {
  if (awaited) {
    ending_.Read(pods_.Ending(), figures_);
  } else {
    ending_.Clear();
  }
}

void EvictionPacing::Prepare(const std::optional<PacedPass>& pass) {
  input_.reset();
  if (!pass) return;
  if (ResourceOf(pass->signal) == Resource::kPids && !ending_.empty()) ending_.ReadAll(figures_);
  TakeSums(*pass);
  input_ = InputFor(pass->signal, pass->next_by_clock, pass->now);
  input_->soft = soft_;
}

// For a disk, the removal of any pod delays the next eviction as an eviction does, because it frees
// space, too.
PaceInput EvictionPacing::InputFor(Signal signal, std::optional<Instant> next_by_clock,
                                   Instant now) const {
  PaceInput input = keeper_.InputFor(signal, next_by_clock, now);
  const bool is_disk = ConditionOf(signal) == NodeConditionType::kDiskPressure;
  if (is_disk && pods_.AnyIsBeingRemoved(now)) {
    input.kubelet_decides = std::max(input.kubelet_decides.value_or(now), now + kCleanupPoll);
  }
  return input;
}

bool EvictionPacing::NeedsSums(Signal signal, Instant now) const {
  return !ending_.empty() || keeper_.KubeletDecides(signal, now);
}

void EvictionPacing::PrepareForFirst(Signal signal, std::optional<Instant> next_by_clock) {
  input_ = PaceInput{.signal = signal, .next_by_clock = next_by_clock, .soft = soft_};
}

void EvictionPacing::TakeSums(const PacedPass& pass) {
  if (!AddsUp(pass.signal)) return;
  HeldAmounts held = held_.Of(pass.signal, pass.layout, pass.pods, ending_);
  held.line = pass.line;
  keeper_.Held(pass.signal, pass.seen, held, pass.now);
}

bool EvictionPacing::PrepareBeside(const PacedPass& pass) {
  const auto kubelet_decides = keeper_.KubeletDecides(pass.signal, pass.now);
  if (kubelet_decides && pass.now < *kubelet_decides) return false;
  if (ResourceOf(pass.signal) == Resource::kPids && !ending_.empty()) ending_.ReadAll(figures_);
  const std::int64_t ending = AddsUp(pass.signal) ? ending_.Usage(pass.signal, pass.layout) : 0;
  if (ending > 0 && pass.seen.available + ending >= pass.line) return false;
  input_ = PaceInput{.signal = pass.signal, .next_by_clock = pass.next_by_clock, .ending = ending};
  return true;
}

bool EvictionPacing::PassDone(const CycleReport& report, bool awaited, Instant now) {
  if (report.pause && !paused_.pause() && !awaited) looks_.Begin(now);
  return paused_.Take(report, now);
}

std::size_t EvictionPacing::Hasten(const Observations& seen, DiskLayout layout, Instant now) {
  return early_kills_.Hasten(seen, keeper_, layout, ending_, now);
}

std::optional<PaceInput> EvictionPacing::InputNow(std::optional<Instant> next_by_clock,
                                                  Instant now) const {
  if (!input_) return std::nullopt;
  PaceInput input = InputFor(input_->signal, next_by_clock, now);
  input.soft = input_->soft;
  return input;
}

}  // namespace jettison
