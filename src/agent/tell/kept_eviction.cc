#include "agent/tell/kept_eviction.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "agent/kept/number_file.h"
#include "codec/documents/json.h"
#include "core/explanation/explanation_json.h"
#include "core/explanation/explanation_text.h"
#include "core/explanation/text_sections.h"

namespace jettison {
namespace {

constexpr std::string_view kPrefix = "ev-";

// The text of a member, or of a member of a member; empty if there is none.
std::string TextIn(const Value& value, std::string_view key) {
  const Value* member = value.Find(key);
  if (member == nullptr || member->AsString() == nullptr) return "";
  return *member->AsString();
}

std::string TextIn(const Value& value, std::string_view outer, std::string_view key) {
  const Value* member = value.Find(outer);
  return member == nullptr ? "" : TextIn(*member, key);
}

// The message for this pod, which may be one of several that were evicted in one pass.
std::string MessageIn(const Value& explanation, const std::string& uid) {
  const Value* evicted = explanation.Find("evicted");
  if (evicted == nullptr || evicted->AsList() == nullptr) return "";
  for (const Value& each : *evicted->AsList()) {
    if (TextIn(each, "pod", "uid") == uid) return TextIn(each, "message");
  }
  return "";
}

tl::unexpected<Error> Damaged(std::string_view what) {
  return Fail(ErrorCode::kInvalidArgument, fmt::format("no explanation of an eviction: {}", what));
}

}  // namespace

std::string EvictionId(std::uint64_t number) {
  return fmt::format("{}{}", kPrefix, number);
}

std::uint64_t EvictionNumber(std::string_view id) {
  if (!id.starts_with(kPrefix)) return 0;
  id.remove_prefix(kPrefix.size());
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
  const bool whole = error == std::errc() && end == id.data() + id.size();
  const bool ours = whole && !id.empty() && id.front() != '0' && number <= kLargestNumber;
  return ours ? number : 0;
}

KeptEviction KeepEviction(const RecordedPass& pass, const std::string& uid, std::uint64_t number,
                          ExplainOptions options) {
  options.id = EvictionId(number);
  options.subject_uid = uid;
  const PassExplanation why = Explain(pass, options);
  KeptEviction kept{.number = number,
                    .id = options.id,
                    .at = why.at,
                    .pod = why.subject.value_or(PodIdentity{.uid = uid}),
                    .summary = HeadlineOf(why),
                    .dry_run = why.dry_run,
                    .text = TextOf(why),
                    .json = JsonOf(why)};
  if (why.threshold) kept.signal = NameOf(why.threshold->threshold.signal);
  const auto found = std::ranges::find_if(
      why.evicted, [&](const EvictedPod& evicted) { return evicted.pod.uid == uid; });
  if (found != why.evicted.end()) kept.message = found->message;
  return kept;
}

Result<KeptEviction> ParseKeptEviction(std::string json) {
  const auto document = ParseJson(json);
  if (!document) return Damaged(document.error().message);
  if (TextIn(*document, "kind") != "Explanation" || TextIn(*document, "about") != "eviction") {
    return Damaged("it is about something else");
  }
  KeptEviction kept{.id = TextIn(*document, "id"),
                    .pod = {.namespace_ = TextIn(*document, "pod", "namespace"),
                            .name = TextIn(*document, "pod", "name"),
                            .uid = TextIn(*document, "pod", "uid")},
                    .signal = TextIn(*document, "threshold", "signal"),
                    .summary = TextIn(*document, "summary"),
                    .text = TextIn(*document, "text")};
  kept.number = EvictionNumber(kept.id);
  if (kept.number == 0) return Damaged("`id` is not ev-<number>");
  if (kept.pod.uid.empty()) return Damaged("there is no `pod` with a `uid`");
  const auto at = ParseInstant(TextIn(*document, "at"));
  if (!at) return Damaged(at.error().In("at").message);
  kept.at = *at;
  kept.message = MessageIn(*document, kept.pod.uid);
  const Value* dry_run = document->Find("dryRun");
  kept.dry_run = dry_run != nullptr && dry_run->AsBool() != nullptr && *dry_run->AsBool();
  kept.json = std::move(json);
  return kept;
}

}  // namespace jettison
