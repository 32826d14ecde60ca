#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "codec/flight/columns/bytes.h"
#include "core/model/profile.h"
#include "core/model/value.h"
#include "core/pods/pod_facts.h"
#include "core/units/result.h"

namespace jettison {

// What a recording holds of a pod: its JSON without anything secret (RedactedPod), and what does
// not follow from that.
struct PodEntry {
  std::string json;
  PodOrigin source = PodOrigin::kOwn;
  Protection protection = Protection::kNone;

  [[nodiscard]] bool operator==(const PodEntry&) const = default;
};

[[nodiscard]] PodEntry EntryOf(const PodFacts& facts);
// The facts again. kInvalidArgument: this is the JSON of no pod.
[[nodiscard]] Result<std::shared_ptr<const PodFacts>> FactsOf(const PodEntry& entry,
                                                              Profile profile);
// The same, its JSON being parsed already.
[[nodiscard]] Result<std::shared_ptr<const PodFacts>> FactsOf(const Value& pod,
                                                              const PodEntry& entry,
                                                              Profile profile);
void WriteEntry(const PodEntry& entry, ByteWriter& out);
[[nodiscard]] PodEntry ReadEntry(ByteReader& in);

}  // namespace jettison
