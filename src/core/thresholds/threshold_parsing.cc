#include "core/thresholds/threshold_parsing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "core/text/spelling.h"
#include "core/thresholds/go_float.h"
#include "core/thresholds/own_thresholds.h"
#include "core/thresholds/threshold_settings.h"
#include "core/units/duration.h"
#include "core/units/quantity.h"

namespace jettison {
namespace {

constexpr std::string_view kAmountRule =
    "must be an amount such as 100Mi or a percentage such as 10%";

const auto& SignalNames() {
  static const auto kNames = [] {
    std::array<std::string_view, kKubeletSignals.size()> names;
    std::ranges::transform(kKubeletSignals, names.begin(), [](Signal s) { return NameOf(s); });
    return names;
  }();
  return kNames;
}

bool HasThreshold(const std::vector<Threshold>& thresholds, Signal signal) {
  return std::ranges::find(thresholds, signal, &Threshold::signal) != thresholds.end();
}

// One entry of one of the four maps, being read.
struct Entry {
  std::string_view field;  // "evictionHard"
  const std::string& signal_name;
  const std::string& text;
};

class Parser {
 public:
  explicit Parser(const EvictionSettings& settings) : settings_(settings) {}

  ThresholdParsing Parse() {
    std::vector<Threshold> hard = ParseStatements("evictionHard", settings_.hard);
    std::vector<Threshold> soft = ParseStatements("evictionSoft", settings_.soft);
    AddGracePeriods(soft);
    result_.thresholds = std::move(hard);
    result_.thresholds.insert(result_.thresholds.end(), soft.begin(), soft.end());
    AddMinimumReclaims();
    if (settings_.enforce_pods) result_.thresholds = WithCopyForPods(std::move(result_.thresholds));
    return std::move(result_);
  }

 private:
  void Refuse(const Entry& entry, std::string message) {
    AddFault(result_.faults, {"", fmt::format("{}[{}]", entry.field, entry.signal_name), entry.text,
                              std::move(message)});
  }
  void Warn(const Entry& entry, std::string message) {
    AddFault(result_.warnings, {"", fmt::format("{}[{}]", entry.field, entry.signal_name),
                                entry.text, std::move(message)});
  }

  std::optional<Signal> SignalOf(const Entry& entry) {
    const auto signal = SignalNamed(entry.signal_name);
    if (const OwnSignals* own = signal ? OwnSignalsOf(*signal) : nullptr) {
      Refuse(
          entry,
          fmt::format("is not a signal of the kubelet; set it in {} or {} of JettisonConfiguration",
                      own->hard, own->soft));
      return std::nullopt;
    }
    if (!signal) {
      Refuse(entry, fmt::format("no eviction signal has this name{}; allowed: {}",
                                DidYouMean(entry.signal_name, SignalNames()),
                                Alternatives(SignalNames())));
    }
    return signal;
  }

  // "10%", "1e1%", "0x1p3%": the kubelet strips every trailing % and reads a 32-bit float.
  std::optional<Percentage> ParsePercentage(const Entry& entry) {
    const std::size_t last = entry.text.find_last_not_of('%');
    const auto number = ParseGoFloat32(
        std::string_view(entry.text).substr(0, last == std::string::npos ? 0 : last + 1));
    if (!number) {
      Refuse(entry, std::string(kAmountRule));
      return std::nullopt;
    }
    if (!std::isfinite(*number)) {
      Warn(entry,
           "is not a finite share of the capacity; the kubelet accepts it, but it has no meaning");
    }
    return Percentage{*number / 100};
  }

  std::optional<Quantity> ParseAmount(const Entry& entry) {
    auto amount = Quantity::Parse(entry.text);
    if (!amount) {
      Refuse(entry, std::string(kAmountRule));
      return std::nullopt;
    }
    if (std::string why = WhyThousandths(entry.text); !why.empty()) Warn(entry, std::move(why));
    return *std::move(amount);
  }

