#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "cli/simulate/simulate.h"
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
    if (!span || *span < Duration{0}) {
      return Refuse(fmt::format("{}={}: {}", key, value,
                                WhyNoDuration(value, "must be a duration, 0s or more (30s, 5m)")));
    }
    if (*span == Duration::zero()) {
      return Refuse(
          fmt::format("{}={}: must be more than 0s; a configuration with 0s has the default of 5m",
                      key, value));
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
  if (const auto known = CheckKey(key); !known) return Fail(known.error());
  const auto* setting = std::ranges::find(kSettings, std::string_view(key).substr(0, key.find('.')),
                                          [](const auto& each) { return each.first; });
  const auto set = setting->second != nullptr ? SetOfSignal(policy, setting->second, key, value)
                                              : SetOfNode(policy, key, value);
  if (!set) return Fail(set.error());
  return policy;
}

}  // namespace jettison
