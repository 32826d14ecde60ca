#pragma once

#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "codec/recordings/scenario_reader.h"
#include "core/recording/recording.h"
#include "kernel/files/line_reader.h"

namespace jettison {

// A recording out of scenarios, one a line, as `jettison replay` takes them: what /api/v1/cycles
// answers, above all. Each step is a pass; what it did is found by making it again. A record that
// comes twice, because the agent was asked twice or a file is there twice, is passed over.
class ScenarioSource final : public RecordingSource {
 public:
  // `name` is for messages; the stream must outlive this.
  ScenarioSource(std::string name, std::FILE* stream)
      : name_(std::move(name)), lines_(stream, ScenarioReader::kPadding) {}

  [[nodiscard]] Result<std::optional<RecordedItem>> Next() override;

 private:
  [[nodiscard]] Result<void> Read(std::string_view record);
  [[nodiscard]] std::shared_ptr<const PodFacts> Shared(const PodFacts& facts);

  std::string name_;
  LineReader lines_;
  ScenarioReader reader_;
  Scenario scenario_;
  std::deque<RecordedItem> ready_;
  std::map<std::string, std::shared_ptr<const PodFacts>, std::less<>> pods_;  // by UID
  std::shared_ptr<const PassPolicy> policy_;
  std::set<std::string> known_;  // hashes of the records that were read
  std::optional<std::uint64_t> last_number_;
  std::optional<Instant> last_at_;
};

}  // namespace jettison
