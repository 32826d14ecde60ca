#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "core/model/pressure.h"
#include "core/text/number.h"
#include "core/text/spelling.h"
#include "core/thresholds/fields.h"
#include "core/thresholds/threshold_settings.h"
#include "core/units/duration.h"
#include "core/units/quantity.h"

namespace jettison {

// One entry of one of the maps, and where its faults and warnings go.
struct SettingEntry {
  std::string_view field;  // "evictionHard"
  std::string_view signal;
  std::string_view text;
  ThresholdParsing& parsing;

  void Refuse(std::string message) const { Add(parsing.faults, std::move(message)); }
  void Warn(std::string message) const { Add(parsing.warnings, std::move(message)); }

  void Add(Faults& faults, std::string message) const {
    AddFault(faults,
             {"", fmt::format("{}[{}]", field, signal), std::string(text), std::move(message)});
  }
};

namespace {

// Whether each underscore stands between two digits, or between the prefix 0x and a digit, as in
// Go's literals.
bool UnderscoresStandRight(std::string_view text, bool hex) {
  const auto is_digit = [&](std::size_t at) {
    return at < text.size() && (IsDigit(text[at]) || (hex && text[at] >= 'a' && text[at] <= 'f'));
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '_') continue;
    const bool is_behind = at > 0 && (is_digit(at - 1) || (hex && at == 2));
    if (!is_behind || !is_digit(at + 1)) return false;
  }
  return true;
}

// Whether Go reads the text as a number, which strtof does. Besides, strtof takes blanks before a
// number, and hexadecimal digits without an exponent.
bool IsGoNumber(std::string_view text) {
  const bool hex = text.starts_with("0x");
  const std::string_view allowed = hex ? "0123456789abcdefxp.+-_" : "0123456789e.+-_";
  return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos &&
         (!hex || text.find('p') != std::string_view::npos) && UnderscoresStandRight(text, hex);
}

// An amount, or a percentage: "10%", "1e1%", "0x1p3%". Of a percentage the kubelet strips every
// trailing % and reads a 32-bit float.
std::optional<ThresholdValue> ValueIn(const SettingEntry& entry) {
  if (!entry.text.ends_with('%')) {
    if (auto amount = Quantity::Parse(entry.text)) {
      if (std::string why = WhyThousandths(entry.text); !why.empty()) entry.Warn(std::move(why));
      return *std::move(amount);
    }
  } else if (const auto number =
                 ParseGoFloat32(entry.text.substr(0, entry.text.find_last_not_of('%') + 1))) {
    if (!std::isfinite(*number)) {
      entry.Warn(
          "is not a finite share of the capacity; the kubelet accepts it, but it has no meaning");
    }
    return Percentage{*number / 100};
  }
  entry.Refuse("must be an amount such as 100Mi or a percentage such as 10%");
  return std::nullopt;
}

std::optional<ThresholdValue> KubeletValueOf(const SettingEntry& entry) {
  if (entry.text == "0%" || entry.text == "100%") return std::nullopt;
  auto value = ValueIn(entry);
  if (!value) return std::nullopt;
  if (const auto* share = std::get_if<Percentage>(&*value)) {
    if (!(share->fraction < 0 || share->fraction > 1)) return value;
    entry.Refuse("must be at least 0% and at most 100%");
  } else {
    if (std::get<Quantity>(*value).Sign() > 0) return value;
    entry.Refuse("must be more than zero; write 0% to switch the threshold off");
  }
  return std::nullopt;
}

std::optional<ThresholdValue> MinimumReclaimOf(const SettingEntry& entry) {
  auto value = ValueIn(entry);
  if (!value) return std::nullopt;
  if (const auto* share = std::get_if<Percentage>(&*value)) {
    if (!(share->fraction <= 0)) return value;
    entry.Refuse("must be more than 0%; leave the entry out for no minimum");
  } else {
    if (std::get<Quantity>(*value).Sign() >= 0) return value;
    entry.Refuse("must not be negative");
  }
  return std::nullopt;
}

// Parses "20%" or "2.5%", in hundredths of a percent.
std::optional<std::int32_t> ShareOf(std::string_view text) {
  if (text.find_first_not_of("0123456789.") != text.size() - 1 || !text.ends_with('%') ||
      text.starts_with('.') || text.ends_with(".%")) {
    return std::nullopt;
  }
  const auto percent = ParseNumber<double>(text.substr(0, text.size() - 1));
  if (!percent || *percent > 100) return std::nullopt;
  const double hundredths = std::round(*percent * 100);
  return hundredths / 100 == *percent ? std::optional(static_cast<std::int32_t>(hundredths))
                                      : std::nullopt;
}

// The share is what is lost of the time.
std::optional<ThresholdValue> PressureValueOf(const SettingEntry& entry) {
  const auto share = ShareOf(entry.text);
  if (!share || *share <= 0 || *share > kWholeTime) {
    entry.Refuse(
        "must be a percentage such as 20% or 2.5%, more than 0% and at most 100%, with two "
        "decimals at most");
    return std::nullopt;
  }
  if (*share == kWholeTime) entry.Warn("is never met: no average is above all of the time");
  return LeftOf(*share);
}

// "512Mi", "10%". A percentage is read as the kubelet reads those of its own signals.
std::optional<ThresholdValue> SwapValueOf(const SettingEntry& entry) {
  if (entry.text.ends_with('%')) {
    const auto percent = ParseGoFloat32(entry.text.substr(0, entry.text.size() - 1));
    if (percent && *percent > 0 && *percent <= 100) {
      const Percentage share{*percent / 100};
      if (share.fraction == 1) entry.Warn("is met as soon as a single page is swapped out");
      return share;
    }
  } else if (auto amount = Quantity::Parse(entry.text); amount && amount->Sign() > 0) {
    return *std::move(amount);
  }
  entry.Refuse(
      "must be an amount such as 512Mi, more than zero, or a percentage of all swap such as 10%, "
      "more than 0% and at most 100%");
  return std::nullopt;
}

constexpr auto kSignalMaps = std::to_array<SignalMaps>({
    {.of = "the kubelet",
     .kind = "eviction",
     .hard = "evictionHard",
     .soft = "evictionSoft",
     .soft_grace_period = "evictionSoftGracePeriod",
     .document = "KubeletConfiguration",
     .signals = kKubeletSignals,
     .value_of = KubeletValueOf,
     .zero_grace = true},
    {.of = "pressure",
     .kind = "pressure",
     .hard = "pressureHard",
     .soft = "pressureSoft",
     .soft_grace_period = "pressureSoftGracePeriod",
     .document = "JettisonConfiguration",
     .signals = kPressureSignals,
     .value_of = PressureValueOf},
    {.of = "swap",
     .kind = "swap",
     .hard = "swapHard",
     .soft = "swapSoft",
     .soft_grace_period = "swapSoftGracePeriod",
     .document = "JettisonConfiguration",
     .signals = kSwapSignals,
     .value_of = SwapValueOf},
});

bool HasThreshold(const std::vector<Threshold>& thresholds, Signal signal) {
  return std::ranges::find(thresholds, signal, &Threshold::signal) != thresholds.end();
}

bool Has(const SignalMaps& maps, Signal signal) {
  return std::ranges::find(maps.signals, signal) != maps.signals.end();
}

class Parser {
 public:
  Parser(const SignalMaps& maps, const EvictionSettings& settings)
      : maps_(maps), settings_(settings) {
    for (const Signal signal : maps.signals) names_.push_back(NameOf(signal));
  }

