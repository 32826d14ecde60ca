#include "cli/simulate/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "core/text/spelling.h"

namespace jettison {
namespace {

constexpr std::string_view kWhatHappened = "what-happened";
constexpr std::string_view kInForce = "in-force";

}  // namespace

Comparison::Comparison(const std::string& against, CommandFaults& faults) : against_(against) {
  if (against_ == kWhatHappened || against_ == kInForce || against_.empty()) return;
  constexpr std::array<std::string_view, 2> kWords = {kWhatHappened, kInForce};
  std::error_code ignored;
  const std::string meant =
      std::filesystem::exists(against_, ignored) ? "" : DidYouMean(against_, kWords);
  if (!meant.empty()) {
    faults.Add(fmt::format("{}: there is no such file{}", against_, meant));
    return;
  }
  forms_ = faults.Take(ReadCandidates({.policy_files = {against_}, .sweeps = {}}));
}

std::vector<CandidatePolicy> Comparison::PoliciesFor(const RecordedPass& first) const {
  if (!forms_) return {};
  const auto candidates = CandidatesFor(*forms_, *first.policy);
  return {candidates->policies.back()};
}

std::vector<NamedSetting> Comparison::Settings() const {
  if (!forms_) return {};
  return {PoliciesOf(*forms_).back()};
}

void Comparison::Compare(SimulationReport& report) const {
  if (against_.empty() || report.outcomes.empty()) return;
  const std::size_t tried = report.outcomes.size() - (forms_ ? 1 : 0);
  const PolicyOutcome& other = forms_ ? report.outcomes.back() : report.outcomes.front();
  const std::vector<SimulatedEviction> a =
      against_ == kWhatHappened ? WhatHappened(report.facts) : other.evictions;
  const Duration reach = std::max<Duration>(report.facts.longest_step, std::chrono::seconds(10));
  for (std::size_t i = std::min<std::size_t>(1, tried - 1); i < tried; ++i) {
    const PolicyOutcome& outcome = report.outcomes[i];
    report.differences.push_back({.a_name = against_,
                                  .b_name = outcome.name,
                                  .a = a,
                                  .b = outcome.evictions,
                                  .pairs = PairsOf(a, outcome.evictions, reach)});
  }
}

}  // namespace jettison
