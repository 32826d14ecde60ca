#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal/output.h"
#include "core/model/threshold.h"
#include "core/pass/pass.h"
#include "core/units/result.h"
#include "sim/report/simulation_report.h"
#include "sim/whatif/whatif_model.h"

namespace CLI {
class App;
}

namespace jettison {

// One setting and the values that it is to be tried with: 'evictionHard.memory.available=
// 50Mi..1Gi/16', or 'evictionSoftGracePeriod.memory.available=30s,1m,5m'.
struct Sweep {
  std::string key;  // as it was written
  std::vector<std::string> values;
};

// Every key that a sweep may have: "evictionHard.memory.available", ...
[[nodiscard]] std::vector<std::string> SweepKeys();

// The most policies that sweeps may come to together.
inline constexpr std::size_t kMostPolicies = 4096;

// Parses KEY=FROM..TO/COUNT (COUNT values evenly spaced, both ends included) or KEY=VALUE,VALUE.
// Amounts, percentages and durations; fails with a sentence that says what is allowed.
[[nodiscard]] Result<Sweep> ParseSweep(std::string_view text);

// The policy with the setting of that value: evictionHard.SIGNAL, evictionSoft.SIGNAL,
// evictionSoftGracePeriod.SIGNAL, evictionMinimumReclaim.SIGNAL, evictionPressureTransitionPeriod
// and evictionMaxPodGracePeriod.
[[nodiscard]] Result<PassPolicy> WithSetting(PassPolicy policy, const std::string& key,
                                             const std::string& value);

// The policies that a command line asks for.
struct CandidateOptions {
  std::vector<std::string> policy_files;  // one policy each
  std::vector<std::string> sweeps;        // a grid, of each policy
  std::string evicted = "auto";           // or "back", "elsewhere"
};

// Adds --policy, --sweep and --evicted, which have one meaning everywhere.
void AddCandidateOptions(CLI::App& command, CandidateOptions& options);

// The same as it was read and checked, without a recording whose policy it is about.
struct CandidateForms {
  struct File {
    std::string path;
    EvictionPolicy eviction;
  };
  std::vector<File> files;
  std::vector<Sweep> sweeps;
  std::optional<File> against;  // tried as it is, behind all others
  WhatIfModel model;            // back-off and interval as the first of `files` has them
};

// Reads and checks all of it; what the author of a file may have meant differently is told on
// standard error. Fails with every fault, a line each: kUnavailable where a file cannot be read,
// else kInvalidArgument.
[[nodiscard]] Result<CandidateForms> ReadCandidates(const CandidateOptions& options);

// The policies for a recording: `base` is the policy that it begins with, against which sweeps are
// checked. Without a file sweeps are of that one; it always comes first. Fails where a setting has
// no place in it.
[[nodiscard]] Result<std::vector<CandidatePolicy>> CandidatesFor(const CandidateForms& forms,
                                                                 const PassPolicy& base);

// What the policies are: their names, and their settings as JSON.
[[nodiscard]] std::vector<NamedSetting> PoliciesOf(const CandidateForms& forms);

// What the policies of a node are compared with: "what-happened", "in-force" (the policy in force
// as it is simulated), or a policy in a file, which is read here.
void ReadAgainst(const std::string& against, CandidateForms& forms, CommandFaults& faults);
// Adds the differences of each other policy that was tried, or else of the one in force. `against`
// is not empty.
void Compare(const std::string& against, const CandidateForms& forms, SimulationReport& report);

}  // namespace jettison
