#include "cli/doctor/doctor_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "core/json/json_writer.h"

namespace jettison {
namespace {

std::ptrdiff_t CountOf(const std::vector<HostCheck>& checks, HostStatus status) {
  return std::count_if(checks.begin(), checks.end(),
                       [&](const HostCheck& check) { return check.status == status; });
}

std::string Verdict(const std::vector<HostCheck>& checks) {
  const auto missing = CountOf(checks, HostStatus::kMissing);
  const auto degraded = CountOf(checks, HostStatus::kDegraded);
  if (missing > 0) {
    const bool starting_alone = std::ranges::all_of(checks, [](const HostCheck& check) {
      return check.status != HostStatus::kMissing || check.need == HostNeed::kStartingPods;
    });
    return fmt::format("This host is not ready to {}: {} missing.",
                       starting_alone ? "start pods" : "evict pods", missing);
  }
  if (degraded > 0) return fmt::format("This host is ready, with {} degraded.", degraded);
  return "This host offers everything.";
}

}  // namespace

HostCheck OkCheck(std::string check, std::string found) {
  return {.check = std::move(check),
          .status = HostStatus::kOk,
          .found = std::move(found),
          .cost = "",
          .remedy = ""};
}

HostCheck CheckOf(std::string check, Result<std::string> found, HostLack lack) {
  if (found) return OkCheck(std::move(check), *std::move(found));
  return {.check = std::move(check),
          .status = lack.status,
          .found = std::move(found.error().message),
          .cost = std::move(lack.cost),
          .remedy = std::move(lack.remedy),
          .need = lack.need};
}

std::string_view NameOf(HostStatus status) {
  switch (status) {
    case HostStatus::kOk: return "ok";
    case HostStatus::kDegraded: return "degraded";
    case HostStatus::kMissing: return "missing";
  }
  return "";
}

std::vector<HostCheck> ForAgentWithoutPods(std::vector<HostCheck> checks) {
  for (HostCheck& check : checks) {
    if (check.need != HostNeed::kStartingPods || check.status != HostStatus::kMissing) continue;
    check.status = HostStatus::kDegraded;
    check.cost += "; this agent starts none, because staticPodPath is not set";
  }
  return checks;
}

bool IsReady(const std::vector<HostCheck>& checks) {
  return CountOf(checks, HostStatus::kMissing) == 0;
}

std::string ChecksAsText(const std::vector<HostCheck>& checks) {
  constexpr std::size_t kStatusWidth = 10;
  std::size_t width = 0;
  for (const HostCheck& check : checks) width = std::max(width, check.check.size());
  const std::string indent(kStatusWidth + width + 2, ' ');
  std::string text;
  for (const HostCheck& check : checks) {
    fmt::format_to(std::back_inserter(text), "{:<{}}{:<{}}  {}\n", NameOf(check.status),
                   kStatusWidth, check.check, width, check.found);
    if (!check.cost.empty()) text += indent + "costs:  " + check.cost + '\n';
    if (!check.remedy.empty()) text += indent + "remedy: " + check.remedy + '\n';
  }
  return text + '\n' + Verdict(checks) + '\n';
}

std::string ChecksAsJson(const std::vector<HostCheck>& checks) {
  std::string text;
  JsonWriter json(text);
  json.Object([&] {
    json.Array("checks", [&] {
      for (const HostCheck& check : checks) {
        json.Object([&] {
          json.Field("check", check.check);
          json.Field("status", NameOf(check.status));
          json.Field("found", check.found);
          json.Field("cost", check.cost);
          json.Field("remedy", check.remedy);
        });
      }
    });
    json.Field("ready", IsReady(checks));
  });
  return text + '\n';
}

}  // namespace jettison
