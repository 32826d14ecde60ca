#include "codec/flight/lines/line_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "codec/flight/item_fields.h"
#include "codec/flight/lines/json_values.h"
#include "codec/flight/values/following.h"
#include "codec/flight/values/pod_entry.h"

namespace jettison {
namespace {

template <typename T>
Result<T> ValueOf(const std::string& kind, const Value& value) {
  std::optional<Error> fault;
  T read{};
  JsonValueReader(value, "", fault).Read(value, kind, read);
  if (fault) return Fail(*fault);
  return read;
}

// What a pass names by numbers.
struct PassLine {
  std::uint64_t number = 0;
  std::uint64_t policy = 0;
  std::optional<Instant> at;
  std::vector<std::uint64_t> pods;
  std::optional<EvictionState> state;
  Summary summary;
  std::optional<Observations> observations;
  std::optional<Evaluation> evaluation;
  std::optional<PaceInput> pace;
  std::optional<Summary> after_reclaim;
  CycleReport report;
};

template <typename Archive, FormOf<PassLine> T>
void ListFields(Archive& fields, T& pass) {
  fields("number", pass.number);
  fields("at", pass.at);
  fields("policy", pass.policy);
  fields("pods", pass.pods);
  fields("state", pass.state);
  fields("summary", pass.summary);
  fields("observations", pass.observations);
  fields("evaluation", pass.evaluation);
  fields("pace", pass.pace);
  fields("summaryAfterReclaim", pass.after_reclaim);
  fields("report", pass.report);
}

struct PodLine {
  std::uint64_t id = 0;
  PodEntry entry;
};

template <typename Archive, FormOf<PodLine> T>
void ListFields(Archive& fields, T& pod) {
  fields("id", pod.id);
  fields("source", pod.entry.source);
  fields("protection", pod.entry.protection);
}

tl::unexpected<Error> Invalid(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message));
}

}  // namespace

Result<std::optional<RecordedItem>> RecordingLines::Next() {
  if (after_) return std::exchange(after_, std::nullopt);
  for (;;) {
    auto item = NextOfLines();
    if (!item || !*item || std::holds_alternative<RecordingAbout>(**item)) return item;
    const Instant at = WhenOf(**item);
    if (told_before_.Has(at)) continue;
    told_->Add(at);
    if (told_about_ == about_) return item;
    after_ = **std::move(item);
    told_about_ = about_;
    return RecordedItem(*about_);
  }
}

Result<std::optional<RecordedItem>> RecordingLines::NextOfLines() {
  if (due_) return std::exchange(due_, std::nullopt);
  while (!failed_) {
    const auto line = read_();
    if (!line) {
      failed_ = true;
      return Fail(line.error());
    }
    if (!*line) break;
    ++line_;
    if ((*line)->find_first_not_of(" \t\r") == std::string_view::npos) continue;
    auto item = ItemOf(**line);
    if (!item) return Fail(item.error().In(fmt::format("line {}", line_)));
    if (*item) return item;
  }
  return std::nullopt;
}

Result<std::optional<RecordedItem>> RecordingLines::ItemOf(std::string_view line) {
  const auto value = json_.Parse(line);
  if (!value) {
    LosePass();
    return Invalid(WithoutLine(value.error().message));
  }
  const auto* members = value->AsMap();
  if (members == nullptr || members->size() != 1) {
    LosePass();
    return Invalid(
        "must be an object with one member: \"about\", \"policy\", \"pod\", \"pass\", "
        "\"oomKill\", \"gap\" or \"note\"");
  }
  return ItemOf(members->front().first, members->front().second);
}

Result<std::optional<RecordedItem>> RecordingLines::ItemOf(const std::string& kind,
                                                           const Value& value) {
  const auto as_item = [](auto read) -> Result<std::optional<RecordedItem>> {
    if (!read) return Fail(read.error());
    return RecordedItem(*std::move(read));
  };
  const auto as_nothing = [](const Result<void>& read) -> Result<std::optional<RecordedItem>> {
    if (!read) return Fail(read.error());
    return std::nullopt;
  };
  if (kind == "about") return TakeAbout(value);
  if (!about_) return Invalid("a recording must begin with \"about\"");
  if (kind == "oomKill") return as_item(ValueOf<RecordedOomKill>(kind, value));
  if (kind == "gap") return as_item(ValueOf<RecordedGap>(kind, value));
  if (kind == "note") return as_item(ValueOf<RecordedNote>(kind, value));
  if (kind == "policy") return as_nothing(TakePolicy(value));
  if (kind == "pod") return as_nothing(TakePod(value));
  if (kind != "pass") return Invalid(fmt::format("\"{}\" is no item of a recording", kind));
  auto pass = PassOf(value);
  if (!pass) LosePass();
  return as_item(std::move(pass));
}

