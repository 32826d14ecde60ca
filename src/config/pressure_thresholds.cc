#include "config/pressure_thresholds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "config/spelling.h"
#include "model/pressure.h"
#include "units/duration.h"

namespace jettison {
namespace {

constexpr std::string_view kHard = "pressureHard";
constexpr std::string_view kSoft = "pressureSoft";
constexpr std::string_view kGrace = "pressureSoftGracePeriod";
constexpr std::string_view kShareRule =
    "must be a percentage such as 20% or 2.5%, more than 0% and at most 100%, with two decimals at "
    "most";

const auto& SignalNames() {
  static const auto kNames = [] {
    std::array<std::string_view, kPressureSignalCount> names;
    std::ranges::transform(kPressureSignals, names.begin(), [](Signal s) { return NameOf(s); });
    return names;
  }();
  return kNames;
}

std::optional<std::int32_t> Digits(std::string_view text, std::size_t most) {
  std::int32_t number = 0;
  if (text.empty() || text.size() > most || text.front() == '-') return std::nullopt;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

// "20%", "2.5%" in hundredths of a percent, more than 0 and at most all of the time.
std::optional<std::int32_t> ShareIn(std::string_view text) {
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
  return share;
}

// One entry of one of the three maps.
struct Entry {
  std::string_view field;
  std::string_view signal;
  std::string_view text;
};

Fault FaultOf(const Entry& entry, std::string message) {
  return {"", fmt::format("{}[{}]", entry.field, entry.signal), std::string(entry.text),
          std::move(message)};
}

class Parser {
 public:
  explicit Parser(const PressureSettings& settings) : settings_(settings) {}

  ThresholdParsing Parse() {
    ReadThresholds(kHard, settings_.hard);
    const std::size_t hard = result_.thresholds.size();
    ReadThresholds(kSoft, settings_.soft);
    AddGracePeriods(hard);
    return std::move(result_);
  }

 private:
  void Refuse(const Entry& entry, std::string message) {
    result_.faults.push_back(FaultOf(entry, std::move(message)));
  }

  std::optional<Signal> SignalOf(const Entry& entry) {
    const auto signal = SignalNamed(entry.signal);
    if (signal && IsPressure(*signal)) return signal;
    if (signal) {
      Refuse(entry,
             "is no signal of pressure; set it in evictionHard or evictionSoft of "
             "KubeletConfiguration");
    } else {
      Refuse(entry,
             fmt::format("no pressure signal has this name{}; allowed: {}",
                         DidYouMean(entry.signal, SignalNames()), Alternatives(SignalNames())));
    }
    return std::nullopt;
  }

  void ReadThresholds(std::string_view field, const SignalSettings& settings) {
    const auto first = static_cast<std::ptrdiff_t>(result_.thresholds.size());
    for (const auto& [name, text] : settings) {
      const Entry entry{field, name, text};
      const auto signal = SignalOf(entry);
      const auto share = ShareIn(text);
      if (signal && !share) Refuse(entry, std::string(kShareRule));
      if (!signal || !share) continue;
      if (*share == kWholeTime) {
        result_.warnings.push_back(
            FaultOf(entry, "is never met: no average is above all of the time"));
      }
      result_.thresholds.push_back({.signal = *signal, .value = LeftOf(*share), .min_reclaim = {}});
    }
    std::ranges::sort(result_.thresholds.begin() + first, result_.thresholds.end(), {},
                      &Threshold::signal);
  }

  // The grace period of one entry; a wrong one is a fault and counts as given.
  Duration GraceOf(const Entry& entry) {
    const auto period = ParseDuration(entry.text);
    if (!period) {
      Refuse(entry, "must be a duration such as 1m30s");
    } else if (*period <= Duration::zero()) {
      Refuse(entry,
             "must be more than 0s; a threshold that acts at once belongs into pressureHard");
    } else {
      return *period;
    }
    return std::chrono::seconds(1);
  }

  void AddGracePeriods(std::size_t hard) {
    std::array<std::optional<Duration>, kPressureSignalCount> periods;
    for (const auto& [name, text] : settings_.soft_grace_period) {
      const Entry entry{kGrace, name, text};
      const auto signal = SignalOf(entry);
      if (!signal) continue;
      periods[PressureIndexOf(*signal)] = GraceOf(entry);
      if (settings_.soft.contains(name)) continue;
      result_.warnings.push_back(
          FaultOf(entry, "has no effect: pressureSoft has no threshold of this signal"));
    }
    for (std::size_t i = hard; i < result_.thresholds.size(); ++i) {
      Threshold& threshold = result_.thresholds[i];
      const auto& period = periods[PressureIndexOf(threshold.signal)];
      if (period) {
        threshold.grace_period = *period;
      } else {
        RefuseWithoutGracePeriod(threshold.signal);
      }
    }
  }

  void RefuseWithoutGracePeriod(Signal signal) {
    const std::string_view name = NameOf(signal);
    Refuse({kSoft, name, settings_.soft.find(name)->second},
           fmt::format("a soft threshold needs a grace period; add {}: 1m30s to {}", name, kGrace));
  }

  const PressureSettings& settings_;
  ThresholdParsing result_;
};

}  // namespace

ThresholdParsing ParsePressureThresholds(const PressureSettings& settings) {
  return Parser(settings).Parse();
}

std::vector<Threshold> ReadPressureThresholds(const Fields& fields, Faults& warnings) {
  const auto map = [&](std::string_view key) {
    return fields.TextMap(key).value_or(SignalSettings{});
  };
  ThresholdParsing parsing = ParsePressureThresholds(
      {.hard = map(kHard), .soft = map(kSoft), .soft_grace_period = map(kGrace)});
  for (Fault& fault : parsing.faults) {
    fields.Refuse(fault.key, std::move(fault.value), std::move(fault.message));
  }
  for (Fault& warning : parsing.warnings) {
    warning.file = fields.file();
    warnings.push_back(std::move(warning));
  }
  return std::move(parsing.thresholds);
}

}  // namespace jettison
