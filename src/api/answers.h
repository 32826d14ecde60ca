#pragma once

#include "api/probes.h"
#include "api/route.h"

// Answers of single routes that take more than one line to make.
namespace jettison {

// When the loop turned, which is asked to do so where it has not for a while.
[[nodiscard]] LoopTurns TurnsOf(const ApiSources& sources);

[[nodiscard]] HttpResponse AnswerHealthz(const Call& call);
[[nodiscard]] HttpResponse AnswerLivez(const Call& call);
[[nodiscard]] HttpResponse AnswerReadyz(const Call& call);
[[nodiscard]] HttpResponse AnswerDashboard(const Call& call);
[[nodiscard]] HttpResponse AnswerOverview(const Call& call);
[[nodiscard]] HttpResponse AnswerCycles(const Call& call);
[[nodiscard]] HttpResponse AnswerPodAdmission(const Call& call);
[[nodiscard]] HttpResponse AnswerWatch(const Call& call);

}  // namespace jettison