  ThresholdParsing Parse() {
    std::vector<Threshold> hard = ReadMap(maps_.hard, settings_.hard);
    std::vector<Threshold> soft = ReadMap(maps_.soft, settings_.soft);
    AddGracePeriods(soft);
    result_.thresholds = std::move(hard);
    result_.thresholds.insert(result_.thresholds.end(), soft.begin(), soft.end());
    AddMinimumReclaims();
    if (settings_.enforce_pods) result_.thresholds = WithCopyForPods(std::move(result_.thresholds));
    return std::move(result_);
  }

 private:
  std::optional<Signal> SignalOf(const SettingEntry& entry) {
    const auto signal = EnumeratorNamed<Signal>(entry.signal);
    if (!signal) {
      entry.Refuse(fmt::format("no {} signal has this name{}; allowed: {}", maps_.kind,
                               DidYouMean(entry.signal, names_), Alternatives(names_)));
      return std::nullopt;
    }
    if (Has(maps_, *signal)) return signal;
    const SignalMaps& others = *std::ranges::find_if(
        kSignalMaps, [&](const SignalMaps& maps) { return Has(maps, *signal); });
    entry.Refuse(fmt::format("is not a signal of {}; set it in {} or {} of {}", maps_.of,
                             others.hard, others.soft, others.document));
    return std::nullopt;
  }

  std::vector<Threshold> ReadMap(std::string_view field, const SignalSettings& settings) {
    std::vector<Threshold> thresholds;
    for (const auto& [name, text] : settings) {
      const SettingEntry entry{field, name, text, result_};
      const auto signal = SignalOf(entry);
      if (!signal) continue;
      auto value = maps_.value_of(entry);
      if (!value) continue;
      thresholds.push_back({.signal = *signal, .value = *std::move(value), .min_reclaim = {}});
    }
    std::ranges::sort(thresholds, {}, &Threshold::signal);
    return thresholds;
  }

  // A wrong period is one fault, so it does not also count as missing.
  Duration GraceOf(const SettingEntry& entry) {
    const auto period = ParseDuration(entry.text);
    if (!period) {
      entry.Refuse("must be a duration such as 1m30s, at most 292 years");
    } else if (maps_.zero_grace && *period < Duration::zero()) {
      entry.Refuse("must not be negative");
    } else if (!maps_.zero_grace && *period <= Duration::zero()) {
      entry.Refuse(fmt::format("must be more than 0s; a threshold that acts at once belongs in {}",
                               maps_.hard));
    } else {
      return *period;
    }
    return maps_.zero_grace ? Duration::zero() : std::chrono::seconds(1);
  }

