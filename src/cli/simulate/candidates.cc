#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli/ask/config_files.h"
#include "cli/simulate/simulate.h"
#include "cli/terminal/output.h"
#include "codec/recordings/scenario_policy.h"
#include "core/json/json_writer.h"
#include "core/model/fault.h"
#include "core/text/spelling.h"
#include "core/thresholds/threshold_settings.h"

namespace jettison {
namespace {

PassPolicy WithEviction(PassPolicy policy, const EvictionPolicy& eviction) {
  policy.thresholds = ThresholdsFor(eviction.thresholds, policy.layout);
  policy.pressure_transition_period = eviction.pressure_transition_period;
  policy.max_pod_grace_period_seconds = eviction.max_pod_grace_period_seconds;
  policy.local_storage_capacity_isolation &= eviction.local_storage_capacity_isolation;
  return policy;
}

using Settings = std::vector<std::pair<std::string, std::string>>;  // key to value

// Every combination of one value each.
std::vector<Settings> Grid(const std::vector<Sweep>& sweeps) {
  std::vector<Settings> grid = {{}};
  for (const Sweep& sweep : sweeps) {
    std::vector<Settings> wider;
    for (const Settings& settings : grid) {
      for (const std::string& value : sweep.values) {
        wider.push_back(settings);
        wider.back().emplace_back(sweep.key, value);
      }
    }
    grid = std::move(wider);
  }
  return grid;
}

// What is tried: the policy of a file, or what was in force, with these settings.
struct Combination {
  std::optional<CandidateForms::File> file;
  Settings settings;

