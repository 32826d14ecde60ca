#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli/ask/config_files.h"
#include "cli/simulate/simulate.h"
#include "cli/terminal/output.h"
#include "codec/recordings/scenario_policy.h"
#include "core/json/json_writer.h"
#include "core/model/fault.h"
#include "core/text/number.h"
#include "core/text/spelling.h"
#include "core/thresholds/kubelet_order.h"
#include "core/thresholds/threshold_settings.h"
#include "core/units/duration.h"
#include "core/units/quantity.h"

namespace jettison {
namespace {

constexpr std::string_view kTransition = "evictionPressureTransitionPeriod";
constexpr std::string_view kMaxGrace = "evictionMaxPodGracePeriod";

// The settings that may be tried. Those that have a value for each signal are in that member.
constexpr std::array<std::pair<std::string_view, SignalSettings EvictionSettings::*>, 6> kSettings =
    {{{"evictionHard", &EvictionSettings::hard},
      {"evictionSoft", &EvictionSettings::soft},
      {"evictionSoftGracePeriod", &EvictionSettings::soft_grace_period},
      {"evictionMinimumReclaim", &EvictionSettings::minimum_reclaim},
      {kTransition, nullptr},
      {kMaxGrace, nullptr}}};

auto Refuse(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message));
}

// Those by which a setting may be tried. A threshold on a containerfs follows from those on nodefs
// or imagefs.
std::vector<std::string_view> NamesOfSignals() {
  std::vector<std::string_view> names;
  for (const Signal signal : kKubeletSignals) {
    if (!NameOf(signal).starts_with("containerfs.")) names.push_back(NameOf(signal));
  }
  return names;
}

Result<void> CheckKey(std::string_view key) {
  const std::vector<std::string> keys = SweepKeys();
  if (std::ranges::find(keys, key) != keys.end()) return {};
  std::array<std::string_view, kSettings.size()> all;
  std::ranges::transform(kSettings, all.begin(), [](const auto& each) { return each.first; });
  return Refuse(fmt::format(
      "{}: there is no such setting to try{}; it must be {}, the first four with a signal after "
      "a dot: {}",
      key, DidYouMean(key, std::vector<std::string_view>(keys.begin(), keys.end())),
      Alternatives(all), Alternatives(NamesOfSignals())));
}

// The kinds of values that can be counted through.
std::string PercentText(double percent) {
  std::string text = fmt::format("{:.4f}", percent);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text + "%";
}

std::optional<double> PercentOf(std::string_view text) {
  if (!text.ends_with('%')) return std::nullopt;
  const auto percent = ParseNumber<double>(text.substr(0, text.size() - 1));
  return percent && *percent >= 0 ? percent : std::nullopt;
}

// The end of the range as a double may be one more than fits.
std::int64_t WholeOf(double number) {
  constexpr double kMost = 9.2e18;
  return static_cast<std::int64_t>(std::clamp(number, -kMost, kMost));
}

// COUNT of them from the first to the last.
Result<std::vector<std::string>> Spaced(std::string_view from, std::string_view to,
                                        std::size_t count) {
  const auto spaced = [count](double first, double last, const auto& text_of) {
    std::vector<std::string> values;
    for (std::size_t i = 0; i < count; ++i) {
      const double share =
          count == 1 ? 0.0 : static_cast<double>(i) / static_cast<double>(count - 1);
      values.push_back(text_of(first + (last - first) * share));
    }
    return values;
  };
  const auto percent_from = PercentOf(from);
  const auto percent_to = PercentOf(to);
  if (percent_from && percent_to) return spaced(*percent_from, *percent_to, PercentText);
  const auto amount_from = Quantity::Parse(from);
  const auto amount_to = Quantity::Parse(to);
  if (amount_from && amount_to) {
    return spaced(static_cast<double>(amount_from->Value()),
                  static_cast<double>(amount_to->Value()), [&](double number) {
                    // In whole KiB where they are larger than that, so that they can be read.
                    constexpr std::int64_t kKib = 1024;
                    std::int64_t amount = WholeOf(number);
                    const bool is_binary = amount_from->format() == QuantityFormat::kBinarySI;
                    if (amount > kKib * kKib && is_binary) amount -= amount % kKib;
                    return Quantity::Of(amount, amount_from->format()).ToString();
                  });
  }
  const auto span_from = ParseDuration(from);
  const auto span_to = ParseDuration(to);
  if (span_from && span_to) {
    return spaced(static_cast<double>(span_from->count()), static_cast<double>(span_to->count()),
                  [](double span) {
                    return FormatDuration(
                        std::chrono::floor<std::chrono::milliseconds>(Duration(WholeOf(span))));
                  });
  }
  return Refuse(fmt::format(
      "{}..{}: both ends must be amounts (50Mi), percentages (5%) or durations (30s)", from, to));
}

