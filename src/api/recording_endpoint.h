#pragma once

#include "api/route.h"

namespace jettison {

// The chunks of the recording, the one that is not complete yet included; `since` and `until` leave
// out those that hold nothing of the time between. The recorder reads them meanwhile; nobody else
// waits. 404 where nothing is recorded; 503 where it cannot be read, or too many fetch it.
[[nodiscard]] HttpResponse AnswerRecording(const Call& call);

}  // namespace jettison
