#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/explanation/explanation.h"
#include "core/model/signal.h"
#include "core/model/threshold.h"
#include "core/units/duration.h"

namespace jettison {

// Explanations for people: plain ASCII text, lines of up to 100 columns unless names are long.
[[nodiscard]] std::string TextOf(const PassExplanation& explanation);
[[nodiscard]] std::string TextOf(const PodExplanation& explanation);
[[nodiscard]] std::string TextOf(const NodeExplanation& explanation);
[[nodiscard]] std::string TextOf(const PodOrder& order);

// Explanations for programs: one JSON object of apiVersion jettison.io/v1alpha1, kind Explanation
// (Ranking for an order), on one line. Its members are described in docs/explain.md. `text` is the
// same for people.
[[nodiscard]] std::string JsonOf(const PassExplanation& explanation);
[[nodiscard]] std::string JsonOf(const PodExplanation& explanation);
[[nodiscard]] std::string JsonOf(const NodeExplanation& explanation);
[[nodiscard]] std::string JsonOf(const PodOrder& order, Instant at);

// Parts of an explanation for people; each but the sentences is whole lines.

// What happened, in one line: "default/db was evicted: the node was low on memory."
[[nodiscard]] std::string HeadlineOf(const PassExplanation& explanation);
// The signal that was acted for; storage limits are in bytes of a disk.
[[nodiscard]] Signal SignalOf(const PassExplanation& explanation);
// Several thresholds, a line each.
[[nodiscard]] std::string ThresholdTable(std::span<const ThresholdFacts> thresholds);
// One change and what would have come of it, or would come of it now, as a sentence. `signal` is
// the one that was acted for.
[[nodiscard]] std::string SentenceOf(const Otherwise& otherwise, Signal signal, bool hypothetical);

// An amount of a signal as messages write it: "102124Ki", "4711", and shares of time "12.5%".
[[nodiscard]] std::string AmountText(Signal signal, std::int64_t amount);

// The same with bytes rounded to whole Ki, so that amounts that stand side by side compare: a share
// of a disk is seldom a multiple of 1024. What is less than 1Ki stays as it is.
[[nodiscard]] std::string RoundText(Signal signal, std::int64_t amount);

// The same for a glance, "99.7 MiB"; empty where the exact text is as good.
[[nodiscard]] std::string RoughText(Signal signal, std::int64_t amount);

// Both: "102124Ki (99.7 MiB)".
[[nodiscard]] std::string BothTexts(Signal signal, std::int64_t amount);

// A duration for people, to the millisecond.
[[nodiscard]] std::string ShortDuration(Duration duration);

}  // namespace jettison
