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

using Settings = decltype(TriedPolicy::settings);

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

std::string NameOf(const TriedPolicy& tried) {
  std::string name = tried.path;
  for (const auto& [key, value] : tried.settings) {
    name += fmt::format("{}{}={}", name.empty() ? "" : " ", key, value);
  }
  return name;
}

// As the policy in force becomes it. A setting that has no place in it is left out, which is the
// `fault`.
PassPolicy PolicyFor(const TriedPolicy& tried, PassPolicy policy, std::string* fault = nullptr) {
  if (tried.eviction) policy = WithEviction(std::move(policy), *tried.eviction);
  for (const auto& [key, value] : tried.settings) {
    auto changed = WithSetting(policy, key, value);
    if (!changed && fault != nullptr) *fault = changed.error().message;
    if (changed) policy = std::move(*changed);
  }
  return policy;
}

std::vector<Sweep> ReadSweeps(const std::vector<std::string>& texts, CommandFaults& faults) {
  std::vector<Sweep> sweeps;
  std::size_t count = 1;
  for (const std::string& text : texts) {
    auto sweep = ParseSweep(text);
    if (!sweep) {
      faults.Add(sweep.error());
      continue;
    }
    if (std::ranges::find(sweeps, sweep->key, &Sweep::key) != sweeps.end()) {
      faults.Add(fmt::format(
          "{0}: has two sweeps; give all its values in one: --sweep {0}=VALUE,VALUE", sweep->key));
      continue;
    }
    count *= sweep->values.size();
    sweeps.push_back(std::move(*sweep));
    if (count > kMostPolicies) {
      faults.Add(
          fmt::format("the sweeps make more than {} policies; give fewer values", kMostPolicies));
      break;
    }
  }
  return sweeps;
}

// Without faults; `model` (null: none) takes its back-off and interval.
std::optional<TriedPolicy> ReadFile(const std::string& path, WhatIfModel* model,
                                    ConfigWarnings& warnings, CommandFaults& faults) {
  if (path == "-") {
    faults.Add("-: a policy must be a file; only a recording is read from standard input");
    return std::nullopt;
  }
  const ConfigReading reading = ReadConfigFiles({.files = {path}});
  warnings.Tell(reading.warnings);
  AddFaults(reading, faults);
  if (!reading.faults.empty()) return std::nullopt;
  if (model != nullptr) {
    // What a file leaves at its default, as a kubelet's does, is as the recording has it.
    const auto changed = [](Duration read, Duration usual) {
      return read == usual ? std::nullopt : std::optional(read);
    };
    const auto& [initial, max] = reading.config.eviction_backoff;
    model->backoff = changed(initial, kUsualSettings.backoff_initial);
    model->max_backoff = changed(max, kUsualSettings.backoff_max);
    model->monitoring_interval =
        changed(reading.config.monitoring_interval, kUsualSettings.monitoring_interval);
  }
  return TriedPolicy{.path = path, .eviction = reading.config.eviction, .settings = {}};
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

CandidateForms ReadCandidates(const CandidateOptions& options, CommandFaults& faults) {
  CandidateForms forms;
  ConfigWarnings warnings;
  const std::vector<Sweep> sweeps = ReadSweeps(options.sweeps, faults);
  std::vector<TriedPolicy> bases;
  for (const std::string& path : options.policy_files) {
    auto read = ReadFile(path, bases.empty() ? &forms.model : nullptr, warnings, faults);
    if (read) bases.push_back(*std::move(read));
  }
  if (options.policy_files.empty() && !sweeps.empty()) bases.emplace_back();
  if (!faults.empty()) bases.clear();  // what is too much is not made
  for (const TriedPolicy& base : bases) {
    for (Settings& each : Grid(sweeps)) {
      forms.tried.emplace_back(base).settings = std::move(each);
    }
  }
  constexpr std::array<std::string_view, 2> kWords = {kWhatHappened, kInForce};
  const std::string& against = options.against;
  if (!against.empty() && std::ranges::find(kWords, against) == kWords.end()) {
    std::error_code ignored;
    const bool exists = std::filesystem::exists(against, ignored);
    if (const std::string meant = exists ? "" : DidYouMean(against, kWords); !meant.empty()) {
      faults.Add(fmt::format("{}: there is no such file{}", against, meant));
    } else if (auto read = ReadFile(against, nullptr, warnings, faults)) {
      forms.tried.push_back(*std::move(read));
      forms.has_other = true;
    }
  }
  if (options.evicted == "back") forms.model.after_eviction = AfterEviction::kRestarted;
  if (options.evicted == "elsewhere") forms.model.after_eviction = AfterEviction::kElsewhere;
  return forms;
}

Result<std::vector<CandidatePolicy>> CandidatesFor(const CandidateForms& forms,
                                                   const PassPolicy& base) {
  std::vector<CandidatePolicy> policies = {{.name = "in force", .policy_for = {}}};
  for (const TriedPolicy& each : forms.tried) {
    std::string fault;
    (void)PolicyFor(each, base, &fault);
    if (!fault.empty()) return Fail(ErrorCode::kInvalidArgument, fault);
    policies.push_back({.name = NameOf(each), .policy_for = [each](const PassPolicy& recorded) {
                          return PolicyFor(each, recorded);
                        }});
  }
  return policies;
}

std::vector<NamedSetting> PoliciesOf(const CandidateForms& forms) {
  std::vector<NamedSetting> policies = {{.name = "in force", .value = ""}};
  for (const TriedPolicy& each : forms.tried) {
    const std::string definition = JsonObject([&](JsonWriter& json) {
      if (each.eviction) WritePolicy(WithEviction({}, *each.eviction), json);
      json.ObjectUnlessEmpty("sweep", [&] {
        for (const auto& [key, value] : each.settings) json.Field(key, value);
      });
    });
    policies.push_back({.name = NameOf(each), .value = definition});
  }
  return policies;
}

void Compare(const std::string& against, const CandidateForms& forms, SimulationReport& report) {
  if (report.outcomes.empty()) return;
  const std::size_t tried = report.outcomes.size() - (forms.has_other ? 1 : 0);
  const PolicyOutcome& other = forms.has_other ? report.outcomes.back() : report.outcomes.front();
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
