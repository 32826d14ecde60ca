#include "codec/kubernetes/resources_reader.h"

#include <string_view>
#include <utility>

namespace jettison::kube_json {

ResourceList ReadResourceList(const Field& field) {
  ResourceList list;
  field.ForEachEntry([&](std::string_view name, const Field& entry) {
    if (auto amount = name == "cpu" ? entry.Amount() : entry.Bytes())
      list.emplace(name, *std::move(amount));
  });
  return list;
}

ResourceRequirements ReadResources(const Field& field) {
  static constexpr std::string_view kKnown[] = {"requests", "limits"};
  ResourceRequirements resources;
  if (!field.IsMap()) return resources;
  resources.requests = ReadResourceList(field.Member("requests"));
  resources.limits = ReadResourceList(field.Member("limits"));
  field.WarnOfOthers(kKnown);
  return resources;
}

}  // namespace jettison::kube_json
