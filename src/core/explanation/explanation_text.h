#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/explanation/explanation.h"

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
[[nodiscard]] std::string FiguresText(const SignalReading& reading);
// One threshold with its sums and times, several lines.
[[nodiscard]] std::string ThresholdText(const ThresholdFacts& facts);
// Several thresholds, a line each.
[[nodiscard]] std::string ThresholdTable(std::span<const ThresholdFacts> thresholds);
[[nodiscard]] std::string OrderText(const PodOrder& order);
[[nodiscard]] std::string LimitsText(std::span<const StorageLimitFacts> limits);
// One change and what would have come of it, or would come of it now, as a sentence. `signal` is
// the one that was acted for; for storage limits any signal in bytes.
[[nodiscard]] std::string SentenceOf(const Otherwise& otherwise, Signal signal, bool hypothetical);

}  // namespace jettison
