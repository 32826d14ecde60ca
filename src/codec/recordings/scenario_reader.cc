#include "codec/recordings/scenario_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "codec/documents/json.h"
#include "codec/kubernetes/pod_reader.h"
#include "codec/kubernetes/summary_reader.h"
#include "codec/recordings/scenario_policy.h"
#include "core/model/fault.h"
#include "core/pods/pod_kind.h"
#include "core/text/spelling.h"
#include "core/text/text_index.h"
#include "core/thresholds/fields.h"

namespace jettison {
namespace {

using kube_json::FaultLog;
using kube_json::Field;
using PodIndex = TextIndex<std::size_t>;  // by UID

// The last one is what the vectors have beside a scenario; it is not read.
constexpr auto kScenarioFields =
    std::to_array<std::string_view>({"name", "start", "profile", "kubeletConfig", "jettisonConfig",
                                     "disk", "pods", "steps", "outcomes"});
constexpr auto kStepFields = std::to_array<std::string_view>(
    {"at", "summary", "summaryAfterReclaim", "activePods", "admit", "killErrors"});

void RefuseOthers(const Field& map, std::span<const std::string_view> allowed) {
  for (const auto& [key, value] : *map.value()->AsMap()) {
    if (std::ranges::find(allowed, key) != allowed.end()) continue;
    map.Member(key).Fault(fmt::format("there is no such field{}", DidYouMean(key, allowed)));
  }
}

// Reads a text that `parse` understands.
template <typename T>
void ReadText(const Field& field, Result<T> (*parse)(std::string_view), T& into) {
  const auto text = field.String();
  if (!text) return;
  const auto value = parse(*text);
  if (!value) return field.Fault(value.error().message);
  into = *value;
}

void ReadProfile(const Field& field, Profile& into) {
  const auto text = field.String();
  if (!text) return;
  into = text == "standalone" ? Profile::kStandalone : Profile::kKubelet;
  if (text != "standalone" && text != "kubelet") {
    field.Fault("must be \"kubelet\" or \"standalone\"");
  }
}

PodIndex ReadPods(const Field& list, Scenario& into) {
  PodIndex index;
  list.ForEachItem([&](const Field& item) {
    if (!item.IsPresent()) return item.Fault("must be a map, found null");
    PodReading reading = ReadPod(*item.value(), {.file = "", .form = PodForm::kApiObject});
    if (!reading.Ok()) return item.Fault(Describe(reading.faults.front()));
    if (!index.emplace(reading.pod.uid, into.pods.size()).second) {
      return item.Fault(fmt::format("has the UID \"{}\" of another pod", reading.pod.uid));
    }
    PodFacts& pod = into.pods.emplace_back(FactsOf(std::move(reading.pod), into.profile));
    pod.protection = IsCritical(pod.pod, into.profile) ? Protection::kCritical : Protection::kNone;
  });
  return index;
}

void ReadPodList(const Field& list, const PodIndex& index, std::vector<std::size_t>& pods) {
  for (const std::string& uid : list.Strings()) {
    if (const auto found = index.find(uid); found != index.end()) {
      pods.push_back(found->second);
    } else {
      list.Fault(fmt::format("\"{}\" is the UID of none of the scenario's pods", uid));
    }
  }
}

void ReadStep(const Field& field, Instant start, const PodIndex& pods, ScenarioStep& step) {
  if (!field.IsMap()) return;
  RefuseOthers(field, kStepFields);
  const Field at = field.Member("at");
  ReadText(at, ParseDuration, step.at);
  Duration::rep unused = 0;
  if (__builtin_add_overflow(start.time_since_epoch().count(), step.at.count(), &unused)) {
    at.Fault("is beyond the end of time (the year 2262)");
  }
  const Field summary = field.Member("summary");
  if (!summary.IsPresent()) summary.Fault("is missing");
  ReadSummary(summary, step.summary);
  const Field after = field.Member("summaryAfterReclaim");
  if (after.IsPresent()) ReadSummary(after, step.summary_after_reclaim.emplace());
  ReadPodList(field.Member("activePods"), pods, step.active);
  ReadPodList(field.Member("admit"), pods, step.admit);
  ReadPodList(field.Member("killErrors"), pods, step.kill_errors);
}

void ReadMembers(const Field& field, Scenario& into) {
  if (!field.IsMap()) return;
  RefuseOthers(field, kScenarioFields);
  into.name = field.Member("name").String().value_or("");
  const Field start = field.Member("start");
  if (!start.IsPresent()) start.Fault("is missing; write an RFC 3339 time");
  ReadText(start, ParseInstant, into.start);
  ReadProfile(field.Member("profile"), into.profile);
  for (const std::string_view settings : {"kubeletConfig", "jettisonConfig", "disk"}) {
    (void)field.Member(settings).IsMap();
  }
  const PodIndex pods = ReadPods(field.Member("pods"), into);
  field.Member("steps").ForEachItem([&](const Field& step) {
    if (!step.IsPresent()) step.Fault("must be a map, found null");
    ReadStep(step, into.start, pods, into.steps.emplace_back());
  });
}

constexpr auto kMostBytes = std::numeric_limits<std::int64_t>::max();

// Ages count back from here; any instant far from the ends of time will do.
constexpr Instant kCollectedAt{std::chrono::hours(24 * 365 * 50)};

std::uint64_t Bytes(const Fields& fields, std::string_view key) {
  return static_cast<std::uint64_t>(fields.Integer(key, 0, kMostBytes).value_or(0));
}

int Percent(const Fields& fields, std::string_view key, int otherwise) {
  return static_cast<int>(fields.Integer(key, 0, 100).value_or(otherwise));
}

Duration Age(const Fields& fields, std::string_view key, Duration otherwise) {
  return fields.Span(key, Duration::zero()).value_or(otherwise);
}

void ReadImage(const Fields& fields, ImageCollection& collection) {
  const auto id = fields.Text("id");
  if (!id) return fields.Refuse("id", "", "is required");
  ImageRecord image{.id = *id,
                    .size_bytes = Bytes(fields, "sizeBytes"),
                    .first_detected = kCollectedAt - Age(fields, "firstDetectedAgo", {}),
                    .last_used = std::nullopt,
                    .in_use = fields.Flag("inUse").value_or(false),
                    .pinned = fields.Flag("pinned").value_or(false)};
  if (const auto ago = fields.Span("lastUsedAgo", Duration::zero())) {
    image.last_used = kCollectedAt - *ago;
  }
  if (fields.Flag("removeFails").value_or(false)) collection.refused.insert(*id);
  collection.images.push_back(std::move(image));
}

Result<ImageCollection> ReadImageCollection(const Value& image_gc) {
  Faults faults;
  const Fields fields(image_gc, "", faults, "imageGC.");
  const ImageGcPolicy defaults;
  ImageCollection collection{
      .name = fields.Text("name").value_or(""),
      .mode = fields.Enumerator<ImageGcMode>("mode").value_or(ImageGcMode::kGarbageCollect),
      .policy = {.high_threshold_percent = Percent(fields, "imageGCHighThresholdPercent",
                                                   defaults.high_threshold_percent),
                 .low_threshold_percent =
                     Percent(fields, "imageGCLowThresholdPercent", defaults.low_threshold_percent),
                 .min_age = Age(fields, "imageMinimumGCAge", defaults.min_age),
                 .max_age = Age(fields, "imageMaximumGCAge", defaults.max_age)},
      .times = {.now = kCollectedAt, .uptime = Age(fields, "uptime", {})},
      .image_fs = {.capacity = Bytes(fields, "imageFsCapacityBytes"),
                   .available = Bytes(fields, "imageFsAvailableBytes")},
      .images = {},
      .refused = {}};
  for (const Fields& image : fields.ListOfMaps("images")) ReadImage(image, collection);
  if (!faults.empty()) return Fail(ErrorCode::kInvalidArgument, DescribeAll(faults));
  return collection;
}

}  // namespace

Result<std::optional<ImageCollection>> ReadScenario(std::string_view record, Scenario& into) {
  into = {};
  // A record is one line, so that lines say nothing.
  const auto document = ParseJson(record, 0);
  if (!document || document->AsMap() == nullptr) {
    return Fail(ErrorCode::kInvalidArgument, "is not a valid JSON object");
  }
  if (const Value* const image_gc = document->Find("imageGC")) {
    auto collection = ReadImageCollection(*image_gc);
    if (!collection) return Fail(collection.error());
    return *std::move(collection);
  }
  FaultLog log;
  const Field root(*document, log);
  const Field inner = root.Member("scenario");
  const Field& scenario = inner.IsPresent() ? inner : root;
  ReadMembers(scenario, into);
  if (!log.faults.empty()) return Fail(ErrorCode::kInvalidArgument, DescribeAll(log.faults));
  auto policy = ScenarioPolicy(*scenario.value());
  if (!policy) return Fail(policy.error());
  into.policy = *std::move(policy);
  return std::nullopt;
}

}  // namespace jettison