  void AddGracePeriods(std::vector<Threshold>& soft) {
    std::array<std::optional<Duration>, kSignalCount> periods;
    for (const auto& [name, text] : settings_.soft_grace_period) {
      const SettingEntry entry{maps_.soft_grace_period, name, text, result_};
      const auto signal = SignalOf(entry);
      if (!signal) continue;
      periods[IndexOf(*signal)] = GraceOf(entry);
      if (HasThreshold(soft, *signal)) continue;
      entry.Warn(fmt::format("has no effect: {} has no threshold of this signal", maps_.soft));
    }
    for (Threshold& threshold : soft) {
      const auto& period = periods[IndexOf(threshold.signal)];
      threshold.grace_period = period.value_or(Duration::zero());
      if (!period) RefuseWithoutGracePeriod(threshold.signal);
    }
  }

  void RefuseWithoutGracePeriod(Signal signal) {
    const std::string_view name = NameOf(signal);
    SettingEntry{maps_.soft, name, settings_.soft.find(name)->second, result_}.Refuse(
        fmt::format("a soft threshold needs a grace period; add {}: 1m30s to {}", name,
                    maps_.soft_grace_period));
  }

  void AddMinimumReclaims() {
    for (const auto& [name, text] : settings_.minimum_reclaim) {
      const SettingEntry entry{"evictionMinimumReclaim", name, text, result_};
      const auto signal = SignalOf(entry);
      if (!signal) continue;
      const auto amount = MinimumReclaimOf(entry);
      if (!amount) continue;
      if (!HasThreshold(result_.thresholds, *signal)) {
        entry.Warn("has no effect: there is no threshold of this signal");
      }
      for (Threshold& threshold : result_.thresholds) {
        if (threshold.signal == *signal) threshold.min_reclaim = amount;
      }
    }
  }

  const SignalMaps& maps_;
  const EvictionSettings& settings_;
  std::vector<std::string_view> names_;
  ThresholdParsing result_;
};

}  // namespace

const SignalSettings& DefaultEvictionHard() {
  static const SignalSettings kDefault = [] {
    SignalSettings settings;
    for (const SignalRow& row : kSignalRows) {
      if (!row.default_hard.empty()) settings.emplace(row.name, row.default_hard);
    }
    return settings;
  }();
  return kDefault;
}

EvictionSettings SettingsIn(const Fields& fields, const SignalMaps& maps) {
  const auto map = [&](std::string_view key) {
    return fields.TextMap(key).value_or(SignalSettings{});
  };
  return {.hard = map(maps.hard),
          .soft = map(maps.soft),
          .soft_grace_period = map(maps.soft_grace_period),
          .minimum_reclaim = {}};
}

const SignalMaps& KubeletSignalMaps() {
  return kSignalMaps.front();
}

std::span<const SignalMaps> OwnSignalMaps() {
  return std::span(kSignalMaps).subspan(1);
}

ThresholdParsing ParseThresholds(const EvictionSettings& settings, const SignalMaps& maps) {
  return Parser(maps, settings).Parse();
}

std::vector<std::string_view> OwnSettingNames() {
  std::vector<std::string_view> names;
  for (const SignalMaps& own : OwnSignalMaps()) {
    names.insert(names.end(), {own.hard, own.soft, own.soft_grace_period});
  }
  return names;
}

std::vector<Threshold> ReadOwnThresholds(const Fields& fields, Faults& warnings) {
  std::vector<Threshold> all;
  for (const SignalMaps& own : OwnSignalMaps()) {
    ThresholdParsing parsing = ParseThresholds(SettingsIn(fields, own), own);
    for (Fault& fault : parsing.faults) {
      fields.Refuse(fault.key, std::move(fault.value), std::move(fault.message));
    }
    AddFaults(warnings, std::move(parsing.warnings), fields.file());
    all.insert(all.end(), parsing.thresholds.begin(), parsing.thresholds.end());
  }
  return all;
}

std::optional<float> ParseGoFloat32(std::string_view text) {
  std::string number(text);
  std::ranges::transform(number, number.begin(), Lower);
  const bool has_sign = number.starts_with('-') || number.starts_with('+');
  const std::string magnitude = number.substr(has_sign ? 1 : 0);
  const bool is_word = magnitude == "inf" || magnitude == "infinity" || number == "nan";
  if (!is_word && !IsGoNumber(magnitude)) return std::nullopt;
  std::erase(number, '_');
  char* end = nullptr;
  const float value = std::strtof(number.c_str(), &end);
  const bool is_whole = end == number.c_str() + number.size();
  if (!is_whole || (std::isinf(value) && !is_word)) return std::nullopt;
  return value;
}

}  // namespace jettison
