#include "platform/cri/rotated_logs.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

namespace jettison::cri {
namespace {

constexpr std::string_view kCompressed = ".gz";
constexpr std::string_view kTemporary = ".tmp";

}  // namespace

std::string RotatedName(std::string_view log, Instant now) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
  return fmt::format("{}.{:%Y%m%d-%H%M%S}", log, fmt::gmtime(static_cast<std::time_t>(seconds)));
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
