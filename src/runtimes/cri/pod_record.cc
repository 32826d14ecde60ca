#include "runtimes/cri/pod_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "containers/cri_container.h"
#include "core/text/number.h"
#include "kernel/files/files.h"
#include "kernel/files/own_folders.h"
#include "kernel/files/paths.h"
#include "pods/earlier_pods.h"
#include "runtimes/cri/containers/sandboxes.h"

namespace jettison::cri {
namespace {

bool IsWord(std::string_view text) {
  return !text.empty() && text.size() <= 1024 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c != 0x7f; });
}

// Reads the words of one line one after the other, and remembers whether one was missing or wrong.
class Words {
 public:
  explicit Words(std::string_view line) : line_(line) {}

  std::string Word() {
    const std::size_t end = line_.find(' ');
    const std::string_view word = line_.substr(0, end);
    line_.remove_prefix(end == std::string_view::npos ? line_.size() : end + 1);
    ok_ = ok_ && IsWord(word);
    return std::string(word);
  }
  template <typename T>
  T Number() {
    const auto number = ParseNumber<T>(Word());
    ok_ = ok_ && number && *number >= T{0};
    return number.value_or(T{});
  }
  // Whether no word was missing or wrong, and none is left.
  [[nodiscard]] bool Complete() const { return ok_ && line_.empty(); }

 private:
  std::string_view line_;
  bool ok_ = true;
};

// The text of so many bytes; only blank lines may follow it.
bool EndsWithPod(std::string_view text, std::size_t size) {
  return size <= text.size() && text.find_first_not_of('\n', size) == std::string_view::npos;
}

Sandbox ReadSandbox(Words& words) {
  Sandbox sandbox{.id = words.Word(), .attempt = words.Number<std::uint32_t>()};
  sandbox.host_network = words.Word() == "host";
  return sandbox;
}

PodRecord::Run ReadRun(Words& words) {
  PodRecord::Run run{.container = words.Word(),
                     .attempt = words.Number<int>(),
                     .id = words.Word(),
                     .started = Instant(Duration(words.Number<std::int64_t>()))};
  (void)words.Number<int>();  // the first process and its start, which the group tells better
  (void)words.Number<std::uint64_t>();
  const int signal = words.Number<int>();
  if (signal > 0) run.stop_signal = signal;
  return run;
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
  for (;;) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) {
      return Fail(ErrorCode::kInvalidArgument, "the record is cut short");
    }
    Words words(text.substr(0, end));
    text.remove_prefix(end + 1);
    const std::string kind = words.Word();
    if (kind == "sandbox") {
      record.sandbox = ReadSandbox(words);
    } else if (kind == "run") {
      record.runs.push_back(ReadRun(words));
    } else if (kind == "pod" && !record.sandbox.id.empty()) {
      const auto size = words.Number<std::size_t>();
      if (!words.Complete() || !EndsWithPod(text, size)) break;
      record.written_pod = text.substr(0, size);
      return record;
    } else {
      break;
    }
    if (!words.Complete()) return Fail(ErrorCode::kInvalidArgument, "the record is damaged");
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

std::vector<WrittenPod> ReadPodRecords(const RuntimeContext& context,
                                       const std::function<bool(const std::string&)>& known) {
  std::vector<WrittenPod> found;
  const std::string pods = context.paths.Pods();
  for (const std::string& uid : kernel::NamesIn(pods).value_or(std::vector<std::string>{})) {
    if (uid.starts_with(kernel::kDoomedPrefix) || known(uid)) continue;
    auto written = ReadPodRecord(context, uid);
    context.LogFailure("what was written down of pod " + uid, written);
    if (written) found.push_back(*std::move(written));
  }
  return found;
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
    return Fail(is_missing ? ErrorCode::kInvalidArgument : written.error().code,
                why + written.error().message);
  }
  context.Log(fmt::format("{}the pod is known by {}", why, RecordFile(context, uid)));
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
