#include "codec/flight/item_encoder.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <utility>
#include <variant>

#include "codec/flight/messages.h"
#include "codec/kubernetes/pod_writer.h"
#include "core/model/redaction.h"
#include "core/recording/recording.h"

namespace jettison {
namespace {

// Equal messages have equal bytes, also where they have maps.
std::string BytesOf(const google::protobuf::Message& message) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream out(&stream);
    out.SetSerializationDeterministic(true);
    message.SerializeToCodedStream(&out);
  }
  return bytes;
}

void PutEvaluation(const CycleReport& report, recording::Pass& into) {
  ToMessage(report.observations, *into.mutable_observations());
  ToMessage(report.evaluation, *into.mutable_evaluation());
}

// Puts nothing where it is what follows of the pass.
void PutEvaluationOf(const RecordedPass& pass, recording::Pass& into) {
  RecordedPass bare{.policy = pass.policy, .before = pass.before};
  bare.summary.node = pass.summary.node;
  bare.report.at = pass.report.at;
  FillInReport(bare);
  recording::Pass told;
  recording::Pass follows;
  PutEvaluation(pass.report, told);
  PutEvaluation(bare.report, follows);
  if (BytesOf(told) != BytesOf(follows)) PutEvaluation(pass.report, into);
}

void PutIds(const std::vector<std::uint32_t>& ids, recording::Ids& into) {
  into.mutable_ids()->Add(ids.begin(), ids.end());
}

}  // namespace

void ItemEncoder::BeginAnew() {
  *this = ItemEncoder(form_, std::move(put_));
}

void ItemEncoder::Add(const RecordedItem& item) {
  if (const auto* pass = std::get_if<std::shared_ptr<const RecordedPass>>(&item)) {
    return AddPass(**pass);
  }
  recording::Item message;
  if (const auto* about = std::get_if<RecordingAbout>(&item)) {
    BeginAnew();
    ToMessage(*about, *message.mutable_about());
  } else if (const auto* kill = std::get_if<RecordedOomKill>(&item)) {
    ToMessage(*kill, *message.mutable_oom_kill());
  } else if (const auto* gap = std::get_if<RecordedGap>(&item)) {
    ToMessage(*gap, *message.mutable_gap());
  } else {
    ToMessage(std::get<RecordedNote>(item), *message.mutable_note());
  }
  put_(message);
}

void ItemEncoder::AddPass(const RecordedPass& pass) {
  recording::Item message;
  recording::Pass& to = *message.mutable_pass();
  ++passes_;
  to.set_number(pass.number);
  PutNanoseconds(pass.report.at.time_since_epoch().count(), *to.mutable_at());
  to.set_policy(PolicyId(*pass.policy));
  Ids active;
  for (const auto& facts : pass.pods) active.push_back(PodId(facts));
  if (!IsAsBefore(active, active_)) PutIds(active, *to.mutable_pods());
  recording::EvictionState before;
  ToMessage(pass.before, before);
  if (BytesOf(before) != next_state_) *to.mutable_state() = std::move(before);
  recording::EvictionState after;
  ToMessage(StateAfter(pass), after);
  next_state_ = BytesOf(after);
  PutNode(pass.summary.node, to);
  PutFigures(pass.summary.pods, to);
  PutEvaluationOf(pass, to);
  if (pass.pace) ToMessage(*pass.pace, *to.mutable_pace());
  if (pass.after_reclaim) ToMessage(*pass.after_reclaim, *to.mutable_after_reclaim());
  ToMessage(pass.report, *to.mutable_report());
  if (to.report().ByteSizeLong() == 0) to.clear_report();
  put_(message);
}

bool ItemEncoder::IsAsBefore(Ids ids, std::optional<Ids>& before) const {
  if (form_ == RecordedForm::kChanges && before == ids) return true;
  before = std::move(ids);
  return false;
}

std::uint32_t ItemEncoder::PolicyId(const PassPolicy& policy) {
  recording::Item message;
  recording::Policy& to = *message.mutable_policy();
  ToMessage(policy, *to.mutable_policy());
  const auto [known, is_new] =
      policies_.try_emplace(BytesOf(message), static_cast<std::uint32_t>(policies_.size()));
  if (is_new) {
    to.set_id(known->second);
    put_(message);
  }
  return known->second;
}

// The facts of a pod may be made anew without being other ones.
std::uint32_t ItemEncoder::PodId(const std::shared_ptr<const PodFacts>& facts) {
  KnownPod& known = pods_[facts->pod.uid];
  if (known.facts == facts) return known.id;
  known.facts = facts;
  recording::Item message;
  recording::Pod& to = *message.mutable_pod();
  to.set_source(static_cast<recording::PodOrigin>(facts->source));
  to.set_protection(static_cast<recording::Protection>(facts->protection));
  to.set_manifest(WritePod(RedactedPod(facts->pod)));
  std::string bytes = BytesOf(message);
  if (known.message == bytes) return known.id;
  known.message = std::move(bytes);
  known.id = next_pod_++;
  to.set_id(known.id);
  put_(message);
  return known.id;
}

void ItemEncoder::PutNode(const NodeStats& node, recording::Pass& into) {
  recording::NodeStats now;
  ToMessage(node, now);
  recording::NodeStats& to = *into.mutable_node();
  to = now;
  const bool can_change = form_ == RecordedForm::kChanges && node_;
  into.set_node_changes(can_change && KeepChanges(*node_, to));
  if (!into.node_changes()) to = now;
  node_ = std::move(now);
}

// A pod may be told twice in a pass.
ItemEncoder::KnownFigures& ItemEncoder::FiguresOf(const std::string& uid) {
  std::string key = uid;
  for (;;) {
    const auto [known, is_new] = figures_.try_emplace(key);
    if (is_new) known->second.id = static_cast<std::uint32_t>(figures_.size());
    if (std::exchange(known->second.pass, passes_) != passes_) return known->second;
    key += '/';
  }
}

void ItemEncoder::PutFigures(const std::vector<PodStats>& pods, recording::Pass& into) {
  Ids order;
  for (const PodStats& pod : pods) {
    KnownFigures& known = FiguresOf(pod.uid);
    order.push_back(known.id);
    recording::PodStats now;
    ToMessage(pod, now);
    recording::PodFigures to;
    to.set_id(known.id);
    *to.mutable_stats() = now;
    const bool can_change = form_ == RecordedForm::kChanges && known.stats;
    to.set_whole(!can_change || !KeepChanges(*known.stats, *to.mutable_stats()));
    if (to.whole()) *to.mutable_stats() = now;
    if (to.whole() || to.stats().ByteSizeLong() > 0) *into.add_figures() = std::move(to);
    known.stats = std::move(now);
  }
  if (!IsAsBefore(order, order_)) PutIds(order, *into.mutable_figures_of());
}

}  // namespace jettison
