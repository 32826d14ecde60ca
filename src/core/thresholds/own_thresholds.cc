#include "core/thresholds/own_thresholds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <map>
#include <utility>

#include "core/model/pressure.h"
#include "core/text/spelling.h"
#include "core/thresholds/go_float.h"
#include "core/units/duration.h"

namespace jettison {

namespace {

// One entry of one of the three maps.
struct OwnEntry {
  std::string_view field;
  std::string_view signal;
  std::string_view text;
};

Fault FaultOf(const OwnEntry& entry, std::string message) {
  return {"", fmt::format("{}[{}]", entry.field, entry.signal), std::string(entry.text),
          std::move(message)};
}

class OwnParser {
 public:
  OwnParser(const OwnSignals& own, const OwnSettings& settings) : own_(own), settings_(settings) {
    for (const Signal signal : own.signals) names_.push_back(NameOf(signal));
  }

  ThresholdParsing Parse() {
    ReadThresholds(own_.hard, settings_.hard);
    const std::size_t hard = result_.thresholds.size();
    ReadThresholds(own_.soft, settings_.soft);
    AddGracePeriods(hard);
    return std::move(result_);
  }

 private:
  void Refuse(const OwnEntry& entry, std::string message) {
    AddFault(result_.faults, FaultOf(entry, std::move(message)));
  }

  std::optional<Signal> SignalOf(const OwnEntry& entry) {
    const auto signal = SignalNamed(entry.signal);
    if (signal && std::ranges::find(own_.signals, *signal) != own_.signals.end()) return signal;
    if (signal && std::ranges::find(kKubeletSignals, *signal) != kKubeletSignals.end()) {
      Refuse(entry, fmt::format("is not a signal of {}; set it in evictionHard or evictionSoft of "
                                "KubeletConfiguration",
                                own_.kind));
    } else {
      Refuse(entry, fmt::format("no {} signal has this name{}; allowed: {}", own_.kind,
                                DidYouMean(entry.signal, names_), Alternatives(names_)));
    }
    return std::nullopt;
  }

  void ReadThresholds(std::string_view field, const SignalSettings& settings) {
    const auto first = static_cast<std::ptrdiff_t>(result_.thresholds.size());
    for (const auto& [name, text] : settings) {
      const OwnEntry entry{field, name, text};
      const auto signal = SignalOf(entry);
      auto value = own_.value_of(text);
      if (signal && !value) Refuse(entry, std::string(own_.value_rule));
      if (!signal || !value) continue;
      if (const std::string_view warning = own_.warning_of(*value); !warning.empty()) {
        result_.warnings.push_back(FaultOf(entry, std::string(warning)));
      }
      result_.thresholds.push_back(
          {.signal = *signal, .value = *std::move(value), .min_reclaim = {}});
    }
    std::ranges::sort(result_.thresholds.begin() + first, result_.thresholds.end(), {},
                      &Threshold::signal);
  }

  // The grace period of one entry. A wrong one is a fault, but does not count as missing.
  Duration GraceOf(const OwnEntry& entry) {
    const auto period = ParseDuration(entry.text);
    if (!period) {
      Refuse(entry, std::string(WhyNoDuration(entry.text, "must be a duration such as 1m30s")));
    } else if (*period <= Duration::zero()) {
      Refuse(entry, fmt::format("must be more than 0s; a threshold that acts at once belongs in {}",
                                own_.hard));
    } else {
      return *period;
    }
    return std::chrono::seconds(1);
  }

  void AddGracePeriods(std::size_t hard) {
    std::map<Signal, Duration> periods;
    for (const auto& [name, text] : settings_.soft_grace_period) {
      const OwnEntry entry{own_.soft_grace_period, name, text};
      const auto signal = SignalOf(entry);
      if (!signal) continue;
      periods[*signal] = GraceOf(entry);
      if (settings_.soft.contains(name)) continue;
      result_.warnings.push_back(FaultOf(
          entry, fmt::format("has no effect: {} has no threshold of this signal", own_.soft)));
    }
    for (std::size_t i = hard; i < result_.thresholds.size(); ++i) {
      Threshold& threshold = result_.thresholds[i];
      const auto period = periods.find(threshold.signal);
      if (period != periods.end()) {
        threshold.grace_period = period->second;
      } else {
        RefuseWithoutGracePeriod(threshold.signal);
      }
    }
  }

  void RefuseWithoutGracePeriod(Signal signal) {
    const std::string_view name = NameOf(signal);
    Refuse({own_.soft, name, settings_.soft.find(name)->second},
           fmt::format("a soft threshold needs a grace period; add {}: 1m30s to {}", name,
                       own_.soft_grace_period));
  }

