#pragma once

#include <span>
#include <string_view>

#include "core/explanation/explanation.h"
#include "core/json/json_writer.h"

namespace jettison {

// Parts of an explanation as JSON; each writes one member under the name given, or one value.

void WriteHead(std::string_view kind, JsonWriter& json);  // apiVersion and kind
void WritePod(std::string_view name, const PodIdentity& pod, JsonWriter& json);
void WriteReading(const SignalReading& reading, JsonWriter& json);
void WriteThreshold(const ThresholdFacts& facts, JsonWriter& json);
void WriteThresholds(std::span<const ThresholdFacts> thresholds, JsonWriter& json);
void WriteRankedPod(const RankedPod& pod, JsonWriter& json);
void WriteOrder(const PodOrder& order, JsonWriter& json);  // members of an open object
void WriteLimits(std::span<const StorageLimitFacts> limits, JsonWriter& json);

// {"all", "pods", "critical", "foreign", "ending", "gone", "outside", "shared", "kernel", "text"}:
// bytes; the last two amounts are left out where they are not known.
void WriteHolders(const Holders& holders, JsonWriter& json);

}  // namespace jettison
