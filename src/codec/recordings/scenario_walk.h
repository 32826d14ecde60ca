#pragma once

// Who includes this defines SIMDJSON_EXCEPTIONS as 0 first: failures are reported by code.
#include <fmt/format.h>
#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/documents/json.h"
#include "codec/recordings/scenario_policy.h"
#include "codec/recordings/scenario_reader.h"
#include "core/model/fault.h"
#include "core/text/spelling.h"
#include "core/text/text_index.h"

namespace jettison {
namespace ondemand = simdjson::ondemand;

// Kept between records: parsers, and the memory of what they read.
struct ScenarioReader::Buffers {
  ondemand::parser outer;         // walks the record once and skips what others read
  simdjson::dom::parser summary;  // one summary at a time
  JsonReader trees;               // pods and settings, which are small
  ScenarioSettings settings;
  Value state;
  Value pods;
  std::vector<const Value*> read_trees;  // the trees above that this record has
  TextIndex<std::size_t> pod_index;      // by UID
  std::vector<Summary> spare_summaries;  // of steps in former records
};

// Reads one record. Every step answers whether it succeeded; on the way back each level puts its
// name in front of the path.
class ScenarioReader::Walk {
 public:
  // Whether a summary is checked while it is read, or parsed first. The former is fast, and fails
  // without a reason; then the latter has the last word.
  enum class Summaries : std::uint8_t { kStreamed, kParsed };

  Walk(Buffers& buffers, Scenario& into, Summaries summaries)
      : buffers_(buffers), into_(into), summaries_(summaries) {
    buffers.read_trees.clear();
    buffers.pod_index.clear();
  }

  bool Record(std::string_view record);
  [[nodiscard]] std::optional<ImageCollection> TakeCollection() { return std::move(collection_); }
  // All misspelt fields and missing summaries, and the first fault of another kind.
  [[nodiscard]] Error TakeError() {
    if (!reason_.empty()) Note(path_, std::move(reason_));
    return {ErrorCode::kInvalidArgument, DescribeAll(faults_)};
  }

 private:
  bool InnerScenario(ondemand::value value);
  bool Images(ondemand::value value);
  bool ScenarioObject(ondemand::object object);
  bool ScenarioField(std::string_view key, ondemand::value value);
  bool StepsFitTime();
  bool Policy();
  bool State();
  Value* TreeNamed(std::string_view key);
  void ForgetAbsentTrees();
  bool Tree(ondemand::value value, Value& into);
  bool Pods(const Value& pods);
  bool Steps(ondemand::value value);
  bool Step(std::size_t index, ondemand::value value, ScenarioStep& step);
  bool StepField(std::string_view key, ondemand::value value, ScenarioStep& step);
  bool Pace(ondemand::value value, ScenarioStep& step);
  Summary& SummaryAfterReclaim(ScenarioStep& step);
  void SpareSummaryAfterReclaim(ScenarioStep& step);
  bool ReadOneSummary(ondemand::value value, Summary& summary);
  bool PodList(ondemand::value value, std::vector<std::size_t>& pods);
  bool Text(ondemand::value value, std::string_view& text);
  bool Raw(ondemand::value value, std::string_view& raw);

  // A fault that does not end the reading.
  void Note(std::string key, std::string message) {
    AddFault(faults_,
             {.file = "", .key = std::move(key), .value = "", .message = std::move(message)});
  }
  void NoteUnknown(std::string_view key, std::span<const std::string_view> allowed) {
    Note(fmt::format("{}{}{}", outer_, step_, key),
         fmt::format("there is no such field{}", DidYouMean(key, allowed)));
  }
  bool Refuse(std::string reason) {
    reason_ = std::move(reason);
    return false;
  }
  // Whether a value was got; else it is of another kind than `wanted`, or no JSON at all.
  bool Got(simdjson::error_code failed, std::string_view wanted) {
    if (failed == simdjson::SUCCESS) return true;
    const bool is_other_kind = failed == simdjson::INCORRECT_TYPE;
    return Refuse(is_other_kind ? fmt::format("must be {}", wanted) : "is not valid JSON");
  }
  bool In(std::string_view name, bool ok) {
    if (ok) return true;
    const bool list_follows = path_.empty() || path_.front() == '[';
    path_ = fmt::format("{}{}{}", name, list_follows ? "" : ".", path_);
    return false;
  }
  bool InItem(std::size_t index, bool ok) { return In(fmt::format("[{}]", index), ok); }

  Buffers& buffers_;
  std::string_view record_;
  Scenario& into_;
  Summaries summaries_;
  std::vector<std::size_t> protected_;
  std::optional<ImageCollection> collection_;
  bool has_start_ = false;
  bool has_pods_ = false;
  bool has_steps_ = false;
  std::string outer_;  // "scenario." within such a member
  std::string step_;   // while one is read: "steps[2]."
  Faults faults_;
  std::string path_;
  std::string reason_;
};

}  // namespace jettison
