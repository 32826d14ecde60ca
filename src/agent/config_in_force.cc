#include "agent/config_in_force.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/model/pod.h"
#include "core/model/signal.h"

namespace jettison {
namespace {

// More than any pod requests, and small enough that sums do not overflow.
constexpr Nanos kUnlimited = std::numeric_limits<Nanos>::max() / 4;

}  // namespace

SharedAmounts SharedAmong(const AgentConfig& config, const ResourceList& capacity) {
  const ResourceList allocatable =
      NodeAllocatable(capacity, config.reservation, config.eviction.thresholds);
  SharedAmounts amounts{};
  std::ranges::transform(kSharedResources, amounts.begin(), [&](std::string_view resource) {
    const Quantity* amount = FindResource(allocatable, resource);
    return amount != nullptr ? amount->ToNanos() : kUnlimited;
  });
  return amounts;
}

ConfigInForce::ConfigInForce(AgentConfig config, NodeIdentity node, ConfigReaders readers,
                             const Log& log)
    : readers_(std::move(readers)), log_(log) {
  node.config = std::move(config);
  node_ = std::make_shared<const NodeIdentity>(std::move(node));
  if (readers_.again) reader_.emplace(Threads::kSpare, AtEnd::kLeave);
}

bool ConfigInForce::Ask() {
  if (!reader_) {
    log_.Info("SIGHUP has no effect; restart the agent to read its configuration again");
    return false;
  }
  asked_ = true;
  reader_->DoInstead([readings = readings_, again = readers_.again] { readings->Put(again()); });
  return true;
}

void ConfigInForce::Advance(Instant now) {
  if (!reader_ || !readers_.kubelet || readers_.kubelet_every == Duration::zero()) return;
  if (next_look_ && now < *next_look_) return;
  const bool is_first = !next_look_;  // it has just been read
  next_look_ = now + readers_.kubelet_every;
  if (is_first || asked_) return;
  reader_->DoInstead([readings = readings_, look = readers_.kubelet] {
    if (auto reading = look()) readings->Put(*std::move(reading));
  });
}

bool ConfigInForce::Taken::Has(std::string_view prefix) const {
  return std::ranges::any_of(changed,
                             [&](std::string_view name) { return name.starts_with(prefix); });
}

std::optional<ConfigInForce::Taken> ConfigInForce::Take() {
  const std::vector<ConfigReading> readings = readings_->TakeAll();
  if (readings.empty()) return std::nullopt;
  asked_ = false;
  // Whoever reads goes on from the last one without faults, so it has all that those before it
  // changed.
  const ConfigReading* valid = nullptr;
  for (const ConfigReading& reading : readings) {
    for (const Fault& fault : reading.faults) {
      log_.Error("the configuration is not valid; the agent keeps the previous one",
                 {{"fault", Describe(fault)}});
    }
    if (reading.faults.empty()) valid = &reading;
  }
  if (valid == nullptr) return Taken{.changed = {}, .faulty = true};
  return Use(*valid);
}

ConfigInForce::Taken ConfigInForce::Use(const ConfigReading& reading) {
  for (const Fault& warning : reading.warnings) {
    log_.Warn("configuration", {{"warning", Describe(warning)}});
  }
  LogOrder(reading.not_above_kubelet);
  AgentConfig read = reading.config;
  read.dry_run = read.dry_run || readers_.dry_run;
  if (read.cgroup_driver == readers_.named_driver) read.cgroup_driver = config().cgroup_driver;
  readers_.kubelet_thresholds = reading.kubelet_thresholds;
  ConfigChanges changes = ChangesOf(config(), read);
  Report(changes);
  NodeIdentity node = *node_;
  node.config = std::move(changes.config);
  Hold(std::move(node));
  LogCapacities();
  return {.changed = std::move(changes.at_once)};
}

void ConfigInForce::Learn(const Observations& seen) {
  bool is_news = !capacities_;
  if (is_news) capacities_.emplace();
  for (const Signal signal : kAllSignals) {
    auto& capacity = (*capacities_)[IndexOf(signal)];
    if (capacity || !seen[signal]) continue;
    capacity = seen[signal]->capacity;
    is_news = true;
  }
  if (is_news) LogCapacities();
}

void ConfigInForce::LogCapacities() const {
  if (!capacities_) return;
  const std::vector<Threshold>& ours = config().eviction.thresholds;
  for (const Fault& fault : CheckAlwaysMet(ours, *capacities_)) {
    log_.Warn("a threshold does not fit this node", {{"fault", Describe(fault)}});
  }
  if (!readers_.kubelet_thresholds) return;
  const std::vector<Threshold>& theirs = *readers_.kubelet_thresholds;
  // What is known without a capacity has been said when the configuration was read.
  const Faults known = CheckAboveKubelet(ours, theirs, {});
  Faults found = CheckAboveKubelet(ours, theirs, *capacities_);
  std::erase_if(found, [&](const Fault& fault) {
    return std::ranges::find(known, fault.key, &Fault::key) != known.end();
  });
  LogOrder(found);
}

bool ConfigInForce::TakeMemory(std::uint64_t bytes) {
  NodeIdentity node = *node_;
  Quantity& memory = node.capacity["memory"];
  if (static_cast<std::uint64_t>(memory.Value()) == bytes) return false;
  capacities_.reset();
  memory = Quantity::Of(static_cast<std::int64_t>(bytes));
  Hold(std::move(node));
  return true;
}

void ConfigInForce::Hold(NodeIdentity node) {
  node.allocatable = SharedAmong(node.config, node.capacity);
  node_ = std::make_shared<const NodeIdentity>(std::move(node));
}

void ConfigInForce::LogOrder(const Faults& faults) const {
  for (const Fault& fault : faults) {
    log_.Error("a threshold is not above the kubelet's, which evicts first",
               {{"fault", Describe(fault)}});
  }
}

void ConfigInForce::Report(const ConfigChanges& changes) const {
  log_.Info("the configuration was read again",
            {{"changed", fmt::format("{}", fmt::join(changes.at_once, ", "))}});
  if (changes.need_restart.empty()) return;
  log_.Warn("some changed settings take effect only when the agent is restarted",
            {{"settings", fmt::format("{}", fmt::join(changes.need_restart, ", "))}});
}

}  // namespace jettison
