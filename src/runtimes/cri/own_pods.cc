#include "runtimes/cri/own_pods.h"

#include <algorithm>
#include <utility>

#include "kernel/files/files.h"
#include "kernel/files/own_folders.h"
#include "runtimes/cri/containers/sandboxes.h"

namespace jettison::cri {

PodActor* OwnPods::Find(const std::string& uid) const {
  const auto it = actors_.find(uid);
  return it == actors_.end() ? nullptr : it->second.get();
}

ContainerRun* OwnPods::FindRun(const std::string& uid, const std::string& container) const {
  PodActor* const pod = Find(uid);
  return pod == nullptr ? nullptr : pod->runs().Find(container);
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

void OwnPods::Advance() {
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
    if (!all_taken_over_) gone_.insert(uid);
    it = actors_.erase(it);
  }
}

std::vector<RuntimePod> OwnPods::Recall() {
  std::vector<RuntimePod> recalled;
  const auto uids = kernel::NamesIn(context_.paths.Pods());
  for (const std::string& uid : uids.value_or(std::vector<std::string>{})) {
    if (uid.starts_with(kernel::kDoomedPrefix) || Has(uid)) continue;
    const auto written = ReadPodRecord(context_, uid);
    context_.LogFailure("what was written down of pod " + uid, written);
    if (!written) continue;
    auto actor = std::make_unique<PodActor>(context_, written->plan);
    auto running = actor->Recall(written->record);
    if (running.empty()) continue;
    Add(std::move(actor));
    recalled.push_back({.pod = *written->plan.pod, .containers = std::move(running)});
  }
  return recalled;
}

std::vector<RuntimePod> OwnPods::TakeOverAll(const Found& found, const OnFailure& failed) {
  std::vector<RuntimePod> adopted;
  for (const auto& [uid, sandboxes] : OwnSandboxes(context_, found.listing)) {
    // A pod that was recalled and has been ended since is not taken over again. Its sandbox may
    // have been removed after the runtime made its listing.
    const PodActor* const recalled = Find(uid);
    if (gone_.contains(uid) || (recalled != nullptr && recalled->removing())) continue;
    const auto plan =
        recalled != nullptr ? recalled->plan() : ReadDescription(context_, uid, sandboxes);
    if (!plan) {
      failed(uid, plan.error());
    } else {
      adopted.push_back(TakeOver(*plan, sandboxes, found));
    }
  }
  all_taken_over_ = true;
  gone_.clear();
  return adopted;
}

RuntimePod OwnPods::TakeOver(const PodPlan& plan, const Sandboxes& sandboxes, const Found& found) {
  PodActor* const known = Find(plan.pod->uid);
  PodActor& actor = known != nullptr ? *known : Add(plan);
  const api::PodSandbox& sandbox = *sandboxes.front();
  actor.Adopt({.id = sandbox.id(),
               .attempt = sandbox.metadata().attempt(),
               .host_network = IsInHostNetwork(context_, sandbox)},
              sandbox.state() == api::SANDBOX_READY);
  // In the order of attempts, because the newest run of a container counts.
  std::vector<const api::ContainerStatusResponse*> own;
  for (const api::Container& container : found.listing.containers) {
    if (container.pod_sandbox_id() != sandbox.id()) continue;
    const auto status = found.statuses.find(container.id());
    if (status != found.statuses.end()) own.push_back(&status->second);
  }
  std::sort(own.begin(), own.end(), [](const auto* a, const auto* b) {
    return a->status().metadata().attempt() < b->status().metadata().attempt();
  });
  RuntimePod adopted{.pod = *plan.pod};
  for (const api::ContainerStatusResponse* container : own) {
    if (auto record = actor.runs().Adopt(*container)) {
      record->of_earlier_life = sandbox.state() != api::SANDBOX_READY;
      adopted.containers.push_back(std::move(*record));
    }
  }
  return adopted;
}

// Running containers continue; the next ones are started in a new sandbox.
RuntimePod OwnPods::TakeOver(const WrittenPod& written) {
  PodActor& actor = Add(written.plan);
  RuntimePod adopted{.pod = *written.plan.pod, .containers = actor.Recall(written.record)};
  actor.LoseSandbox();
  return adopted;
}

std::vector<RuntimePod> OwnPods::LoseUnlisted(const std::map<std::string, Sandboxes>& listed) {
  std::vector<RuntimePod> lost;
  for (const auto& [uid, actor] : actors_) {
    if (listed.contains(uid) || actor->removing()) continue;
    actor->LoseSandbox();
    lost.push_back({.pod = *actor->plan().pod, .containers = actor->runs().Running()});
  }
  return lost;
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

void OwnPods::WriteRecords(bool only_missed) const {
  for (const auto& [uid, actor] : actors_) {
    if (!only_missed || actor->has_no_record()) actor->WriteRecord();
  }
}

}  // namespace jettison::cri
