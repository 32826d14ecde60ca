#include "codec/flight/item_decoder.h"

#include <fmt/format.h>

#include <utility>

#include "codec/documents/json.h"
#include "codec/flight/messages.h"
#include "codec/kubernetes/pod_reader.h"
#include "core/evaluate/evaluate.h"
#include "core/model/fault.h"
#include "core/pass/pass.h"
#include "core/recording/recording.h"

namespace jettison {
namespace {

template <typename T>
Result<T> ValueOf(const google::protobuf::Message& message) {
  std::string fault;
  T value{};
  if (!FromMessage(message, value, fault)) return Fail(ErrorCode::kInvalidArgument, fault);
  return value;
}

template <typename T>
Result<std::optional<RecordedItem>> ItemIn(const google::protobuf::Message& message) {
  auto value = ValueOf<T>(message);
  if (!value) return Fail(value.error());
  return RecordedItem(*std::move(value));
}

tl::unexpected<Error> Senseless(std::string why) {
  return Fail(ErrorCode::kInvalidArgument, std::move(why));
}

}  // namespace

Result<std::optional<RecordedItem>> ItemDecoder::Take(const recording::Item& message) {
  if (message.has_chunk() || message.has_about()) {
    *this = {};
    auto about =
        ItemIn<RecordingAbout>(message.has_chunk() ? message.chunk().about() : message.about());
    if (about) about_ = std::get<RecordingAbout>(**about);
    return about;
  }
  if (!about_) return Senseless("a recording must begin with \"about\"");
  if (message.has_oom_kill()) return ItemIn<RecordedOomKill>(message.oom_kill());
  if (message.has_gap()) return ItemIn<RecordedGap>(message.gap());
  if (message.has_note()) return ItemIn<RecordedNote>(message.note());
  if (message.has_pass()) {
    auto pass = TakePass(message.pass());
    if (!pass) return Fail(pass.error());
    return *std::move(pass);
  }
  Result<void> taken = Senseless("it is no item of a recording");
  if (message.has_policy()) taken = TakePolicy(message.policy());
  if (message.has_pod()) taken = TakePod(message.pod());
  if (!taken) return Fail(taken.error());
  return std::nullopt;
}

Result<void> ItemDecoder::TakePolicy(const recording::Policy& message) {
  auto policy = ValueOf<PassPolicy>(message.policy());
  if (!policy) return Fail(policy.error());
  // Thresholds are named by their places in sets of a fixed size.
  if (policy->thresholds.size() > kMaxThresholds)
    return Senseless("a policy has too many thresholds");
  policies_[message.id()] = std::make_shared<const PassPolicy>(*std::move(policy));
  return {};
}

Result<void> ItemDecoder::TakePod(const recording::Pod& message) {
  if (!recording::PodOrigin_IsValid(message.source()) ||
      !recording::Protection_IsValid(message.protection())) {
    return Senseless("a pod has a source or a protection that there is not");
  }
  const auto document = ParseJson(message.manifest());
  if (!document) return Fail(document.error().In("a pod"));
  PodReading reading = ReadPod(*document, {.file = "", .form = PodForm::kApiObject});
  if (!reading.Ok()) return Senseless("a pod: " + DescribeAll(reading.faults));
  PodFacts facts = FactsOf(std::move(reading.pod), about_->profile);
  facts.source = static_cast<PodOrigin>(message.source());
  facts.protection = static_cast<Protection>(message.protection());
  pods_[message.id()] = std::make_shared<const PodFacts>(std::move(facts));
  return {};
}

Result<void> ItemDecoder::TakeSummary(const recording::Pass& message, RecordedPass& into) {
  if (message.has_pods()) {
    active_.clear();
    for (const std::uint32_t id : message.pods().ids()) {
      const auto pod = pods_.find(id);
      if (pod == pods_.end()) return Senseless(fmt::format("pod {} was not told", id));
      active_.push_back(pod->second);
    }
  }
  into.pods = active_;
  std::string fault;
  if (!message.node_changes()) node_ = {};
  (void)FromMessage(message.node(), node_, fault);
  for (const recording::PodFigures& figures : message.figures()) {
    PodStats& pod = figures_[figures.id()];
    if (figures.whole()) pod = {};
    (void)FromMessage(figures.stats(), pod, fault);
  }
  if (!fault.empty()) return Senseless(std::move(fault));
  into.summary.node = node_;
  if (message.has_figures_of()) {
    order_.assign(message.figures_of().ids().begin(), message.figures_of().ids().end());
  }
  into.summary.pods.reserve(order_.size());
  for (const std::uint32_t id : order_) {
    const auto pod = figures_.find(id);
    if (pod == figures_.end()) return Senseless(fmt::format("figures {} were not told", id));
    into.summary.pods.push_back(pod->second);
  }
  return {};
}

Result<void> ItemDecoder::TakeReport(const recording::Pass& message, RecordedPass& into) {
  std::string fault;
  FillInReport(into);
  if (message.has_evaluation()) {
    into.report.observations = {};
    into.report.evaluation = {};
    (void)FromMessage(message.observations(), into.report.observations, fault);
    (void)FromMessage(message.evaluation(), into.report.evaluation, fault);
  }
  if (message.has_pace()) (void)FromMessage(message.pace(), into.pace.emplace(), fault);
  if (message.has_after_reclaim()) {
    (void)FromMessage(message.after_reclaim(), into.after_reclaim.emplace(), fault);
  }
  (void)FromMessage(message.report(), into.report, fault);
  if (!fault.empty()) return Senseless(std::move(fault));
  return {};
}

Result<RecordedItem> ItemDecoder::TakePass(const recording::Pass& message) {
  auto pass = std::make_shared<RecordedPass>();
  pass->number = message.number();
  const auto at = message.has_at() ? NanosecondsIn(message.at()) : std::nullopt;
  if (!at) return Senseless("a pass has no time");
  pass->report.at = Instant(Duration(*at));
  const auto policy = policies_.find(message.policy());
  if (policy == policies_.end()) {
    return Senseless(fmt::format("policy {} was not told", message.policy()));
  }
  pass->policy = policy->second;
  if (auto taken = TakeSummary(message, *pass); !taken) return Fail(taken.error());
  if (message.has_state()) {
    auto state = ValueOf<EvictionState>(message.state());
    if (!state) return Fail(state.error());
    pass->before = *std::move(state);
  } else if (state_) {
    pass->before = *state_;
  } else if (!has_lost_) {
    return Senseless("a pass has no state, and no pass is before it");
  }
  if (auto taken = TakeReport(message, *pass); !taken) return Fail(taken.error());
  state_ = StateAfter(*pass);
  has_lost_ = false;
  return RecordedItem(std::shared_ptr<const RecordedPass>(std::move(pass)));
}

}  // namespace jettison