// A start that was told before is told again only in front of an item that is new.
Result<std::optional<RecordedItem>> RecordingLines::TakeAbout(const Value& value) {
  state_.reset();
  last_at_.reset();
  lost_line_.reset();
  auto about = ValueOf<RecordingAbout>("about", value);
  if (!about) return Fail(about.error());
  about_ = *about;
  const auto [told, is_new] = starts_.Of(*about);
  told_ = told;
  told_before_ = *told;
  if (!is_new) return std::nullopt;
  told_about_ = about_;
  return RecordedItem(*std::move(about));
}

void RecordingLines::LosePass() {
  state_.reset();
  if (!lost_line_) lost_line_ = line_;
}

// The pass is due, and the result is the gap before it.
RecordedItem RecordingLines::BehindGap(RecordedItem pass) {
  const Instant to = WhenOf(pass);
  due_ = std::move(pass);
  return RecordedGap{.from = std::min(last_at_.value_or(about_->at), to),
                     .to = to,
                     .why = fmt::format("line {} could not be read", *lost_line_)};
}

Result<void> RecordingLines::TakePolicy(const Value& value) {
  auto policy = ValueOf<PassPolicy>("policy", value);
  if (!policy) return Fail(policy.error());
  if (policy->thresholds.size() > kMaxThresholds)
    return Invalid("policy: it has too many thresholds");
  const auto line = ValueOf<PodLine>(
      "policy",
      Value(Value::Map{{"id", value.Find("id") == nullptr ? Value() : *value.Find("id")}}));
  if (!line) return Fail(line.error());
  policies_[line->id] = std::make_shared<const PassPolicy>(*std::move(policy));
  return {};
}

Result<void> RecordingLines::TakePod(const Value& value) {
  auto line = ValueOf<PodLine>("pod", value);
  if (!line) return Fail(line.error());
  const Value* pod = value.Find("pod");
  if (pod == nullptr) return Invalid("pod.pod: is missing");
  auto facts = FactsOf(*pod, line->entry, about_->profile);
  if (!facts) return Fail(facts.error());
  pods_[line->id] = *std::move(facts);
  return {};
}

Result<RecordedItem> RecordingLines::PassOf(const Value& value) {
  auto line = ValueOf<PassLine>("pass", value);
  if (!line) return Fail(line.error());
  if (!line->at) return Invalid("pass.at: is missing");
  auto pass = std::make_shared<RecordedPass>();
  const auto policy = policies_.find(line->policy);
  if (policy == policies_.end()) return Invalid("pass.policy: no policy with this id was told");
  pass->policy = policy->second;
  for (const std::uint64_t id : line->pods) {
    const auto pod = pods_.find(id);
    if (pod == pods_.end()) return Invalid(fmt::format("pass.pods: no pod {} was told", id));
    pass->pods.push_back(pod->second);
  }
  const bool is_known = line->state || state_;
  if (!is_known && !lost_line_) {
    return Invalid("pass.state: is missing, and no pass is before it");
  }
  pass->number = line->number;
  if (is_known) pass->before = line->state ? *line->state : *state_;
  pass->summary = std::move(line->summary);
  pass->pace = line->pace;
  pass->after_reclaim = std::move(line->after_reclaim);
  pass->report = std::move(line->report);
  pass->report.at = *line->at;
  FillInReport(*pass);
  if (line->observations) pass->report.observations = *line->observations;
  if (line->evaluation) pass->report.evaluation = *line->evaluation;
  state_ = StateAfter(*pass);
  RecordedItem item(std::shared_ptr<const RecordedPass>(std::move(pass)));
  if (!is_known) item = BehindGap(std::move(item));
  last_at_ = *line->at;
  lost_line_.reset();
  return item;
}

}  // namespace jettison