  const OwnSignals& own_;
  const OwnSettings& settings_;
  std::vector<std::string_view> names_;
  ThresholdParsing result_;
};

std::vector<Threshold> ReadThresholdsOn(const OwnSignals& own, const Fields& fields,
                                        Faults& warnings) {
  const auto map = [&](std::string_view key) {
    return fields.TextMap(key).value_or(SignalSettings{});
  };
  ThresholdParsing parsing =
      ParseOwnThresholds(own, {.hard = map(own.hard),
                               .soft = map(own.soft),
                               .soft_grace_period = map(own.soft_grace_period)});
  for (Fault& fault : parsing.faults) {
    fields.Refuse(fault.key, std::move(fault.value), std::move(fault.message));
  }
  for (Fault& warning : parsing.warnings) {
    warning.file = fields.file();
    warnings.push_back(std::move(warning));
  }
  return std::move(parsing.thresholds);
}

}  // namespace

ThresholdParsing ParseOwnThresholds(const OwnSignals& own, const OwnSettings& settings) {
  return OwnParser(own, settings).Parse();
}

std::span<const OwnSignals* const> AllOwnSignals() {
  static constexpr std::array kAll = {&kPressureSettings, &kSwapSettings};
  return kAll;
}

const OwnSignals* OwnSignalsOf(Signal signal) {
  for (const OwnSignals* own : AllOwnSignals()) {
    if (std::ranges::find(own->signals, signal) != own->signals.end()) return own;
  }
  return nullptr;
}

std::vector<std::string_view> OwnSettingNames() {
  std::vector<std::string_view> names;
  for (const OwnSignals* own : AllOwnSignals()) {
    names.insert(names.end(), {own->hard, own->soft, own->soft_grace_period});
  }
  return names;
}

std::vector<Threshold> ReadOwnThresholds(const Fields& fields, Faults& warnings) {
  std::vector<Threshold> all;
  for (const OwnSignals* own : AllOwnSignals()) {
    const std::vector<Threshold> read = ReadThresholdsOn(*own, fields, warnings);
    all.insert(all.end(), read.begin(), read.end());
  }
  return all;
}

namespace {

std::optional<std::int32_t> Digits(std::string_view text, std::size_t most) {
  std::int32_t number = 0;
  if (text.empty() || text.size() > most || text.front() == '-') return std::nullopt;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

// Parses "20%" or "2.5%": the lost share of the time, more than 0% and at most 100%.
std::optional<ThresholdValue> PressureValueOf(std::string_view text) {
  constexpr std::size_t kDecimals = 2;
  if (!text.ends_with('%')) return std::nullopt;
  text.remove_suffix(1);
  const auto point = text.find('.');
  const auto percent = Digits(text.substr(0, point), 3);
  std::optional<std::int32_t> hundredths = 0;
  if (point != std::string_view::npos) {
    const std::string_view decimals = text.substr(point + 1);
    hundredths = Digits(decimals, kDecimals);
    if (hundredths && decimals.size() == 1) *hundredths *= 10;
  }
  if (!percent || !hundredths) return std::nullopt;
  const std::int32_t share = *percent * 100 + *hundredths;
  if (share <= 0 || share > kWholeTime) return std::nullopt;
  return LeftOf(share);
}

std::string_view PressureWarningOf(const ThresholdValue& value) {
  const bool all = LostOf(std::get<Quantity>(value)) == kWholeTime;
  return all ? "is never met: no average is above all of the time" : "";
}

}  // namespace

constinit const OwnSignals kPressureSettings = {
    .kind = "pressure",
    .hard = "pressureHard",
    .soft = "pressureSoft",
    .soft_grace_period = "pressureSoftGracePeriod",
    .signals = kPressureSignals,
    .value_of = PressureValueOf,
    .value_rule =
        "must be a percentage such as 20% or 2.5%, more than 0% and at most 100%, with two "
        "decimals at most",
    .warning_of = PressureWarningOf};

namespace {

constexpr std::array kSwapSignals = {Signal::kSwapAvailable};

// "512Mi", "10%". A percentage is read as the kubelet reads those of its own signals.
std::optional<ThresholdValue> SwapValueOf(std::string_view text) {
  if (text.ends_with('%')) {
    text.remove_suffix(1);
    const auto percent = ParseGoFloat32(text);
    if (!percent || !(*percent > 0 && *percent <= 100)) return std::nullopt;
    return Percentage{*percent / 100};
  }
  const auto amount = Quantity::Parse(text);
  if (!amount || amount->Sign() <= 0) return std::nullopt;
  return *amount;
}

std::string_view SwapWarningOf(const ThresholdValue& value) {
  const auto* percentage = std::get_if<Percentage>(&value);
  const bool all = percentage != nullptr && percentage->fraction == 1;
  return all ? "is met as soon as a single page is swapped out" : "";
}

}  // namespace

constinit const OwnSignals kSwapSettings = {
    .kind = "swap",
    .hard = "swapHard",
    .soft = "swapSoft",
    .soft_grace_period = "swapSoftGracePeriod",
    .signals = kSwapSignals,
    .value_of = SwapValueOf,
    .value_rule =
        "must be an amount such as 512Mi, more than zero, or a percentage of all swap such as 10%, "
        "more than 0% and at most 100%",
    .warning_of = SwapWarningOf};

}  // namespace jettison
