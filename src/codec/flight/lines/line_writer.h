#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "core/recording/recording.h"

namespace jettison {

// Writes a recording as NDJSON: an object with one member a line, which is one of
//
//   {"about": {"at", "node", "maker", "profile"}}
//   {"policy": {"id", "thresholds", ...}}         before the first pass that has it
//   {"pod": {"id", "source", "protection", "pod"}}
//   {"pass": {"number", "at", "policy", "pods", "state", "summary", "evaluation", "pace",
//             "summaryAfterReclaim", "report"}}
//   {"oomKill": {"at", "pod", "container"}}
//   {"gap": {"from", "to", "why"}}
//   {"note": {"at", "text"}}
//
// Of a pass the state is left out where it is the one that the pass before left, and the
// observations and the evaluation where they come of the figures.
class LineWriter : public RecordingSink {
 public:
  using Write = std::function<Result<void>(std::string_view line)>;

  explicit LineWriter(Write write) : write_(std::move(write)) {}

  [[nodiscard]] Result<void> Add(const RecordedItem& item) override;
  [[nodiscard]] Result<void> Finish() override { return {}; }

 private:
  [[nodiscard]] Result<void> AddPass(const RecordedPass& pass);
  [[nodiscard]] Result<std::size_t> PolicyId(const PassPolicy& policy);
  [[nodiscard]] Result<std::size_t> PodId(const PodFacts& facts);

  Write write_;
  std::map<std::string, std::size_t> policies_;  // by their bytes
  std::map<std::string, std::size_t> pods_;
  std::string next_state_;  // as bytes; empty: none follows
};

}  // namespace jettison