  [[nodiscard]] std::string Name() const {
    std::string name = file ? file->path : "";
    for (const auto& [key, value] : settings) {
      name += fmt::format("{}{}={}", name.empty() ? "" : " ", key, value);
    }
    return name;
  }
  // As the policy in force becomes it. A setting that has no place in it is left out, which is the
  // `fault`.
  PassPolicy PolicyFor(PassPolicy policy, std::string* fault = nullptr) const {
    if (file) policy = WithEviction(std::move(policy), file->eviction);
    for (const auto& [key, value] : settings) {
      auto changed = WithSetting(policy, key, value);
      if (!changed && fault != nullptr) *fault = changed.error().message;
      if (changed) policy = std::move(*changed);
    }
    return policy;
  }
  [[nodiscard]] std::string Definition() const {
    return JsonObject([&](JsonWriter& json) {
      if (file) WritePolicy(WithEviction({}, file->eviction), json);
      json.ObjectUnlessEmpty("sweep", [&] {
        for (const auto& [key, value] : settings) json.Field(key, value);
      });
    });
  }
};

// All of them but what was in force itself.
std::vector<Combination> CombinationsOf(const CandidateForms& forms) {
  std::vector<Combination> all;
  const auto add = [&](const std::optional<CandidateForms::File>& file) {
    for (Settings& each : Grid(forms.sweeps)) all.push_back({file, std::move(each)});
  };
  if (forms.files.empty() && !forms.sweeps.empty()) add(std::nullopt);
  for (const CandidateForms::File& file : forms.files) add(file);
  if (forms.against) all.push_back({*forms.against, {}});
  return all;
}

void ReadSweeps(const std::vector<std::string>& texts, CandidateForms& forms, FaultLines& faults) {
  std::size_t count = 1;
  for (const std::string& text : texts) {
    auto sweep = ParseSweep(text);
    if (!sweep) {
      faults.Add(sweep.error().message);
      continue;
    }
    const bool is_second =
        std::ranges::find(forms.sweeps, sweep->key, &Sweep::key) != forms.sweeps.end();
    if (is_second) {
      faults.Add(fmt::format(
          "{0}: has two sweeps; give all its values in one: --sweep {0}=VALUE,VALUE", sweep->key));
      continue;
    }
    count *= sweep->values.size();
    forms.sweeps.push_back(std::move(*sweep));
    if (count > kMostPolicies) {
      return faults.Add(
          fmt::format("the sweeps make more than {} policies; give fewer values", kMostPolicies));
    }
  }
}

void ReadFile(const std::string& path, CandidateForms& forms, ConfigWarnings& warnings,
              FaultLines& faults) {
  if (path == "-") {
    return faults.Add("-: a policy must be a file; only a recording is read from standard input");
  }
  const ConfigReading reading = ReadConfigFiles({.files = {path}});
  warnings.Tell(reading.warnings);
  for (const Fault& fault : reading.faults) faults.Add(Describe(fault));
  if (reading.unread) faults.SetUnread();
  if (!reading.faults.empty()) return;
  if (forms.files.empty()) {
    // What a file leaves at its default, as a kubelet's does, is as the recording has it.
    const auto changed = [](Duration read, Duration usual) {
      return read == usual ? std::nullopt : std::optional(read);
    };
    const auto& [initial, max] = reading.config.eviction_backoff;
    forms.model.backoff = changed(initial, kUsualSettings.backoff_initial);
    forms.model.max_backoff = changed(max, kUsualSettings.backoff_max);
    forms.model.monitoring_interval =
        changed(reading.config.monitoring_interval, kUsualSettings.monitoring_interval);
  }
  forms.files.push_back({.path = path, .eviction = reading.config.eviction});
}

constexpr std::string_view kWhatHappened = "what-happened";
constexpr std::string_view kInForce = "in-force";

}  // namespace

void AddCandidateOptions(CLI::App& command, CandidateOptions& options) {
  command.add_option("--policy", options.policy_files, "a policy to try")->type_name("FILE");
  command.add_option("--sweep", options.sweeps, "values of a setting to try")
      ->type_name("KEY=VALUES");
  command
      .add_option(
          "--evicted", options.evicted,
          "where evicted pods start again: back (here, after their back-off), elsewhere, or\n"
          "auto (by the profile of the recording)")
      ->check(CLI::IsMember({"auto", "back", "elsewhere"}))
      ->capture_default_str();
}

Result<CandidateForms> ReadCandidates(const CandidateOptions& options) {
  CandidateForms forms;
  FaultLines faults;
  ReadSweeps(options.sweeps, forms, faults);
  ConfigWarnings warnings;
  for (const std::string& path : options.policy_files) ReadFile(path, forms, warnings, faults);
  if (options.evicted == "back") forms.model.after_eviction = AfterEviction::kRestarted;
  if (options.evicted == "elsewhere") forms.model.after_eviction = AfterEviction::kElsewhere;
  if (!faults.empty()) return Fail(faults.AsError());
  return forms;
}

Result<std::vector<CandidatePolicy>> CandidatesFor(const CandidateForms& forms,
                                                   const PassPolicy& base) {
  std::vector<CandidatePolicy> policies = {{.name = "in force", .policy_for = {}}};
  for (const Combination& each : CombinationsOf(forms)) {
    std::string fault;
    (void)each.PolicyFor(base, &fault);
    if (!fault.empty()) return Fail(ErrorCode::kInvalidArgument, fault);
    policies.push_back({.name = each.Name(), .policy_for = [each](const PassPolicy& recorded) {
                          return each.PolicyFor(recorded);
                        }});
  }
  return policies;
}

std::vector<NamedSetting> PoliciesOf(const CandidateForms& forms) {
  std::vector<NamedSetting> policies = {{.name = "in force", .value = ""}};
  for (const Combination& each : CombinationsOf(forms)) {
    policies.push_back({.name = each.Name(), .value = each.Definition()});
  }
  return policies;
}

void ReadAgainst(const std::string& against, CandidateForms& forms, CommandFaults& faults) {
  if (against == kWhatHappened || against == kInForce || against.empty()) return;
  constexpr std::array<std::string_view, 2> kWords = {kWhatHappened, kInForce};
  std::error_code ignored;
  const std::string meant =
      std::filesystem::exists(against, ignored) ? "" : DidYouMean(against, kWords);
  if (!meant.empty()) {
    faults.Add(fmt::format("{}: there is no such file{}", against, meant));
    return;
  }
  const CandidateForms read =
      faults.Take(ReadCandidates({.policy_files = {against}, .sweeps = {}}));
  if (!read.files.empty()) forms.against = read.files.front();
}

void Compare(const std::string& against, const CandidateForms& forms, SimulationReport& report) {
  if (report.outcomes.empty()) return;
  const std::size_t tried = report.outcomes.size() - (forms.against ? 1 : 0);
  const PolicyOutcome& other = forms.against ? report.outcomes.back() : report.outcomes.front();
  const std::vector<SimulatedEviction> a =
      against == kWhatHappened ? WhatHappened(report.facts) : other.evictions;
  const Duration reach = std::max<Duration>(report.facts.longest_step, std::chrono::seconds(10));
  for (std::size_t i = std::min<std::size_t>(1, tried - 1); i < tried; ++i) {
    const PolicyOutcome& outcome = report.outcomes[i];
    DifferenceReport& each =
        report.differences.emplace_back(DifferencesOf(a, outcome.evictions, reach));
    each.a_name = against;
    each.b_name = outcome.name;
  }
}

}  // namespace jettison
