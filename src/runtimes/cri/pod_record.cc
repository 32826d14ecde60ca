#include "runtimes/cri/pod_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "containers/cri_container.h"
#include "kernel/files/files.h"
#include "kernel/files/paths.h"
#include "pods/adoption.h"
#include "runtimes/cri/containers/sandboxes.h"

namespace jettison::cri {
namespace {

bool IsWord(std::string_view text) {
  return !text.empty() && text.size() <= 1024 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c != 0x7f; });
}

// Whether only blanks are left of a line.
bool IsOver(std::istringstream& line) {
  return line && (line >> std::ws).eof();
}

// The first process and its start, which stand before the signal, are told better by the group.
bool ReadRun(std::istringstream& line, PodRecord::Run& run) {
  std::int64_t started = -1;
  std::int64_t pid = -1;
  std::int64_t pid_started = -1;
  int signal = -1;
  line >> run.container >> run.attempt >> run.id >> started >> pid >> pid_started >> signal;
  run.started = Instant(Duration(started));
  if (signal > 0) run.stop_signal = signal;
  return IsOver(line) && std::min({std::int64_t{run.attempt}, started, pid, pid_started,
                                   std::int64_t{signal}}) >= 0;
}

bool ReadSandbox(std::istringstream& line, Sandbox& sandbox) {
  std::string network;
  line >> sandbox.id >> sandbox.attempt >> network;
  sandbox.host_network = network == "host";
  return IsOver(line);
}

const std::string* Annotation(const api::PodSandbox& sandbox, std::string_view name) {
  const auto it = sandbox.annotations().find(std::string(name));
  return it == sandbox.annotations().end() ? nullptr : &it->second;
}

bool IsBetter(const api::PodSandbox& one, const api::PodSandbox& other) {
  const bool ready = one.state() == api::SANDBOX_READY;
  if (ready != (other.state() == api::SANDBOX_READY)) return ready;
  return one.metadata().attempt() > other.metadata().attempt();
}

}  // namespace

std::string FormatPodRecord(const PodRecord& record) {
  std::string text = fmt::format("sandbox {} {} {}\n", record.sandbox.id, record.sandbox.attempt,
                                 record.sandbox.host_network ? "host" : "pod");
  for (const PodRecord::Run& run : record.runs) {
    if (!IsWord(run.container) || !IsWord(run.id)) continue;
    text += fmt::format("run {} {} {} {} 0 0 {}\n", run.container, run.attempt, run.id,
                        run.started.time_since_epoch().count(), run.stop_signal.value_or(0));
  }
  return text + fmt::format("pod {}\n", record.written_pod.size()) + record.written_pod;
}

Result<PodRecord> ParsePodRecord(std::string_view text) {
  PodRecord record;
  for (bool is_good = true; is_good;) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) break;
    std::istringstream line{std::string(text.substr(0, end))};
    text.remove_prefix(end + 1);
    std::string kind;
    line >> kind;
    if (kind == "sandbox") {
      is_good = ReadSandbox(line, record.sandbox);
    } else if (kind == "run") {
      is_good = ReadRun(line, record.runs.emplace_back());
    } else {
      std::size_t size = 0;
      line >> size;
      is_good = kind == "pod" && !record.sandbox.id.empty() && IsOver(line) &&
                size <= text.size() && text.find_first_not_of('\n', size) == text.npos;
      if (!is_good) break;
      record.written_pod = text.substr(0, size);
      return record;
    }
  }
  return Fail(ErrorCode::kInvalidArgument, "the record is cut short or damaged");
}

Result<WrittenPod> ReadPodRecord(const RuntimeContext& context, const std::string& uid) {
  if (!kernel::IsPathSegment(uid)) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("{:?} cannot be a UID", uid));
  }
  const std::string path = RecordFile(context, uid);
  const auto text = kernel::ReadFile(path);
  if (!text) return Fail(text.error());
  auto record = ParsePodRecord(*text);
  auto plan = record.and_then([&](const PodRecord& r) {
    return ReadWrittenPod(*context.options.written_pods, r.written_pod, uid);
  });
  if (!plan) return Fail(plan.error().In(path));
  return WrittenPod{.plan = std::move(*plan), .record = std::move(*record)};
}

std::map<std::string, Sandboxes> OwnSandboxes(const RuntimeContext& context,
                                              const Listing& listing) {
  std::map<std::string, Sandboxes> pods;
  for (const api::PodSandbox& sandbox : listing.sandboxes) {
    if (IsOurs(context, sandbox)) pods[sandbox.metadata().uid()].push_back(&sandbox);
  }
  for (auto& [uid, sandboxes] : pods) {
    std::sort(sandboxes.begin(), sandboxes.end(),
              [](const auto* a, const auto* b) { return IsBetter(*a, *b); });
  }
  return pods;
}

Result<PodPlan> ReadDescription(const RuntimeContext& context, const std::string& uid,
                                const Sandboxes& sandboxes) {
  std::string why;
  for (const api::PodSandbox* sandbox : sandboxes) {
    const std::string* const text = Annotation(*sandbox, kPodAnnotation);
    auto plan = text == nullptr ? Fail(ErrorCode::kInvalidArgument, "it is missing")
                                : ReadWrittenPod(*context.options.written_pods, *text, uid);
    if (plan) return plan;
    why += fmt::format("annotation {} of sandbox {}: {}; ", kPodAnnotation, sandbox->id(),
                       plan.error().message);
  }
  auto written = ReadPodRecord(context, uid);
  if (!written) {
    const bool is_missing = written.error().code == ErrorCode::kNotFound;
    return Fail(
        is_missing && !sandboxes.empty() ? ErrorCode::kInvalidArgument : written.error().code,
        why + written.error().message);
  }
  if (!why.empty()) context.Log(why + "the pod is known by " + RecordFile(context, uid));
  return std::move(written->plan);
}

bool IsInHostNetwork(const RuntimeContext& context, const api::PodSandbox& sandbox) {
  if (const std::string* network = Annotation(sandbox, kNetworkAnnotation)) {
    return *network == "host";
  }
  const auto written = ReadPodRecord(context, sandbox.metadata().uid());
  return written && written->record.sandbox.host_network;
}

}  // namespace jettison::cri
