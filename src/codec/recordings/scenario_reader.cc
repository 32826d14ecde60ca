// The library reports failures by code here; nothing in this file can throw but bad_alloc.
#define SIMDJSON_EXCEPTIONS 0
#include "codec/recordings/scenario_reader.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/documents/json.h"
#include "codec/kubernetes/pod_reader.h"
#include "codec/kubernetes/summary_reader.h"
#include "codec/recordings/image_collection_reader.h"
#include "codec/recordings/scenario_policy.h"
#include "core/model/fault.h"
#include "core/pods/pod_kind.h"
#include "core/text/spelling.h"
#include "core/text/text_index.h"

namespace jettison {
namespace {

// The last one is what the vectors have beside a scenario; it is not read.
constexpr auto kScenarioFields =
    std::to_array<std::string_view>({"name", "start", "profile", "kubeletConfig", "jettisonConfig",
                                     "disk", "pods", "steps", "outcomes"});
constexpr auto kStepFields = std::to_array<std::string_view>(
    {"at", "summary", "summaryAfterReclaim", "activePods", "admit", "killErrors"});
constexpr std::string_view kNoObject = "is not a valid JSON object";

bool IsOneOf(std::string_view key, std::span<const std::string_view> fields) {
  return std::ranges::find(fields, key) != fields.end();
}

}  // namespace

namespace ondemand = simdjson::ondemand;

struct ScenarioReader::Parsers {
  ondemand::parser outer;         // walks the record once and skips what others read
  simdjson::dom::parser summary;  // one summary at a time
  JsonReader trees;               // pods and settings, which are small
};

// Reads one record. Every step answers whether it succeeded; on the way back each level puts its
// name in front of the path.
class ScenarioReader::Walk {
 public:
  Walk(Parsers& parsers, Scenario& into) : parsers_(parsers), into_(into) {}

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
  bool Tree(ondemand::value value, Value& into);
  bool Pods(ondemand::value value);
  bool Steps(ondemand::value value);
  bool Step(ondemand::value value, ScenarioStep& step);
  bool StepField(std::string_view key, ondemand::value value, ScenarioStep& step);
  bool ReadOneSummary(ondemand::value value, Summary& summary);
  bool PodList(ondemand::value value, std::vector<std::size_t>& pods);
  bool Text(ondemand::value value, std::string_view& text);
  bool Raw(ondemand::value value, std::string_view& raw);
  // Visits the fields of a map: visit(key, value) -> bool.
  template <typename Visit>
  bool EachField(ondemand::object object, std::string_view otherwise, Visit visit);

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

  Parsers& parsers_;
  Scenario& into_;
  ScenarioSettings settings_;
  TextIndex<std::size_t> pod_index_;  // by UID
  std::optional<ImageCollection> collection_;
  bool has_start_ = false;
  std::string outer_;  // "scenario." within such a member
  std::string step_;   // while one is read: "steps[2]."
  Faults faults_;
  std::string path_;
  std::string reason_;
};

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
  auto tree = parsers_.trees.Parse(raw);
  if (!tree) return Refuse(WithoutLine(tree.error().message));
  into = *std::move(tree);
  return true;
}

// What is wrong with the object itself is told as `otherwise`.
template <typename Visit>
bool ScenarioReader::Walk::EachField(ondemand::object object, std::string_view otherwise,
                                     Visit visit) {
  for (auto field : object) {
    std::string_view key;
    ondemand::value value;
    if (field.unescaped_key().get(key) != simdjson::SUCCESS ||
        field.value().get(value) != simdjson::SUCCESS) {
      return Refuse(std::string(otherwise));
    }
    const std::string name(key);
    if (!In(name, visit(name, value))) return false;
  }
  return true;
}

