#include "runtimes/cri/own_pods.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

#include "kernel/files/files.h"
#include "kernel/files/paths.h"
#include "kernel/groups/layout/cgroup_layout.h"
#include "kernel/mounts/volumes.h"

namespace jettison::cri {
namespace {

// A record that could not be written is written again with the next listing.
void NoteRecord(RuntimeContext& context, const std::string& uid, const std::string& name,
                const Result<void>& written) {
  if (written) {
    context.unwritten_records.erase(uid);
    return;
  }
  context.unwritten_records.insert(uid);
  if (!context.said_no_records.Take()) return;
  context.Log(fmt::format(
      "{}; it is tried again; until then, an agent that starts while the container runtime does "
      "not answer will not know the pod",
      written.error().In("write down pod " + name).message));
}

}  // namespace

PodActor::PodActor(RuntimeContext& context, PodPlan plan)
    : context_(context),
      plan_(std::move(plan)),
      group_(kernel::PodGroup(plan_.qos, pod_.uid, context_.options.cgroup_driver)),
      sandbox_(context_, plan_, group_, [this](const Result<void>& made) { OnSandbox(made); }),
      runs_(context_, plan_, group_,
            [this](const std::function<void()>& then) { WriteRecord(then); }) {}

void PodActor::Create(std::uint32_t first_attempt) {
  sandbox_.Make(first_attempt);
}

void PodActor::OnSandbox(const Result<void>& made) {
  const std::vector<std::string> waiting = std::exchange(waiting_, {});
  if (made && !std::exchange(created_, true)) context_.Emit(PodReady{pod_.uid});
  if (!made && !created_) FailCreation(made.error());
  for (const std::string& name : waiting) {
    ContainerRun* const run = runs_.Find(name);
    if (run == nullptr) continue;
    if (made) {
      run->Start(sandbox_.sandbox());
    } else {
      run->RefuseStart(made.error());
    }
  }
}

void PodActor::FailCreation(Error error) {
  create_error_ = std::move(error);
  removing_ = true;
  context_.readiness.Wake();
}

void PodActor::Adopt(Sandbox sandbox, bool ready) {
  created_ = true;
  sandbox_.Adopt(std::move(sandbox), ready);
}

std::vector<ContainerRecord> PodActor::Recall(const PodRecord& record) {
  Adopt(record.sandbox, true);
  runs_.Recall(record.runs);
  return runs_.Running();
}

// A record names a sandbox, so there is none before the first one.
void PodActor::WriteRecord(const std::function<void()>& then) const {
  if (removing_ || !created_ || sandbox_.sandbox().id.empty()) {
    if (then) then();
    return;
  }
  const PodRecord record{.sandbox = sandbox_.sandbox(),
                         .runs = runs_.Written(),
                         .written_pod = context_.options.written_pods->Write(pod_)};
  context_.disk.Do([file = RecordFile(context_, pod_.uid),
                    text = FormatPodRecord(record)] { return kernel::RewriteFile(file, text); },
                   [&context = context_, uid = pod_.uid, name = FullName(pod_),
                    then](const Result<void>& written) {
                     NoteRecord(context, uid, name, written);
                     if (then) then();
                   });
}

void PodActor::StartContainer(const std::string& name, int attempt, int oom_score_adj) {
  const auto refuse = [&](ErrorCode code, std::string why) {
    context_.RefuseStart(pod_.uid, name, attempt, {code, std::move(why)});
  };
  const Container* const spec = kernel::FindContainer(pod_, name);
  if (removing_ || !created_) return refuse(ErrorCode::kNotFound, "there is no such pod");
  if (spec == nullptr) return refuse(ErrorCode::kNotFound, "the pod has no such container");
  if (runs_.Find(name) != nullptr) {
    return refuse(ErrorCode::kInvalidArgument, "the container runs already");
  }
  ContainerRun& run = runs_.Begin(*spec, attempt, oom_score_adj);
  if (sandbox_.is_ready()) return run.Start(sandbox_.sandbox());
  waiting_.push_back(name);
  if (!sandbox_.is_making()) sandbox_.Make(next_attempt());
}

void PodActor::Remove() {
  tell_removed_ = true;
  sandbox_.GiveUp();
  create_error_.reset();
  if (std::exchange(removing_, true)) return;
  // Without its record, no later agent takes the pod over.
  context_.disk.Do([file = RecordFile(context_, pod_.uid)]() -> Result<void> {
    (void)::unlink(file.c_str());
    return {};
  });
  runs_.KillAll();
  context_.readiness.Wake();
}

void PodActor::StartRemoval() {
  removal_.emplace(
      context_,
      PodRemains{.uid = pod_.uid, .groups = {group_}, .log_dirs = {context_.paths.PodLogs(pod_)}},
      runs_.Layers());
  removal_->Start();
}

void PodActor::Advance() {
  runs_.Advance();
  if (!removing_ || gone_ || sandbox_.is_making() || !runs_.AllEnded()) return;
  if (!removal_) StartRemoval();
  // The failure to create a pod is reported even if the runtime does not answer.
  if (create_error_ && (removal_->done() || !removal_->problem().empty())) {
    context_.Emit(PodFailed{pod_.uid, *std::exchange(create_error_, std::nullopt)});
  }
  if (!removal_->done()) return;
  gone_ = true;
  if (tell_removed_) context_.Emit(PodRemoved{pod_.uid});
}

bool PodActor::Claims(const std::string& sandbox_id) const {
  return removing_ || sandbox_.is_making() || sandbox_.sandbox().id == sandbox_id;
}

void PodActor::AddKnown(std::set<std::string, std::less<>>& ids) const {
  if (sandbox_.is_ready()) ids.insert(sandbox_.sandbox().id);
  runs_.AddKnown(ids);
}

void PodActor::OnListed(const Listing& listing) {
  if (removing_ || sandbox_.is_making()) return;
  const std::string& id = sandbox_.sandbox().id;
  const auto own = std::find_if(listing.sandboxes.begin(), listing.sandboxes.end(),
                                [&](const auto& sandbox) { return sandbox.id() == id; });
  const bool ready = own != listing.sandboxes.end() && own->state() == api::SANDBOX_READY;
  if (sandbox_.is_ready() && !ready && listing.known.contains(id)) OnSandboxLost();
  runs_.OnListed(listing, id);
}

// Its containers have lost what they share. They are ended, and started again in a new sandbox.
// (kubelet: "Pod sandbox changed, it will be killed and re-created.")
void PodActor::OnSandboxLost() {
  sandbox_.Lose();
  context_.Log(fmt::format("the sandbox of pod {} has ended; its containers are ended, too",
                           FullName(pod_)));
  runs_.KillAll();
}

PodDisk PodActor::Disk() const {
  PodDisk disk = kernel::DiskOf(context_.paths, pod_);
  runs_.AddLayers(disk);
  return disk;
}

void PodActor::AddLogs(std::vector<RunningLog>& logs) const {
  if (!removing_) runs_.AddLogs(logs);
}

PodActor* OwnPods::Find(const std::string& uid) const {
  const auto it = actors_.find(uid);
  return it == actors_.end() ? nullptr : it->second.get();
}

ContainerRun* OwnPods::FindRun(const std::string& uid, const std::string& container) const {
  PodActor* const pod = Find(uid);
  return pod == nullptr ? nullptr : pod->runs().Find(container);
}

PodActor& OwnPods::Add(PodPlan plan) {
  return Add(std::make_unique<PodActor>(context_, std::move(plan)));
}

PodActor& OwnPods::Add(std::unique_ptr<PodActor> actor) {
  std::unique_ptr<PodActor>& place = actors_[actor->plan().pod->uid];
  place = std::move(actor);
  return *place;
}

void OwnPods::Create(const PodPlan& plan) {
  const auto first_attempt = first_attempts_.find(plan.pod->uid);
  PodActor& actor = Add(plan);
  actor.Create(first_attempt == first_attempts_.end() ? 0 : first_attempt->second);
}

void OwnPods::Advance(const OnGone& gone) {
  for (auto it = actors_.begin(); it != actors_.end();) {
    auto& [uid, actor] = *it;
    actor->Advance();
    if (!actor->gone()) {
      ++it;
      continue;
    }
    // Names of sandboxes whose creation failed may stay taken; others are free again.
    first_attempts_.erase(uid);
    if (!actor->created()) first_attempts_[uid] = actor->next_attempt();
    gone(uid);
    it = actors_.erase(it);
  }
}

std::set<std::string, std::less<>> OwnPods::KnownIds() const {
  std::set<std::string, std::less<>> ids;
  for (const auto& [uid, actor] : actors_) actor->AddKnown(ids);
  return ids;
}

std::vector<RunningLog> OwnPods::RunningLogs() const {
  std::vector<RunningLog> logs;
  for (const auto& [uid, actor] : actors_) actor->AddLogs(logs);
  return logs;
}

void OwnPods::ReopenLog(const RunningLog& log,
                        std::function<void(const Result<void>&)> done) const {
  const ContainerRun* const run = FindRun(log.pod_uid, log.container);
  if (run == nullptr) return done(Fail(ErrorCode::kNotFound, "its container has ended"));
  api::ReopenContainerLogRequest request;
  request.set_container_id(run->id());
  context_.calls.Make(kReopenContainerLog, request, context_.options.request_timeout,
                      [done = std::move(done)](const auto& answer) {
                        done(answer ? Result<void>() : Fail(answer.error()));
                      });
}

void OwnPods::WriteRecords() const {
  for (const auto& [uid, actor] : actors_) actor->WriteRecord();
}

void OwnPods::WriteMissedRecords() const {
  for (const std::string& uid : std::exchange(context_.unwritten_records, {})) {
    if (const PodActor* pod = Find(uid)) pod->WriteRecord();
  }
}

void OwnPods::WriteRecordsAfter(const std::vector<RuntimeEvent>& events) const {
  std::set<std::string_view> changed;
  for (const RuntimeEvent& event : events) {
    if (const auto* ready = std::get_if<PodReady>(&event)) changed.insert(ready->pod_uid);
    if (const auto* started = std::get_if<ContainerStarted>(&event)) {
      changed.insert(started->pod_uid);
    }
  }
  for (const std::string_view uid : changed) {
    if (const PodActor* pod = Find(std::string(uid))) pod->WriteRecord();
  }
}

}  // namespace jettison::cri
