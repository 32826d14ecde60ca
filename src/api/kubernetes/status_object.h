#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"

namespace jettison {

// One of several things that are wrong with what was sent.
struct StatusCause {
  std::string field;  // "spec.containers[0].name"; may be empty
  std::string message;
};

// The answer to a request that cannot be served: a metav1.Status with `code`, the reason that
// Kubernetes has for it ("BadRequest", "NotFound", ...; empty where it has none) and a sentence
// that says what is wrong and what is allowed.
[[nodiscard]] HttpResponse StatusAnswer(int code, std::string_view message,
                                        const std::vector<StatusCause>& causes = {});

}  // namespace jettison
