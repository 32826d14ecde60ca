#include "runtimes/cri/values/rotated_logs.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>

namespace jettison::cri {
namespace {

constexpr std::string_view kCompressed = ".gz";
constexpr std::string_view kTemporary = ".tmp";

// The time in the name of a rotated file; absent: the file is not a rotated one.
std::optional<WallTime> TimeIn(const std::string& name, std::string_view log) {
  constexpr std::string_view kForm = ".20060102-150405";
  if (!name.starts_with(log) || name.size() < log.size() + kForm.size()) return std::nullopt;
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
  const std::string time = name.substr(log.size(), kForm.size());
  if (std::sscanf(time.c_str(), ".%4d%2u%2u-%2d%2d%2d", &year, &month, &day, &hour, &minute,
                  &second) != 6) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(day)};
  constexpr int kFirstYear = 1970;
  constexpr int kLastYear = 2200;  // before nanoseconds overflow
  if (!date.ok() || year < kFirstYear || year > kLastYear) return std::nullopt;
  return WallTime(std::chrono::sys_days(date).time_since_epoch() + std::chrono::hours(hour) +
                  std::chrono::minutes(minute) + std::chrono::seconds(second));
}

}  // namespace

std::string RotatedName(std::string_view log, WallTime now) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
  return fmt::format("{}.{:%Y%m%d-%H%M%S}", log, fmt::gmtime(static_cast<std::time_t>(seconds)));
}

std::string NextRotatedName(const std::vector<std::string>& names, std::string_view log,
                            WallTime now) {
  std::string name = RotatedName(log, now);
  for (const std::string& there : names) {
    const auto time = TimeIn(there, log);
    if (!time || there.substr(0, name.size()) <= name) continue;
    name = RotatedName(log, *time + std::chrono::seconds(1));
  }
  return name;
}

LogTidying PlanTidying(const std::vector<std::string>& names, const std::string& log,
                       int max_files) {
  LogTidying plan;
  std::set<std::string> rotated;
  for (const std::string& name : names) {
    if (!name.starts_with(log + ".")) continue;
    if (name.ends_with(kTemporary)) {
      plan.remove.push_back(name);
    } else {
      rotated.insert(name);
    }
  }
  std::erase_if(rotated, [&](const std::string& name) {
    if (!rotated.contains(name + std::string(kCompressed))) return false;
    plan.remove.push_back(name);
    return true;
  });
  const auto most = static_cast<std::size_t>(std::max(max_files - 1, 1));
  while (rotated.size() > most) plan.remove.push_back(rotated.extract(rotated.begin()).value());
  for (const std::string& name : rotated) {
    const bool newest = name == *rotated.rbegin();
    if (!newest && !name.ends_with(kCompressed)) plan.compress.push_back(name);
  }
  return plan;
}

}  // namespace jettison::cri
