#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/explain/explain.h"

namespace jettison {

// What one pass was made of, wherever it is kept.
struct PassParts {
  std::uint64_t number = 0;
  const PassPolicy& policy;
  const EvictionState& before;
  const Summary& summary;
  const std::vector<const PodFacts*>& pods;
  const CycleReport& report;
  const std::optional<PaceInput>& pace;
  std::optional<Summary> after_reclaim = std::nullopt;  // as in RecordedPass
};

[[nodiscard]] PassExplanation ExplainParts(const PassParts& parts, const ExplainOptions& options);

}  // namespace jettison
