// The library reports failures by code here; nothing in this file can throw but bad_alloc.
#define SIMDJSON_EXCEPTIONS 0
#include "codec/recordings/scenario_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "codec/kubernetes/pod_reader.h"
#include "codec/kubernetes/summary_reader.h"
#include "codec/recordings/eviction_state.h"
#include "codec/recordings/image_collection_reader.h"
#include "codec/recordings/pace_input.h"
#include "codec/recordings/scenario_walk.h"
#include "core/pods/pod_kind.h"

namespace jettison {
namespace {

// Those behind `steps` are what an agent and the vectors write beside a scenario; they are not
// read.
constexpr auto kScenarioFields = std::to_array<std::string_view>(
    {"name", "start", "profile", "kubeletConfig", "jettisonConfig", "disk", "state", "pods",
     "protectedPods", "steps", "pass", "earlyKills", "report", "outcomes"});
constexpr auto kStepFields =
    std::to_array<std::string_view>({"at", "summary", "summaryAfterReclaim", "reclaimUnderWay",
                                     "pace", "activePods", "admit", "killErrors"});
constexpr std::string_view kNoObject = "is not a valid JSON object";

bool IsOneOf(std::string_view key, std::span<const std::string_view> fields) {
  return std::ranges::find(fields, key) != fields.end();
}

}  // namespace

static_assert(ScenarioReader::kPadding >= simdjson::SIMDJSON_PADDING);

bool ScenarioReader::Walk::Raw(ondemand::value value, std::string_view& raw) {
  ondemand::json_type type{};
  if (value.type().get(type) != simdjson::SUCCESS) return Refuse("is not valid JSON");
  simdjson::error_code failed = simdjson::INCORRECT_TYPE;
  if (type == ondemand::json_type::object) {
    ondemand::object object;
    failed = value.get_object().get(object);
    if (!failed) failed = object.raw_json().get(raw);
  } else if (type == ondemand::json_type::array) {
    ondemand::array array;
    failed = value.get_array().get(array);
    if (!failed) failed = array.raw_json().get(raw);
  } else {
    return Refuse("must be a map or a list");
  }
  return !failed || Refuse("is not valid JSON");
}

bool ScenarioReader::Walk::Text(ondemand::value value, std::string_view& text) {
  return Got(value.get_string().get(text), "a string");
}

bool ScenarioReader::Walk::Tree(ondemand::value value, Value& into) {
  std::string_view raw;
  if (!Raw(value, raw)) return false;
  auto tree = buffers_.trees.Parse(raw);
  if (!tree) return Refuse(WithoutLine(tree.error().message));
  into = *std::move(tree);
  return true;
}

// The member of a scenario that is read as a tree, in the memory of the last record's.
Value* ScenarioReader::Walk::TreeNamed(std::string_view key) {
  if (key == "kubeletConfig") return &buffers_.settings.kubelet_config;
  if (key == "jettisonConfig") return &buffers_.settings.jettison_config;
  if (key == "disk") return &buffers_.settings.disk;
  if (key == "state") return &buffers_.state;
  return nullptr;
}

void ScenarioReader::Walk::ForgetAbsentTrees() {
  ScenarioSettings& settings = buffers_.settings;
  for (Value* tree :
       {&settings.kubelet_config, &settings.jettison_config, &settings.disk, &buffers_.state}) {
    if (std::ranges::find(buffers_.read_trees, tree) == buffers_.read_trees.end()) *tree = Value();
  }
}

bool ScenarioReader::Walk::Record(std::string_view record) {
  record_ = record;
  ondemand::document document;
  const simdjson::padded_string_view padded(record.data(), record.size(), record.size() + kPadding);
  ondemand::object top;
  if (buffers_.outer.iterate(padded).get(document) != simdjson::SUCCESS ||
      document.get_object().get(top) != simdjson::SUCCESS) {
    return Refuse(std::string(kNoObject));
  }
  for (auto field : top) {
    std::string_view key;
    ondemand::value value;
    if (field.unescaped_key().get(key) != simdjson::SUCCESS ||
        field.value().get(value) != simdjson::SUCCESS) {
      return Refuse(std::string(kNoObject));
    }
    if (key == "imageGC") return In("imageGC", Images(value));
    if (key == "scenario") return In("scenario", InnerScenario(value));
    if (key == "name" || key == "start" || key == "pods" || key == "steps") break;
  }
  if (top.reset().error() != simdjson::SUCCESS) return Refuse(std::string(kNoObject));
  return ScenarioObject(top);
}

bool ScenarioReader::Walk::InnerScenario(ondemand::value value) {
  ondemand::object object;
  if (!Got(value.get_object().get(object), "a map")) return false;
  outer_ = "scenario.";
  return ScenarioObject(object);
}

bool ScenarioReader::Walk::Images(ondemand::value value) {
  Value tree;
  if (!Tree(value, tree)) return false;
  auto collection = ReadImageCollection(tree);
  if (!collection) return Refuse(collection.error().message);
  collection_ = std::move(*collection);
  return true;
}

bool ScenarioReader::Walk::ScenarioObject(ondemand::object object) {
  for (auto field : object) {
    std::string_view key;
    ondemand::value value;
    if (field.unescaped_key().get(key) != simdjson::SUCCESS ||
        field.value().get(value) != simdjson::SUCCESS) {
      return Refuse(std::string(kNoObject));
    }
    const std::string name(key);
    if (!In(name, ScenarioField(name, value))) return false;
  }
  if (!has_pods_) into_.pods.clear();
  if (!has_steps_) into_.steps.clear();
  if (!has_start_) return In("start", Refuse("is missing; write an RFC 3339 time"));
  if (!faults_.empty()) return false;
  if (!StepsFitTime()) return false;
  for (PodFacts& pod : into_.pods) {
    pod.protection = IsCritical(pod.pod, into_.profile) ? Protection::kCritical : Protection::kNone;
  }
  for (const std::size_t i : protected_) {
    into_.pods[i].protection = Protection::kObserved;
  }
  ForgetAbsentTrees();
  return Policy() && State();
}

bool ScenarioReader::Walk::ScenarioField(std::string_view key, ondemand::value value) {
  std::string_view text;
  if (Value* tree = TreeNamed(key)) {
    buffers_.read_trees.push_back(tree);
    return Tree(value, *tree);
  }
  has_steps_ |= key == "steps";
  has_pods_ |= key == "pods";
  if (key == "steps") return Steps(value);
  if (key == "pods") return Tree(value, buffers_.pods) && Pods(buffers_.pods);
  if (key == "protectedPods") return PodList(value, protected_);
  if (key != "name" && key != "start" && key != "profile") {
    if (!IsOneOf(key, kScenarioFields)) NoteUnknown(key, kScenarioFields);
    return true;
  }
  if (!Text(value, text)) return false;
  if (key == "name") {
    into_.name = text;
    return true;
  }
  if (key == "profile") {
    into_.profile = text == "standalone" ? Profile::kStandalone : Profile::kKubelet;
    return text == "standalone" || text == "kubelet" ||
           Refuse("must be \"kubelet\" or \"standalone\"");
  }
  const auto start = ParseInstant(text);
  if (!start) return Refuse(start.error().message);
  into_.start = *start;
  has_start_ = true;
  return true;
}

// Every step must have an instant that can be written as one.
bool ScenarioReader::Walk::StepsFitTime() {
  const auto start = into_.start.time_since_epoch().count();
  for (std::size_t i = 0; i < into_.steps.size(); ++i) {
    Duration::rep unused = 0;
    if (!__builtin_add_overflow(start, into_.steps[i].at.count(), &unused)) continue;
    return In(fmt::format("steps[{}].at", i), Refuse("is beyond the end of time (the year 2262)"));
  }
  return true;
}

bool ScenarioReader::Walk::Policy() {
  auto policy = ScenarioPolicy(buffers_.settings);
  if (!policy) return Refuse(policy.error().message);
  into_.policy = std::move(*policy);
  return true;
}

// The thresholds it belongs to are known by now.
bool ScenarioReader::Walk::State() {
  auto state = ReadEvictionState(buffers_.state, into_.policy.thresholds);
  if (!state) return In("state", Refuse(state.error().message));
  into_.state = *state;
  return true;
}

bool ScenarioReader::Walk::Pods(const Value& pods) {
  const Value::List* list = pods.AsList();
  if (list == nullptr) return Refuse("must be a list");
  into_.pods.clear();
  into_.pods.reserve(list->size());
  for (std::size_t i = 0; i < list->size(); ++i) {
    PodReading reading = ReadPod((*list)[i], {.file = "", .form = PodForm::kApiObject});
    if (!reading.Ok()) return InItem(i, Refuse(Describe(reading.faults.front())));
    if (!buffers_.pod_index.emplace(reading.pod.uid, i).second) {
      return InItem(i, Refuse(fmt::format("has the UID \"{}\" of another pod", reading.pod.uid)));
    }
    into_.pods.push_back(FactsOf(std::move(reading.pod), into_.profile));
  }
  return true;
}

bool ScenarioReader::Walk::Steps(ondemand::value value) {
  ondemand::array list;
  if (!Got(value.get_array().get(list), "a list")) return false;
  std::size_t count = 0;
  for (auto item : list) {
    ondemand::value step;
    if (item.get(step) != simdjson::SUCCESS) return Refuse("is not valid JSON");
    if (count == into_.steps.size()) into_.steps.emplace_back();
    if (!InItem(count, Step(count, step, into_.steps[count]))) return false;
    ++count;
  }
  step_.clear();
  into_.steps.resize(count);
  return true;
}

bool ScenarioReader::Walk::Step(std::size_t index, ondemand::value value, ScenarioStep& step) {
  step_ = fmt::format("steps[{}].", index);
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
  if (!has_summary) Note(fmt::format("{}{}summary", outer_, step_), "is missing");
  return true;
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
  if (key != "at") {
    NoteUnknown(key, kStepFields);
    return true;
  }
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

ScenarioReader::ScenarioReader() : buffers_(std::make_unique<Buffers>()) {}
ScenarioReader::~ScenarioReader() = default;

Result<std::optional<ImageCollection>> ScenarioReader::Read(std::string_view record,
                                                            Scenario& into) {
  into.name.clear();
  into.profile = Profile::kKubelet;
  Walk quick(*buffers_, into, Walk::Summaries::kStreamed);
  if (quick.Record(record)) return quick.TakeCollection();
  Walk walk(*buffers_, into, Walk::Summaries::kParsed);
  if (!walk.Record(record)) return Fail(walk.TakeError());
  return walk.TakeCollection();
}

}  // namespace jettison
