#include "core/pass/recorded_pass.h"

#include "core/model/pod.h"

namespace jettison {

std::string NameOfPod(const RecordedPass& pass, std::string_view uid) {
  for (const auto& facts : pass.pods) {
    if (facts->pod.uid == uid) return FullName(facts->pod);
  }
  return std::string(uid);
}

}  // namespace jettison
