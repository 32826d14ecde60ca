#include "cli/demo/stage/demo_cast.h"

namespace jettison {

std::span<const DemoPod> DemoPods() {
  static const std::vector<DemoPod> kPods = {
      {.name = "database",
       .role = "guaranteed: requests and limits are equal",
       .work = {"hold", "--total", "80"},
       .resources = "{requests: {cpu: 100m, memory: 96Mi}, limits: {cpu: 100m, memory: 96Mi}}"},
      {.name = "web",
       .role = "burstable, within its request",
       .work = {"hold", "--total", "64"},
       .resources = "{requests: {cpu: 100m, memory: 96Mi}, limits: {memory: 192Mi}}"},
      {.name = "cache",
       .role = "burstable, beyond its request",
       .work = {"hold", "--total", "72"},
       .resources = "{requests: {memory: 32Mi}}"},
      {.name = "critical",
       .role = "best-effort, but of critical priority",
       .work = {"hold", "--total", "24"},
       .priority_class = "system-node-critical"},
      {.name = "leaker",
       .role = "best-effort, leaks memory",
       .work = {"leak", "--rate", "40", "--total", "400", "--gate", "$(GATE)"},
       .culprit = true},
      {.name = "filler",
       .role = "best-effort, fills the disk",
       .work = {"fill", "--path", "data", "--rate", "15", "--total", "200", "--gate", "$(GATE)"},
       .culprit = true},
      {.name = "scratch",
       .role = "its emptyDir has a size limit",
       .work = {"fill", "--path", "$(SCRATCH)/data", "--rate", "10", "--total", "24", "--gate",
                "$(GATE)"},
       .size_limit = kDemoEmptyDirLimit,
       .culprit = true},
      {.name = "forker",
       .role = "best-effort, forks",
       .work = {"fork", "--rate", "300", "--total", "950", "--gate", "$(GATE)"},
       .culprit = true},
  };
  return kPods;
}

}  // namespace jettison
