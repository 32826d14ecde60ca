// What is known of pods without the container runtime: from the agent's own records and the kernel.
#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "platform/cri/pod_actor.h"
#include "platform/cri/proc_files.h"
#include "platform/cri/runtime.h"
#include "pod_host/files.h"
#include "pod_host/pod_containers.h"

namespace jettison::cri {
namespace {

std::optional<std::uint64_t> StartOfProcess(Processes& processes, pid_t pid) {
  const auto stat = processes.ReadFile(pid, "stat");
  return stat ? StartOf(*stat) : std::nullopt;
}

}  // namespace

void PodActor::WriteRecord() const {
  if (removing_ || !created_) return;
  PodRecord record{.sandbox = sandbox_,
                   .runs = {},
                   .written_pod = surroundings_.options.written_pods->Write(pod_)};
  for (const auto& [name, run] : runs_) {
    const auto known = run->KnownOrOrdered();
    if (!known) continue;
    PodRecord::Run written{.container = name,
                           .attempt = run->attempt(),
                           .id = known->id,
                           .started = known->started,
                           .process = std::nullopt,
                           .stop_signal = known->stop_signal};
    if (known->pid) {
      const auto start = StartOfProcess(surroundings_.processes, *known->pid);
      if (!start) continue;
      written.process = PodRecord::Process{.pid = *known->pid, .start = *start};
    }
    record.runs.push_back(std::move(written));
  }
  auto written =
      pod_host::RewriteFile(RecordFile(surroundings_, pod_.uid), FormatPodRecord(record));
  if (written || std::exchange(surroundings_.said_no_records, true)) return;
  surroundings_.Log(fmt::format(
      "{}; an agent that starts while the container runtime does not answer will not know the pod",
      written.error().In("write down pod " + FullName(pod_)).message));
}

std::vector<ContainerRecord> PodActor::Recall(const PodRecord& record) {
  sandbox_ = record.sandbox;
  state_ = SandboxState::kReady;
  created_ = true;
  surroundings_.LogFailure("adopt pod " + FullName(pod_), Prepare());
  for (const PodRecord::Run& run : record.runs) {
    const Container* const spec = pod_host::FindContainer(pod_, run.container);
    if (spec == nullptr || runs_.contains(run.container)) continue;
    const std::optional<pid_t> pid = ProcessOf(run);
    if (!pid) continue;
    auto found = std::make_unique<ContainerRun>(surroundings_, OrderFor(*spec, run.attempt, 0));
    found->Adopt(
        {.id = run.id, .pid = pid, .stop_signal = run.stop_signal, .started = run.started});
    if (!found->Known()) continue;  // it has just ended, and the runtime will say how
    ids_[{run.container, run.attempt}] = run.id;
    KeepRun(run.container, std::move(found));
  }
  return RunningRecords();
}

// The first process of a run that goes on. Of one of which no more than its start was ordered, it
// is in the group with the container's ID; what the runtime had only prepared there holds nothing.
std::optional<pid_t> PodActor::ProcessOf(const PodRecord::Run& run) const {
  Processes& processes = surroundings_.processes;
  if (run.process) {
    // Another process may have got the number since.
    const bool is_it = StartOfProcess(processes, run.process->pid) == run.process->start;
    return is_it ? std::optional(run.process->pid) : std::nullopt;
  }
  const auto pid = FirstProcessOf(surroundings_, group_, run.id);
  const auto stat = pid ? processes.ReadFile(*pid, "stat") : Fail(ErrorCode::kNotFound, "none");
  return stat && !IsPrepared(*stat) ? pid : std::nullopt;
}

std::vector<ContainerRecord> PodActor::RunningRecords() const {
  std::vector<ContainerRecord> records;
  for (const auto& [name, run] : runs_) {
    const auto known = run->Known();
    if (!known) continue;
    records.push_back({.pod_uid = pod_.uid,
                       .name = name,
                       .attempt = run->attempt(),
                       .created = known->started,
                       .exit = {}});
  }
  return records;
}

std::string RecordFile(const Surroundings& surroundings, const std::string& uid) {
  return surroundings.paths.Pod(uid) + "/record";
}

Result<std::pair<PodPlan, PodRecord>> Runtime::ReadRecord(const std::string& uid) const {
  if (!pod_host::IsPathSegment(uid)) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("{:?} cannot be a UID", uid));
  }
  const std::string path = RecordFile(surroundings_, uid);
  const auto text = pod_host::ReadFile(path);
  if (!text) return Fail(text.error());
  auto record = ParsePodRecord(*text);
  auto plan = record.and_then([&](const PodRecord& r) { return ParsePod(r.written_pod, uid); });
  if (!plan) return Fail(plan.error().In(path));
  return std::pair(std::move(*plan), std::move(*record));
}

// The pods of an agent before this one that are written down and not known yet.
std::vector<std::pair<PodPlan, PodRecord>> Runtime::ReadRecords() {
  std::vector<std::pair<PodPlan, PodRecord>> found;
  const std::string pods = surroundings_.paths.Pods();
  for (const std::string& uid : pod_host::NamesIn(pods).value_or(std::vector<std::string>{})) {
    if (uid.starts_with(kDoomedPrefix) || pods_.contains(uid) || unread_.contains(uid)) continue;
    auto record = ReadRecord(uid);
    surroundings_.LogFailure("what was written down of pod " + uid, record);
    if (record) found.push_back(std::move(*record));
  }
  return found;
}

// Only those of which something runs: nobody else can be in anybody's way.
std::vector<RuntimePod> Runtime::Recall() {
  recalled_ = true;
  std::vector<RuntimePod> recalled;
  for (auto& [plan, record] : ReadRecords()) {
    auto actor = std::make_unique<PodActor>(surroundings_, plan);
    auto running = actor->Recall(record);
    if (running.empty()) continue;
    pods_[plan.pod.uid] = std::move(actor);
    recalled.push_back({.pod = std::move(plan.pod), .containers = std::move(running)});
  }
  if (!pods_.empty()) UpdateQosGroups();
  return recalled;
}

// Those of which the runtime knows nothing though they were made: it lost them, or it is another
// one. What runs of them goes on, and nothing that they hold is deleted.
void Runtime::AdoptUnlisted(const std::set<std::string>& listed, std::vector<RuntimePod>& pods) {
  for (auto& [plan, record] : ReadRecords()) {
    if (listed.contains(plan.pod.uid)) continue;
    auto actor = std::make_unique<PodActor>(surroundings_, plan);
    (void)actor->Recall(record);
    pods_[plan.pod.uid] = std::move(actor);
  }
  std::size_t unlisted = 0;
  for (const auto& [uid, actor] : pods_) {
    if (listed.contains(uid) || actor->removing()) continue;
    actor->LoseSandbox();
    pods.push_back({.pod = actor->plan().pod, .containers = actor->RunningRecords()});
    ++unlisted;
  }
  if (unlisted == 0) return;
  surroundings_.Log(fmt::format(
      "the container runtime knows nothing of {} pods that this agent had made on it; what runs of "
      "them goes on and is guarded, what ends is started anew; see that containerRuntimeEndpoint "
      "is "
      "the one that they were made on",
      unlisted));
}

}  // namespace jettison::cri
