#include "sources/kubernetes/test_bed/fake_patches.h"

#include <algorithm>

namespace jettison::kube {

namespace {

void MergeConditions(Json& conditions, const Json& patch) {
  for (const Json& wanted : patch) {
    const auto at = std::ranges::find_if(
        conditions, [&](const Json& has) { return has["type"] == wanted["type"]; });
    if (wanted.contains("$patch")) {
      if (at != conditions.end()) conditions.erase(at);
    } else if (at == conditions.end()) {
      conditions.push_back(wanted);
    } else {
      at->update(wanted);
    }
  }
}

}  // namespace

void PatchStatus(Json& object, const Json& patch) {
  Json status = patch["status"];
  if (status.contains("conditions")) {
    Json& conditions = object["status"]["conditions"];
    if (conditions.is_null()) conditions = Json::array();
    MergeConditions(conditions, status["conditions"]);
    status.erase("conditions");
  }
  object["status"].update(status);
}

}  // namespace jettison::kube
