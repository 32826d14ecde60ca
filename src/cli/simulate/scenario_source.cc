#include "cli/simulate/scenario_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include "core/text/hash128.h"
#include "sim/replay.h"

namespace jettison {
namespace {

// Of a record that an agent wrote: "pass 210".
std::optional<std::uint64_t> NumberOf(const Scenario& scenario) {
  constexpr std::string_view kPass = "pass ";
  const std::string& name = scenario.name;
  if (scenario.steps.size() != 1 || !name.starts_with(kPass)) return std::nullopt;
  std::uint64_t number = 0;
  const char* const end = name.data() + name.size();
  const auto read = std::from_chars(name.data() + kPass.size(), end, number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

bool AreSame(const PassPolicy& a, const PassPolicy& b) {
  return std::ranges::equal(a.thresholds, b.thresholds,
                            [](const Threshold& x, const Threshold& y) {
                              return x.signal == y.signal && x.value == y.value &&
                                     x.grace_period == y.grace_period &&
                                     x.min_reclaim == y.min_reclaim;
                            }) &&
         a.pressure_transition_period == b.pressure_transition_period &&
         a.max_pod_grace_period_seconds == b.max_pod_grace_period_seconds &&
         a.local_storage_capacity_isolation == b.local_storage_capacity_isolation &&
         a.layout == b.layout && a.hard_first == b.hard_first;
}

}  // namespace

Result<std::optional<RecordedItem>> ScenarioSource::Next() {
  while (ready_.empty()) {
    const auto line = lines_.Next();
    if (!line) {
      if (!lines_.Failed()) return std::nullopt;
      return Fail(ErrorCode::kUnavailable,
                  fmt::format("cannot read {}: {}", name_, std::strerror(errno)));
    }
    if (IsBlank(*line)) continue;
    if (auto read = Read(*line); !read) {
      return Fail(read.error().In(fmt::format("{}:{}", name_, lines_.line_number())));
    }
  }
  RecordedItem item = std::move(ready_.front());
  ready_.pop_front();
  return item;
}

// Pods and policies that stay the same are the same objects.
std::shared_ptr<const PodFacts> ScenarioSource::Shared(const PodFacts& facts) {
  std::shared_ptr<const PodFacts>& known = pods_[facts.pod.uid];
  if (known == nullptr || known->protection != facts.protection || !(known->pod == facts.pod)) {
    known = std::make_shared<const PodFacts>(facts);
  }
  return known;
}

Result<void> ScenarioSource::Read(std::string_view record) {
  if (lines_.IsCutOff()) return Fail(ErrorCode::kInvalidArgument, lines_.TooLong());
  std::string hash = HashOf(record);
  if (known_.contains(hash)) return {};
  const auto read = reader_.Read(record, scenario_);
  if (!read) return Fail(read.error());
  known_.insert(std::move(hash));
  if (*read) return {};  // an image collection, which evicts nobody
  const auto number = NumberOf(scenario_);
  const bool is_known = number && last_number_ && *number <= *last_number_ && last_at_ &&
                        scenario_.start <= *last_at_;
  if (is_known) return {};
  if (!last_at_ || (number && last_number_ && *number <= *last_number_)) {
    ready_.emplace_back(RecordingAbout{
        .at = scenario_.start, .node = "", .maker = "jettison", .profile = scenario_.profile});
  }
  if (policy_ == nullptr || !AreSame(*policy_, scenario_.policy)) {
    policy_ = std::make_shared<const PassPolicy>(scenario_.policy);
  }
  std::vector<StepOutcome> outcomes = Replay(scenario_);
  EvictionState state = scenario_.state;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const ScenarioStep& step = scenario_.steps[i];
    auto pass = std::make_shared<RecordedPass>();
    pass->number = number ? *number : last_number_.value_or(0) + 1;
    pass->policy = policy_;
    pass->before = state;
    pass->summary = step.summary;
    pass->after_reclaim = step.summary_after_reclaim;
    pass->pace = step.pace;
    for (const std::size_t pod : step.active) pass->pods.push_back(Shared(scenario_.pods[pod]));
    pass->report = std::move(outcomes[i].report);
    state = pass->report.evaluation.next;
    if (!pass->report.evictions.empty()) {
      MarkEviction(pass->report.observations, pass->report.at, state);
    }
    last_number_ = pass->number;
    last_at_ = pass->report.at;
    ready_.emplace_back(std::shared_ptr<const RecordedPass>(std::move(pass)));
  }
  return {};
}

}  // namespace jettison
