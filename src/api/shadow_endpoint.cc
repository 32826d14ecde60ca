#include "api/shadow_endpoint.h"

#include "api/kubernetes/status_object.h"
#include "core/shadow/shadow_fields.h"

namespace jettison {

HttpResponse AnswerShadow(const Call& call) {
  const auto& shadow = call.snapshot->shadow;
  if (!shadow) {
    return StatusAnswer(404,
                        "the agent is not in shadow mode, which takes source: kubernetes and "
                        "dryRun: true");
  }
  HttpResponse answer;
  answer.body = ShadowJson(*shadow) + "\n";
  return answer;
}

}  // namespace jettison
