#pragma once

#include "api/route.h"

// Why pods were evicted, where they stand, and what would happen now. docs/explain.md has the form
// of the answers.
namespace jettison {

// /api/v1/explain: what would happen now; with `pod` (namespace/name, name or UID) where that one
// stands or why it was evicted, with `eviction` (its id) why it happened. Text where `output` is
// text or nothing but text is accepted.
[[nodiscard]] HttpResponse AnswerExplain(const Call& call);
// /api/v1/evictions: those that are remembered, oldest first, without their explanations.
[[nodiscard]] HttpResponse AnswerEvictions(const Call& call);
// /api/v1/evictions/{id}: the explanation of one.
[[nodiscard]] HttpResponse AnswerEviction(const Call& call);
// /api/v1/rank?signal=S: all pods in the order of eviction for a signal.
[[nodiscard]] HttpResponse AnswerRank(const Call& call);

}  // namespace jettison