  std::optional<ThresholdValue> ThresholdValueOf(const Entry& entry) {
    if (entry.text.ends_with('%')) {
      const auto percentage = ParsePercentage(entry);
      if (!percentage) return std::nullopt;
      if (percentage->fraction < 0 || percentage->fraction > 1) {
        Refuse(entry, "must be at least 0% and at most 100%");
        return std::nullopt;
      }
      return *percentage;
    }
    auto amount = ParseAmount(entry);
    if (!amount) return std::nullopt;
    if (amount->Sign() <= 0) {
      Refuse(entry, "must be more than zero; write 0% to switch the threshold off");
      return std::nullopt;
    }
    return *std::move(amount);
  }

  std::optional<ThresholdValue> MinimumReclaimOf(const Entry& entry) {
    if (entry.text.ends_with('%')) {
      const auto percentage = ParsePercentage(entry);
      if (!percentage) return std::nullopt;
      if (percentage->fraction <= 0) {
        Refuse(entry, "must be more than 0%; leave the entry out for no minimum");
        return std::nullopt;
      }
      return *percentage;
    }
    auto amount = ParseAmount(entry);
    if (!amount) return std::nullopt;
    if (amount->Sign() < 0) {
      Refuse(entry, "must not be negative");
      return std::nullopt;
    }
    return *std::move(amount);
  }

  std::vector<Threshold> ParseStatements(std::string_view field, const SignalSettings& settings) {
    std::vector<Threshold> thresholds;
    for (const auto& [name, text] : settings) {
      const Entry entry{field, name, text};
      const auto signal = SignalOf(entry);
      if (!signal || text == "0%" || text == "100%") continue;
      auto value = ThresholdValueOf(entry);
      if (!value) continue;
      thresholds.push_back({.signal = *signal, .value = *std::move(value), .min_reclaim = {}});
    }
    std::ranges::sort(thresholds, {}, &Threshold::signal);
    return thresholds;
  }

  void AddGracePeriods(std::vector<Threshold>& soft) {
    std::array<std::optional<Duration>, kSignalCount> periods;
    for (const auto& [name, text] : settings_.soft_grace_period) {
      const Entry entry{"evictionSoftGracePeriod", name, text};
      const auto signal = SignalOf(entry);
      if (!signal) continue;
      const auto period = ParseDuration(text);
      if (!period) {
        Refuse(entry, std::string(WhyNoDuration(text, "must be a duration such as 1m30s")));
      } else if (*period < Duration::zero()) {
        Refuse(entry, "must not be negative");
      }
      // A wrong period is one fault, so it does not also count as missing.
      periods[IndexOf(*signal)] = period.value_or(Duration::zero());
      if (!HasThreshold(soft, *signal)) {
        Warn(entry, "has no effect: evictionSoft has no threshold of this signal");
      }
    }
    for (Threshold& threshold : soft) {
      const auto& period = periods[IndexOf(threshold.signal)];
      threshold.grace_period = period.value_or(Duration::zero());
      if (!period) RefuseWithoutGracePeriod(threshold.signal);
    }
  }

  void RefuseWithoutGracePeriod(Signal signal) {
    const std::string name(NameOf(signal));
    Refuse({"evictionSoft", name, settings_.soft.at(name)},
           fmt::format("a soft threshold needs a grace period; add {}: 1m30s to "
                       "evictionSoftGracePeriod",
                       name));
  }

  void AddMinimumReclaims() {
    for (const auto& [name, text] : settings_.minimum_reclaim) {
      const Entry entry{"evictionMinimumReclaim", name, text};
      const auto signal = SignalOf(entry);
      if (!signal) continue;
      const auto amount = MinimumReclaimOf(entry);
      if (!amount) continue;
      if (!HasThreshold(result_.thresholds, *signal)) {
        Warn(entry, "has no effect: there is no threshold of this signal");
      }
      for (Threshold& threshold : result_.thresholds) {
        if (threshold.signal == *signal) threshold.min_reclaim = amount;
      }
    }
  }

  const EvictionSettings& settings_;
  ThresholdParsing result_;
};

}  // namespace

const SignalSettings& DefaultEvictionHard() {
  static const SignalSettings kDefault = {{"memory.available", "100Mi"},
                                          {"nodefs.available", "10%"},
                                          {"nodefs.inodesFree", "5%"},
                                          {"imagefs.available", "15%"},
                                          {"imagefs.inodesFree", "5%"}};
  return kDefault;
}

ThresholdParsing ParseThresholds(const EvictionSettings& settings) {
  return Parser(settings).Parse();
}

}  // namespace jettison
