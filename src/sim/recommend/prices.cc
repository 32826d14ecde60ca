#include "sim/recommend/prices.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include "core/text/spelling.h"

namespace jettison {
namespace {

struct NamedPrice {
  std::string_view name;
  double Prices::*price;
};
constexpr std::array kPrices = {NamedPrice{"eviction", &Prices::eviction},
                                NamedPrice{"oom", &Prices::oom_kill},
                                NamedPrice{"idle-gib-hour", &Prices::idle_gib_hour}};

std::vector<std::string_view> Names() {
  std::vector<std::string_view> names;
  for (const NamedPrice& each : kPrices) names.push_back(each.name);
  return names;
}

std::optional<double> NumberOf(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec != std::errc() || read.ptr != end || !std::isfinite(value) || value < 0) {
    return std::nullopt;
  }
  return value;
}

// Takes one "NAME=NUMBER". Returns its fault; empty: there is none.
std::string Take(std::string_view item, Prices& prices) {
  const std::size_t equals = item.find('=');
  const std::string_view name = item.substr(0, equals);
  for (const NamedPrice& each : kPrices) {
    if (each.name != name) continue;
    const std::string_view number = equals == std::string_view::npos ? "" : item.substr(equals + 1);
    const auto value = NumberOf(number);
    if (!value) return fmt::format("--price {}: {} must be a number, 0 or more", item, name);
    prices.*each.price = *value;
    return "";
  }
  return fmt::format("--price {}: there is no such price; it has to be {}{}", item,
                     Alternatives(Names()), DidYouMean(name, Names()));
}

}  // namespace

Result<Prices> ParsePrices(std::string_view text) {
  Prices prices;
  std::string faults;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string fault = Take(text.substr(0, comma), prices);
    if (!fault.empty()) faults += (faults.empty() ? "" : "\njettison: ") + fault;
    text = comma == std::string_view::npos ? "" : text.substr(comma + 1);
  }
  if (!faults.empty()) return Fail(ErrorCode::kInvalidArgument, faults);
  return prices;
}

std::string PricesText(const Prices& prices) {
  return fmt::format("eviction={},oom={},idle-gib-hour={}", prices.eviction, prices.oom_kill,
                     prices.idle_gib_hour);
}

double PriceOf(const PolicyCosts& costs, const Prices& prices) {
  return static_cast<double>(costs.evictions) * prices.eviction +
         static_cast<double>(costs.oom_kills) * prices.oom_kill +
         costs.IdleGibHours() * prices.idle_gib_hour;
}

bool IsWithin(const PolicyCosts& costs, const CostLimits& limits) {
  return costs.evictions <= limits.evictions.value_or(costs.evictions) &&
         costs.oom_kills <= limits.oom_kills.value_or(costs.oom_kills) &&
         costs.IdleGibHours() <= limits.idle_gib_hours.value_or(costs.IdleGibHours());
}

}  // namespace jettison
