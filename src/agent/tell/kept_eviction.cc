#include "agent/tell/kept_eviction.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/explanation/explanation_json.h"
#include "core/explanation/explanation_text.h"
#include "core/explanation/text_sections.h"

namespace jettison {
namespace {

constexpr std::string_view kPrefix = "ev-";

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
  return whole && !id.empty() && id.front() != '0' ? number : 0;
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

}  // namespace jettison
