#include "sim/report/report_words.h"

#include <fmt/format.h>

#include <chrono>

#include "core/explanation/explanation_text.h"

namespace jettison {
namespace {

constexpr Duration kDay = std::chrono::hours(24);

// A moment as text, without its date if it is on the day of `beside`.
std::string MomentText(Instant at, std::optional<Instant> beside) {
  const auto tenths = std::chrono::floor<std::chrono::duration<std::int64_t, std::deci>>(at);
  const std::string text = FormatInstant(tenths);
  const bool same = beside && at.time_since_epoch() / kDay == beside->time_since_epoch() / kDay;
  std::string shown = text.substr(0, text.size() - 1);
  if (shown.find('.') == std::string::npos) shown += ".0";
  shown[10] = ' ';
  return same ? shown.substr(11) : shown;
}

}  // namespace

std::string WhenText(const TimeBounds& when) {
  if (when.earliest == when.latest) return MomentText(when.at, std::nullopt);
  return fmt::format("{} ({} to {})", MomentText(when.at, std::nullopt),
                     MomentText(when.earliest, when.at), MomentText(when.latest, when.at));
}

std::string ShownAmount(Signal signal, std::int64_t amount) {
  const std::string rough = RoughText(signal, amount);
  return rough.empty() ? AmountText(signal, amount) : rough;
}

namespace {

// Exact where amounts that are rounded to a tenth of a unit could look equal.
std::string ShownBelow(Signal signal, std::int64_t amount, std::int64_t line) {
  const auto most = static_cast<double>(line);
  double unit = 1024;
  while (most / unit >= 1024) unit *= 1024;
  const bool is_far = most - static_cast<double>(amount) > unit / 10;
  return is_far ? ShownAmount(signal, amount) : AmountText(signal, amount);
}

}  // namespace

std::string ReasonText(const SimulatedEviction& eviction) {
  if (eviction.limit) {
    constexpr const char* kLimits[] = {"limit of an emptyDir", "limit of its ephemeral storage",
                                       "limit of a container's ephemeral storage"};
    return kLimits[static_cast<std::size_t>(*eviction.limit)];
  }
  const Signal signal = eviction.signal;
  const char* soft = eviction.soft ? ", soft" : "";
  if (eviction.available >= eviction.line) {
    return fmt::format("{} {}, threshold of {} held by minimum reclaim{}", NameOf(signal),
                       ShownAmount(signal, eviction.available), ShownAmount(signal, eviction.line),
                       soft);
  }
  return fmt::format("{} {} < {}{}", NameOf(signal),
                     ShownBelow(signal, eviction.available, eviction.line),
                     ShownAmount(signal, eviction.line), soft);
}

std::string PercentText(const std::optional<double>& share) {
  return share ? fmt::format("{:.1f}%", *share * 100) : "-";
}

std::string LengthText(Duration span) {
  const double seconds = std::chrono::duration<double>(span).count();
  if (seconds < 120) return fmt::format("{:.1f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.1f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string CountText(std::size_t count, std::string_view one) {
  const std::string_view plural = one.ends_with('s') ? "es" : "s";
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : plural);
}

std::string CalibrationText(const Calibration& calibration) {
  std::string out = "\nCALIBRATION  the policy that was in force, found from samples";
  if (calibration.every > Duration{0}) {
    out += fmt::format(" {} apart", LengthText(calibration.every));
  }
  out += " alone\n";
  if (calibration.truths == 0 && calibration.said == 0) {
    return out +
           "  No pod was evicted, and none was foretold: how far evictions can be foretold from\n"
           "  these recordings is not known.\n";
  }
  const std::size_t known = calibration.said - calibration.unknown;
  out += fmt::format("  {} of {} {} found ({}), {} of {} that {} right ({}).\n", calibration.found,
                     CountText(calibration.truths, "eviction"),
                     calibration.truths == 1 ? "was" : "were", PercentText(calibration.Recall()),
                     calibration.found, known, known == 1 ? "was foretold is" : "were foretold are",
                     PercentText(calibration.Precision()));
  if (calibration.unknown > 0) {
    out += fmt::format("  {} more {} not known: the bounds are wider than a minute.\n",
                       CountText(calibration.unknown, "eviction"),
                       calibration.unknown == 1 ? "is" : "are");
  }
  if (calibration.errors.empty()) return out;
  return out + fmt::format(
                   "  {} of {} {} within the stated bounds ({}); off by {} in the median, "
                   "{} at most.\n",
                   calibration.inside, CountText(calibration.found, "true time"),
                   calibration.found == 1 ? "lies" : "lie", PercentText(calibration.Coverage()),
                   LengthText(*calibration.MedianError()), LengthText(*calibration.WorstError()));
}

}  // namespace jettison
