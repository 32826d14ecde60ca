#include "core/thresholds/own_thresholds.h"

#include <array>
#include <cstdint>
#include <utility>

#include "core/model/pressure.h"
#include "core/text/number.h"
#include "core/thresholds/go_float.h"

namespace jettison {
namespace {

std::optional<std::int32_t> Digits(std::string_view text, std::size_t most) {
  if (text.size() > most || text.starts_with('-')) return std::nullopt;
  return ParseNumber<std::int32_t>(text);
}

// Parses "20%" or "2.5%", in hundredths of a percent.
std::optional<std::int32_t> ShareOf(std::string_view text) {
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
  return *percent * 100 + *hundredths;
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

constexpr std::array kSwapSignals = {Signal::kSwapAvailable};

std::vector<Threshold> ReadThresholdsOn(const SignalMaps& own, const Fields& fields,
                                        Faults& warnings) {
  const auto map = [&](std::string_view key) {
    return fields.TextMap(key).value_or(SignalSettings{});
  };
  ThresholdParsing parsing = ParseThresholds(own, {.hard = map(own.hard),
                                                   .soft = map(own.soft),
                                                   .soft_grace_period = map(own.soft_grace_period),
                                                   .minimum_reclaim = {}});
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

constinit const SignalMaps kPressureSettings = {.of = "pressure",
                                                .kind = "pressure",
                                                .hard = "pressureHard",
                                                .soft = "pressureSoft",
                                                .soft_grace_period = "pressureSoftGracePeriod",
                                                .document = "JettisonConfiguration",
                                                .signals = kPressureSignals,
                                                .value_of = PressureValueOf};
constinit const SignalMaps kSwapSettings = {.of = "swap",
                                            .kind = "swap",
                                            .hard = "swapHard",
                                            .soft = "swapSoft",
                                            .soft_grace_period = "swapSoftGracePeriod",
                                            .document = "JettisonConfiguration",
                                            .signals = kSwapSignals,
                                            .value_of = SwapValueOf};

std::span<const SignalMaps* const> AllOwnSignals() {
  static constexpr std::array kAll = {&kPressureSettings, &kSwapSettings};
  return kAll;
}

std::vector<std::string_view> OwnSettingNames() {
  std::vector<std::string_view> names;
  for (const SignalMaps* own : AllOwnSignals()) {
    names.insert(names.end(), {own->hard, own->soft, own->soft_grace_period});
  }
  return names;
}

std::vector<Threshold> ReadOwnThresholds(const Fields& fields, Faults& warnings) {
  std::vector<Threshold> all;
  for (const SignalMaps* own : AllOwnSignals()) {
    const std::vector<Threshold> read = ReadThresholdsOn(*own, fields, warnings);
    all.insert(all.end(), read.begin(), read.end());
  }
  return all;
}

}  // namespace jettison
