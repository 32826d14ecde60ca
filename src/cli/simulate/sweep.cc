#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "cli/simulate/candidates.h"
#include "core/text/number.h"
#include "core/text/spelling.h"
#include "core/thresholds/threshold_parsing.h"
#include "core/thresholds/threshold_settings.h"
#include "core/units/duration.h"
#include "core/units/quantity.h"

namespace jettison {
namespace {

constexpr std::string_view kHard = "evictionHard";
constexpr std::string_view kSoft = "evictionSoft";
constexpr std::string_view kGrace = "evictionSoftGracePeriod";
constexpr std::string_view kReclaim = "evictionMinimumReclaim";
constexpr std::string_view kTransition = "evictionPressureTransitionPeriod";
constexpr std::string_view kMaxGrace = "evictionMaxPodGracePeriod";

struct SettingName {
  std::string_view setting;
  std::optional<Signal> signal;
};

auto Refuse(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message));
}

constexpr std::array<std::string_view, 6> kAll = {kHard,    kSoft,       kGrace,
                                                  kReclaim, kTransition, kMaxGrace};

bool IsOfNode(std::string_view setting) {
  return setting == kTransition || setting == kMaxGrace;
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

Result<SettingName> Understood(std::string_view key) {
  const std::size_t dot = key.find('.');
  const std::string_view setting = key.substr(0, dot);
  if (std::ranges::find(kAll, setting) == kAll.end()) {
    return Refuse(fmt::format("{}: there is no such setting to try; it must be {}{}", key,
                              Alternatives(kAll), DidYouMean(setting, kAll)));
  }
  const bool of_node = IsOfNode(setting);
  if (of_node && dot == std::string_view::npos) return SettingName{setting, std::nullopt};
  if (of_node) return Refuse(fmt::format("{}: {} takes no signal", key, setting));
  const std::vector<std::string_view> names = NamesOfSignals();
  const std::string_view name = dot == std::string_view::npos ? "" : key.substr(dot + 1);
  const auto signal = SignalNamed(name);
  if (!signal || std::ranges::find(names, name) == names.end()) {
    return Refuse(fmt::format("{}: {} needs a signal after a dot: {}{}", key, setting,
                              Alternatives(names), DidYouMean(name, names)));
  }
  return SettingName{setting, signal};
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

// The nearest number that fits: the end of the range as a double may be one more.
std::int64_t WholeOf(double number) {
  constexpr double kBeyond = 9223372036854775808.0;
  if (number >= kBeyond) return std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::max(number, -kBeyond));
}

// To milliseconds, towards zero only where there is no room above.
Duration RoundedSpan(double nanoseconds) {
  constexpr auto kMost =
      std::chrono::floor<std::chrono::milliseconds>(Duration::max()) - std::chrono::milliseconds(1);
  const Duration span = std::clamp<Duration>(Duration(WholeOf(nanoseconds)), -kMost, kMost);
  return std::chrono::round<std::chrono::milliseconds>(span);
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
                  [](double span) { return FormatDuration(RoundedSpan(span)); });
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

// The threshold of that value as the kubelet understands it, or of that minimum reclaim, which may
// be zero, beside a value that nothing is wrong with.
Result<Threshold> ThresholdFor(Signal signal, bool is_reclaim, const std::string& key,
                               const std::string& value) {
  const std::string name(NameOf(signal));
  ThresholdParsing parsing =
      is_reclaim ? ParseThresholds({.hard = {{name, "1"}}, .minimum_reclaim = {{name, value}}})
                 : ParseThresholds({.hard = {{name, value}}});
  if (!parsing.faults.empty()) {
    return Refuse(fmt::format("{}={}: {}", key, value, parsing.faults.front().message));
  }
  if (parsing.thresholds.empty()) {
    return Refuse(fmt::format("{}={}: 0% and 100% would remove the threshold", key, value));
  }
  return parsing.thresholds.front();
}

Result<Duration> SpanFor(const std::string& key, const std::string& value) {
  const auto span = ParseDuration(value);
  if (span && *span >= Duration{0}) return *span;
  return Refuse(fmt::format("{}={}: {}", key, value,
                            WhyNoDuration(value, "must be a duration, 0s or more (30s, 5m)")));
}

// The copy for the pods together is found as what it is a copy of.
Threshold* FindThreshold(PassPolicy& policy, Signal signal, bool hard) {
  const auto copy = CopyForPods(policy.thresholds);
  for (std::size_t i = 0; i < policy.thresholds.size(); ++i) {
    Threshold& threshold = policy.thresholds[i];
    if (i != copy && threshold.signal == signal && threshold.IsHard() == hard) return &threshold;
  }
  return nullptr;
}

Result<void> SetLine(PassPolicy& policy, const SettingName& name, const std::string& key,
                     const std::string& value) {
  const auto line = ThresholdFor(*name.signal, false, key, value);
  if (!line) return Fail(line.error());
  const bool hard = name.setting == kHard;
  const auto copy = CopyForPods(policy.thresholds);
  if (Threshold* threshold = FindThreshold(policy, *name.signal, hard)) {
    threshold->value = line->value;
  } else if (hard) {
    policy.thresholds.push_back({.signal = *name.signal, .value = line->value});
  } else {
    return Refuse(
        fmt::format("{}: the policy has no soft threshold on {}, so its grace period is "
                    "not known; give one with --policy",
                    key, NameOf(*name.signal)));
  }
  if (copy && hard && *name.signal == Signal::kMemoryAvailable) {
    policy.thresholds[*copy].value = line->value;
  }
  return {};
}

Result<void> SetGrace(PassPolicy& policy, Signal signal, const std::string& key,
                      const std::string& value) {
  const auto span = SpanFor(key, value);
  if (!span) return Fail(span.error());
  Threshold* threshold = FindThreshold(policy, signal, false);
  if (threshold == nullptr) {
    return Refuse(fmt::format("{}: the policy has no soft threshold on {}", key, NameOf(signal)));
  }
  threshold->grace_period = *span;
  return {};
}

Result<void> SetReclaim(PassPolicy& policy, Signal signal, const std::string& key,
                        const std::string& value) {
  const auto parsed = ThresholdFor(signal, true, key, value);
  if (!parsed) return Fail(parsed.error());
  const auto copy = CopyForPods(policy.thresholds);
  bool any = false;
  for (std::size_t i = 0; i < policy.thresholds.size(); ++i) {
    Threshold& threshold = policy.thresholds[i];
    const Signal of = i == copy ? Signal::kMemoryAvailable : threshold.signal;
    if (of != signal) continue;
    threshold.min_reclaim = parsed->min_reclaim;
    any = true;
  }
  if (any) return {};
  return Refuse(fmt::format("{}: the policy has no threshold on {}", key, NameOf(signal)));
}

Result<void> SetOfNode(PassPolicy& policy, std::string_view setting, const std::string& key,
                       const std::string& value) {
  if (setting == kTransition) {
    const auto span = SpanFor(key, value);
    if (!span) return Fail(span.error());
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
  for (const std::string_view setting : kAll) {
    if (IsOfNode(setting)) {
      keys.emplace_back(setting);
      continue;
    }
    for (const std::string_view signal : NamesOfSignals()) {
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
  const auto name = Understood(sweep.key);
  if (!name) return Fail(name.error());
  auto values = ValuesOf(text.substr(equals + 1));
  if (!values) return Fail(values.error().In(sweep.key));
  sweep.values = std::move(*values);
  return sweep;
}

Result<PassPolicy> WithSetting(PassPolicy policy, const std::string& key,
                               const std::string& value) {
  const auto name = Understood(key);
  if (!name) return Fail(name.error());
  Result<void> set;
  if (!name->signal) {
    set = SetOfNode(policy, name->setting, key, value);
  } else if (name->setting == kGrace) {
    set = SetGrace(policy, *name->signal, key, value);
  } else if (name->setting == kReclaim) {
    set = SetReclaim(policy, *name->signal, key, value);
  } else {
    set = SetLine(policy, *name, key, value);
  }
  if (!set) return Fail(set.error());
  // On a containerfs they follow from the ones that were set.
  policy.thresholds = ThresholdsFor(policy.thresholds, policy.layout);
  return policy;
}

}  // namespace jettison
