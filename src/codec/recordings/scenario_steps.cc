// The library reports failures by code here; nothing in this file can throw but bad_alloc.
#define SIMDJSON_EXCEPTIONS 0
#include <fmt/format.h>

#include "codec/kubernetes/summary_reader.h"
#include "codec/recordings/pace_input.h"
#include "codec/recordings/scenario_walk.h"

namespace jettison {

bool ScenarioReader::Walk::Steps(ondemand::value value) {
  ondemand::array list;
  if (!Got(value.get_array().get(list), "a list")) return false;
  std::size_t count = 0;
  for (auto item : list) {
    ondemand::value step;
    if (item.get(step) != simdjson::SUCCESS) return Refuse("is not valid JSON");
    if (count == into_.steps.size()) into_.steps.emplace_back();
    if (!InItem(count, Step(step, into_.steps[count]))) return false;
    ++count;
  }
  into_.steps.resize(count);
  return true;
}

bool ScenarioReader::Walk::Step(ondemand::value value, ScenarioStep& step) {
  ondemand::object object;
  if (!Got(value.get_object().get(object), "a map")) return false;
  step.at = {};
  SpareSummaryAfterReclaim(step);
  step.active.clear();
  step.admit.clear();
  step.kill_errors.clear();
  step.reclaim_under_way = false;
  step.pace.reset();
  bool has_summary = false;
  for (auto field : object) {
    std::string_view key;
    ondemand::value member;
    if (field.unescaped_key().get(key) != simdjson::SUCCESS ||
        field.value().get(member) != simdjson::SUCCESS) {
      return Refuse("is not valid JSON");
    }
    const std::string name(key);
    has_summary |= name == "summary";
    if (!In(name, StepField(name, member, step))) return false;
  }
  return has_summary || In("summary", Refuse("is missing"));
}

bool ScenarioReader::Walk::StepField(std::string_view key, ondemand::value value,
                                     ScenarioStep& step) {
  if (key == "summary") return ReadOneSummary(value, step.summary);
  if (key == "summaryAfterReclaim") {
    return ReadOneSummary(value, SummaryAfterReclaim(step));
  }
  if (key == "pace") return Pace(value, step);
  if (key == "activePods") return PodList(value, step.active);
  if (key == "admit") return PodList(value, step.admit);
  if (key == "killErrors") return PodList(value, step.kill_errors);
  if (key == "reclaimUnderWay") {
    return Got(value.get_bool().get(step.reclaim_under_way), "true or false");
  }
  if (key != "at") return true;
  std::string_view text;
  if (!Text(value, text)) return false;
  const auto at = ParseDuration(text);
  if (!at) return Refuse(at.error().message);
  step.at = *at;
  return true;
}

bool ScenarioReader::Walk::Pace(ondemand::value value, ScenarioStep& step) {
  Value tree;
  if (!Tree(value, tree)) return false;
  auto pace = ReadPaceInput(tree);
  if (!pace) return Refuse(pace.error().message);
  step.pace = *pace;
  return true;
}

// Puts a summary into the step, with the memory of a former one if there is any.
Summary& ScenarioReader::Walk::SummaryAfterReclaim(ScenarioStep& step) {
  std::vector<Summary>& spare = buffers_.spare_summaries;
  if (spare.empty()) return step.summary_after_reclaim.emplace();
  step.summary_after_reclaim = std::move(spare.back());
  spare.pop_back();
  return *step.summary_after_reclaim;
}

void ScenarioReader::Walk::SpareSummaryAfterReclaim(ScenarioStep& step) {
  if (!step.summary_after_reclaim) return;
  buffers_.spare_summaries.push_back(*std::move(step.summary_after_reclaim));
  step.summary_after_reclaim.reset();
}

bool ScenarioReader::Walk::ReadOneSummary(ondemand::value value, Summary& summary) {
  if (summaries_ == Summaries::kStreamed) {
    return ReadStreamedSummary(value, record_, summary);
  }
  std::string_view raw;
  if (!Raw(value, raw)) return false;
  // The record's own padding serves its parts.
  simdjson::dom::element element;
  if (buffers_.summary.parse(raw.data(), raw.size(), false).get(element) != simdjson::SUCCESS) {
    return Refuse("is not valid JSON");
  }
  const auto read = ReadSummary(element, summary);
  return read.has_value() || Refuse(read.error().message);
}

bool ScenarioReader::Walk::PodList(ondemand::value value, std::vector<std::size_t>& pods) {
  ondemand::array list;
  bool absent = false;
  if (value.is_null().get(absent) == simdjson::SUCCESS && absent) return true;
  if (!Got(value.get_array().get(list), "a list of UIDs")) return false;
  for (auto item : list) {
    std::string_view uid;
    if (!Got(item.get_string().get(uid), "a list of UIDs")) return false;
    const auto found = buffers_.pod_index.find(uid);
    if (found == buffers_.pod_index.end()) {
      return Refuse(
          fmt::format("\"{}\" is the UID of none of the scenario's pods; \"pods\" must "
                      "come before \"steps\"",
                      uid));
    }
    pods.push_back(found->second);
  }
  return true;
}

}  // namespace jettison
