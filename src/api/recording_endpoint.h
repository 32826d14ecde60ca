#pragma once

#include "api/route.h"

namespace jettison {

// The chunks of the recording, the one that is not complete yet included; `since` and `until` leave
// out those that hold nothing of the time between. 404 where nothing is recorded.
[[nodiscard]] HttpResponse AnswerRecording(const Call& call);

}  // namespace jettison
