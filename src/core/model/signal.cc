#include "core/model/signal.h"

namespace jettison {
namespace {

static_assert(std::ranges::all_of(kAllSignals,
                                  [](Signal signal) { return RowOf(signal).signal == signal; }) &&
                  IndexOf(Signal::kIoPressureSomeAvg60) + 1 == kSignalCount,
              "kSignalRows must list every Signal as it is declared");
static_assert(std::ranges::all_of(kResourceRows,
                                  [](const ResourceRow& row) {
                                    return RowOf(row.resource).name == row.name;
                                  }) &&
                  static_cast<std::size_t>(Resource::kIo) + 1 == kResourceRows.size(),
              "kResourceRows must list every Resource as it is declared");
static_assert(std::ranges::all_of(kAllNodeConditions,
                                  [](NodeConditionType type) {
                                    return kConditionRows[IndexOf(type)].type == type;
                                  }),
              "kConditionRows must list every NodeConditionType as it is declared");

}  // namespace

std::optional<Signal> SignalNamed(std::string_view name) {
  const auto found = std::ranges::find(kSignalRows, name, &SignalRow::name);
  return found == kSignalRows.end() ? std::nullopt : std::optional(found->signal);
}

std::optional<Resource> ResourceNamed(std::string_view name) {
  const auto found = std::ranges::find(kResourceRows, name, &ResourceRow::name);
  return found == kResourceRows.end() ? std::nullopt : std::optional(found->resource);
}

}  // namespace jettison
