#include "sim/recommend/pod_use.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <memory>

namespace jettison {
namespace {

// Longer steps are gaps, in which it is not known what a pod held.
constexpr Duration kLongestStep = std::chrono::minutes(5);
constexpr int kStepsAnOctave = 16;

int StepOf(std::int64_t bytes) {
  return static_cast<int>(std::ceil(std::log2(static_cast<double>(bytes)) * kStepsAnOctave));
}

std::int64_t BytesOfStep(int step) {
  return static_cast<std::int64_t>(std::exp2(static_cast<double>(step) / kStepsAnOctave));
}

}  // namespace

void HeldMemory::Add(std::int64_t bytes, Duration time) {
  most_ = std::max(most_, bytes);
  if (time <= Duration{0}) return;
  by_step_[StepOf(std::max<std::int64_t>(bytes, 1))] += time;
  time_ += time;
}

std::int64_t HeldMemory::Quantile(double share) const {
  const double wanted = share * SecondsOf(time_);
  double seen = 0;
  for (const auto& [step, time] : by_step_) {
    seen += SecondsOf(time);
    if (seen >= wanted) return std::min(BytesOfStep(step), most_);
  }
  return most_;
}

void PodUseBook::Add(const RecordedItem& item) {
  if (const auto* pass = std::get_if<std::shared_ptr<const RecordedPass>>(&item)) {
    AddPass(**pass);
  } else if (std::holds_alternative<RecordedGap>(item)) {
    last_.reset();
  }
}

void PodUseBook::AddPass(const RecordedPass& pass) {
  const Duration step = last_ ? Elapsed(*last_, pass.report.at) : Duration{0};
  last_ = pass.report.at;
  if (pass.summary.pods.empty()) return;
  facts_.clear();
  for (const auto& each : pass.pods) facts_.push_back(each.get());
  JoinStats(facts_, pass.summary, active_);
  const Duration counted = step > kLongestStep ? Duration{0} : step;
  for (const ActivePod& pod : active_) {
    if (pod.stats == nullptr || !pod.stats->memory_working_set_bytes) continue;
    PodUse& use = pods_[pod.facts->pod.uid];
    if (use.pod.empty()) use.pod = NameOfPod(pass, pod.facts->pod.uid);
    use.request = WholeUnits(pod.facts->memory_request);
    use.held.Add(static_cast<std::int64_t>(*pod.stats->memory_working_set_bytes), counted);
  }
}

const PodUse* PodUseBook::Find(const std::string& uid) const {
  const auto found = pods_.find(uid);
  return found == pods_.end() ? nullptr : &found->second;
}

}  // namespace jettison