Result<std::vector<std::string>> ValuesOf(std::string_view text) {
  std::vector<std::string> values;
  const std::size_t dots = text.find("..");
  if (dots != std::string_view::npos) {
    const std::size_t slash = text.find('/', dots);
    const std::string_view number = slash == std::string_view::npos ? "" : text.substr(slash + 1);
    const std::size_t count = ParseNumber<std::size_t>(number).value_or(0);
    if (count < 1 || count > kMostPolicies) {
      return Refuse(fmt::format(
          "{}: a range needs a number of values from 1 to {} after a slash: 50Mi..1Gi/16", text,
          kMostPolicies));
    }
    return Spaced(text.substr(0, dots), text.substr(dots + 2, slash - dots - 2), count);
  }
  while (true) {
    const std::size_t comma = text.find(',');
    if (text.substr(0, comma).empty()) return Refuse("a value is missing");
    values.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return values;
    text.remove_prefix(comma + 1);
  }
}

// The settings that the thresholds come from are changed and read as a configuration is.
Result<void> SetOfSignal(PassPolicy& policy, SignalSettings EvictionSettings::*map,
                         const std::string& key, const std::string& value) {
  EvictionSettings settings = SettingsOf(policy.thresholds);
  const std::string signal = key.substr(key.find('.') + 1);
  const bool is_reclaim = map == &EvictionSettings::minimum_reclaim;
  const bool has_place = map == &EvictionSettings::hard || settings.soft.contains(signal) ||
                         (is_reclaim && settings.hard.contains(signal));
  if (!has_place) {
    return Refuse(fmt::format("{}: the policy has no {}threshold on {}; give one with --policy",
                              key, is_reclaim ? "" : "soft ", signal));
  }
  (settings.*map)[signal] = value;
  ThresholdParsing parsing = ParseThresholds(settings);
  if (!parsing.faults.empty()) {
    return Refuse(fmt::format("{}={}: {}", key, value, parsing.faults.front().message));
  }
  // What the kubelet does not have is as before.
  const std::vector<Threshold> kubelets = KubeletThresholdsOf(policy.thresholds);
  std::ranges::copy_if(policy.thresholds, std::back_inserter(parsing.thresholds),
                       [](const Threshold& each) { return !RowOf(each.signal).of_kubelet; });
  if (!kubelets.empty()) {
    parsing.thresholds = WithKubeletLines(std::move(parsing.thresholds), kubelets);
  }
  policy.thresholds = ThresholdsFor(parsing.thresholds, policy.layout);
  return {};
}

Result<void> SetOfNode(PassPolicy& policy, const std::string& key, const std::string& value) {
  if (key == kTransition) {
    const auto span = ParseDuration(value);
    if (!span || *span <= Duration::zero()) {
      return Refuse(fmt::format(
          "{}={}: must be a duration of more than 0s (30s), at most 292 years; 0s means 5m", key,
          value));
    }
    policy.pressure_transition_period = *span;
    return {};
  }
  constexpr std::int64_t kMostSeconds = std::numeric_limits<std::int32_t>::max();
  const auto seconds = ParseNumber<std::int64_t>(value);
  if (!seconds || *seconds < 0 || *seconds > kMostSeconds) {
    return Refuse(fmt::format("{}={}: must be a whole number of seconds from 0 to {}", key, value,
                              kMostSeconds));
  }
  policy.max_pod_grace_period_seconds = *seconds;
  return {};
}

}  // namespace

std::vector<std::string> SweepKeys() {
  std::vector<std::string> keys;
  for (const auto& [setting, map] : kSettings) {
    if (map == nullptr) keys.emplace_back(setting);
    for (const std::string_view signal :
         map == nullptr ? std::vector<std::string_view>() : NamesOfSignals()) {
      keys.push_back(fmt::format("{}.{}", setting, signal));
    }
  }
  return keys;
}

Result<Sweep> ParseSweep(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    return Refuse(fmt::format("{}: a sweep is KEY=FROM..TO/COUNT or KEY=VALUE,VALUE", text));
  }
  Sweep sweep{.key = std::string(text.substr(0, equals)), .values = {}};
  if (const auto known = CheckKey(sweep.key); !known) return Fail(known.error());
  auto values = ValuesOf(text.substr(equals + 1));
  if (!values) return Fail(values.error().In(sweep.key));
  sweep.values = std::move(*values);
  return sweep;
}

Result<PassPolicy> WithSetting(PassPolicy policy, const std::string& key,
                               const std::string& value) {
  const auto* setting = std::ranges::find(kSettings, std::string_view(key).substr(0, key.find('.')),
                                          [](const auto& each) { return each.first; });
  const auto set = setting->second != nullptr ? SetOfSignal(policy, setting->second, key, value)
                                              : SetOfNode(policy, key, value);
  if (!set) return Fail(set.error());
  return policy;
}

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
                                    CommandFaults& faults) {
  if (path == "-") {
    faults.Add("-: a policy must be a file; only a recording is read from standard input");
    return std::nullopt;
  }
  const ConfigReading reading = ReadConfigFiles({.files = {path}});
  Tell(reading, faults);
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
  const std::vector<Sweep> sweeps = ReadSweeps(options.sweeps, faults);
  std::vector<TriedPolicy> bases;
  for (const std::string& path : options.policy_files) {
    auto read = ReadFile(path, bases.empty() ? &forms.model : nullptr, faults);
    if (read) bases.push_back(*std::move(read));
  }
  if (options.policy_files.empty() && !sweeps.empty()) bases.emplace_back();
  if (faults.status() != 0) bases.clear();  // what is too much is not made
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
    } else if (auto read = ReadFile(against, nullptr, faults)) {
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
