#include "sim/recommend/recommendation.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <tuple>

#include "core/units/quantity.h"
#include "sim/recommend/candidate_lines.h"

namespace jettison {
namespace {

// Longer steps are gaps, in which it is not known what a pod held.
constexpr Duration kLongestStep = std::chrono::minutes(5);
constexpr int kStepsAnOctave = 16;

constexpr Duration kLeastSeen = std::chrono::minutes(3);
constexpr double kUsualShare = 0.95;

// Rounded up to two digits.
std::int64_t Proposed(std::int64_t bytes) {
  const auto rounded = [](double amount) {
    return std::get<Quantity>(Scaled(Quantity::Of(static_cast<std::int64_t>(amount)), 1)).Value();
  };
  const std::int64_t near = rounded(static_cast<double>(bytes));
  return near >= bytes ? near : rounded(static_cast<double>(bytes) * 1.05);
}

RequestAdvice::Says Judged(const RequestAdvice& advice, const HeldMemory& held,
                           double mean_at_end) {
  using Says = RequestAdvice::Says;
  if (advice.seen < kLeastSeen) return Says::kUnknown;
  const auto most = static_cast<double>(advice.most);
  // For half of its life it held much less than at its ends.
  if (static_cast<double>(held.Quantile(0.5)) < 0.6 * most && mean_at_end >= 0.75 * most) {
    return Says::kGrows;
  }
  if (advice.usual > advice.request) return Says::kTooLow;
  if (static_cast<double>(advice.request) > 1.25 * most) return Says::kTooHigh;
  return Says::kFits;
}

}  // namespace

void HeldMemory::Add(std::int64_t bytes, Duration time) {
  most_ = std::max(most_, bytes);
  if (time <= Duration{0}) return;
  const double octaves = std::log2(static_cast<double>(std::max<std::int64_t>(bytes, 1)));
  by_step_[static_cast<int>(std::ceil(octaves * kStepsAnOctave))] += time;
  time_ += time;
}

std::int64_t HeldMemory::Quantile(double share) const {
  const double wanted = share * SecondsOf(time_);
  double seen = 0;
  for (const auto& [step, time] : by_step_) {
    seen += SecondsOf(time);
    if (seen < wanted) continue;
    const double bytes = std::exp2(static_cast<double>(step) / kStepsAnOctave);
    return std::min(static_cast<std::int64_t>(bytes), most_);
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

std::string_view NameOf(RequestAdvice::Says says) {
  constexpr std::string_view kNames[] = {"tooLow", "tooHigh", "fits", "grows", "unknown"};
  return kNames[static_cast<std::size_t>(says)];
}

std::string AdviceText(const RequestAdvice& advice) {
  constexpr std::string_view kTexts[] = {"too low; request ", "too high; request ", "fits",
                                         "it is evicted as it grows; give it a memory limit",
                                         "it was seen for too short a time"};
  std::string text(kTexts[static_cast<std::size_t>(advice.says)]);
  if (advice.proposal) text += Quantity::Of(*advice.proposal).ToString();
  return text;
}

std::vector<RequestAdvice> AdviceFor(const std::vector<SimulatedEviction>& evictions,
                                     const PodUseBook& book, const std::string& node) {
  struct Ends {
    std::size_t count = 0;
    double held = 0;  // sum over the ends
  };
  std::map<std::string, Ends> ends;  // by UID
  for (const SimulatedEviction& eviction : evictions) {
    if (eviction.limit || ResourceOf(eviction.signal) != Resource::kMemory) continue;
    Ends& each = ends[eviction.uid];
    each.held += static_cast<double>(eviction.held);
    ++each.count;
  }
  std::vector<RequestAdvice> all;
  for (const auto& [uid, end] : ends) {
    const PodUse* use = book.Find(uid);
    if (use == nullptr) continue;
    RequestAdvice advice{.node = node,
                         .pod = use->pod,
                         .uid = uid,
                         .evictions = end.count,
                         .request = use->request,
                         .usual = use->held.Quantile(kUsualShare),
                         .most = use->held.most(),
                         .seen = use->held.time(),
                         .proposal = {}};
    advice.says = Judged(advice, use->held, end.held / static_cast<double>(end.count));
    if (advice.says == RequestAdvice::Says::kTooLow) advice.proposal = Proposed(advice.usual);
    if (advice.says == RequestAdvice::Says::kTooHigh) advice.proposal = Proposed(advice.most);
    all.push_back(std::move(advice));
  }
  std::ranges::sort(all, {}, [](const RequestAdvice& each) {
    return std::tuple(-static_cast<std::int64_t>(each.evictions), each.pod, each.uid);
  });
  return all;
}

}  // namespace jettison