bool ScenarioReader::Walk::Record(std::string_view record) {
  ondemand::document document;
  const simdjson::padded_string_view padded(record.data(), record.size(), record.size() + kPadding);
  ondemand::object top;
  if (parsers_.outer.iterate(padded).get(document) != simdjson::SUCCESS ||
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
  const bool is_read = EachField(
      object, kNoObject,
      [this](const std::string& key, ondemand::value value) { return ScenarioField(key, value); });
  if (!is_read) return false;
  if (!has_start_) return In("start", Refuse("is missing; write an RFC 3339 time"));
  if (!faults_.empty()) return false;
  if (!StepsFitTime()) return false;
  for (PodFacts& pod : into_.pods) {
    pod.protection = IsCritical(pod.pod, into_.profile) ? Protection::kCritical : Protection::kNone;
  }
  return Policy();
}

bool ScenarioReader::Walk::ScenarioField(std::string_view key, ondemand::value value) {
  if (key == "kubeletConfig") return Tree(value, settings_.kubelet_config);
  if (key == "jettisonConfig") return Tree(value, settings_.jettison_config);
  if (key == "disk") return Tree(value, settings_.disk);
  if (key == "steps") return Steps(value);
  if (key == "pods") return Pods(value);
  if (key != "name" && key != "start" && key != "profile") {
    if (!IsOneOf(key, kScenarioFields)) NoteUnknown(key, kScenarioFields);
    return true;
  }
  std::string_view text;
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
  auto policy = ScenarioPolicy(settings_);
  if (!policy) return Refuse(policy.error().message);
  into_.policy = std::move(*policy);
  return true;
}

bool ScenarioReader::Walk::Pods(ondemand::value value) {
  Value pods;
  if (!Tree(value, pods)) return false;
  const Value::List* list = pods.AsList();
  if (list == nullptr) return Refuse("must be a list");
  into_.pods.clear();
  pod_index_.clear();
  for (std::size_t i = 0; i < list->size(); ++i) {
    PodReading reading = ReadPod((*list)[i], {.file = "", .form = PodForm::kApiObject});
    if (!reading.Ok()) return InItem(i, Refuse(Describe(reading.faults.front())));
    if (!pod_index_.emplace(reading.pod.uid, i).second) {
      return InItem(i, Refuse(fmt::format("has the UID \"{}\" of another pod", reading.pod.uid)));
    }
    into_.pods.push_back(FactsOf(std::move(reading.pod), into_.profile));
  }
  return true;
}

bool ScenarioReader::Walk::Steps(ondemand::value value) {
  ondemand::array list;
  if (!Got(value.get_array().get(list), "a list")) return false;
  into_.steps.clear();
  for (auto item : list) {
    ondemand::value step;
    if (item.get(step) != simdjson::SUCCESS) return Refuse("is not valid JSON");
    const std::size_t index = into_.steps.size();
    step_ = fmt::format("steps[{}].", index);
    if (!InItem(index, Step(step, into_.steps.emplace_back()))) return false;
  }
  step_.clear();
  return true;
}

bool ScenarioReader::Walk::Step(ondemand::value value, ScenarioStep& step) {
  ondemand::object object;
  if (!Got(value.get_object().get(object), "a map")) return false;
  bool has_summary = false;
  const bool is_read =
      EachField(object, "is not valid JSON", [&](const std::string& key, ondemand::value member) {
        has_summary |= key == "summary";
        return StepField(key, member, step);
      });
  if (is_read && !has_summary) Note(fmt::format("{}{}summary", outer_, step_), "is missing");
  return is_read;
}

bool ScenarioReader::Walk::StepField(std::string_view key, ondemand::value value,
                                     ScenarioStep& step) {
  if (key == "summary") return ReadOneSummary(value, step.summary);
  if (key == "summaryAfterReclaim") {
    return ReadOneSummary(value, step.summary_after_reclaim.emplace());
  }
  if (key == "activePods") return PodList(value, step.active);
  if (key == "admit") return PodList(value, step.admit);
  if (key == "killErrors") return PodList(value, step.kill_errors);
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

bool ScenarioReader::Walk::ReadOneSummary(ondemand::value value, Summary& summary) {
  std::string_view raw;
  if (!Raw(value, raw)) return false;
  // The record's own padding serves its parts.
  simdjson::dom::element element;
  if (parsers_.summary.parse(raw.data(), raw.size(), false).get(element) != simdjson::SUCCESS) {
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
    const auto found = pod_index_.find(uid);
    if (found == pod_index_.end()) {
      return Refuse(
          fmt::format("\"{}\" is the UID of none of the scenario's pods; \"pods\" must "
                      "come before \"steps\"",
                      uid));
    }
    pods.push_back(found->second);
  }
  return true;
}

ScenarioReader::ScenarioReader() : parsers_(std::make_unique<Parsers>()) {}
ScenarioReader::~ScenarioReader() = default;

Result<std::optional<ImageCollection>> ScenarioReader::Read(std::string_view record,
                                                            Scenario& into) {
  into = {};
  Walk walk(*parsers_, into);
  if (!walk.Record(record)) return Fail(walk.TakeError());
  return walk.TakeCollection();
}

}  // namespace jettison
