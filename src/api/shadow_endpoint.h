#pragma once

#include "api/route.h"

namespace jettison {

// /api/v1/shadow: what a dry run would have evicted beside what the kubelet did evict. 404 where
// the agent is not in shadow mode.
[[nodiscard]] HttpResponse AnswerShadow(const Call& call);

}  // namespace jettison
