#include "sources/kubernetes/objects/conditions.h"

namespace jettison::kube {

using kube_json::Field;

std::optional<Instant> ReadTime(const Field& field) {
  const auto text = field.String();
  if (!text || text->empty()) return std::nullopt;
  const auto time = ParseInstant(*text);
  if (time) return *time;
  field.Fault(time.error().message);
  return std::nullopt;
}

std::vector<Condition> ReadConditions(const Field& list) {
  std::vector<Condition> conditions;
  list.ForEachItem([&](const Field& item) {
    if (!item.IsMap()) return;
    conditions.push_back({.type = item.Member("type").String().value_or(""),
                          .status = item.Member("status").String().value_or(""),
                          .reason = item.Member("reason").String().value_or(""),
                          .message = item.Member("message").String().value_or(""),
                          .since = ReadTime(item.Member("lastTransitionTime"))});
  });
  return conditions;
}

}  // namespace jettison::kube
