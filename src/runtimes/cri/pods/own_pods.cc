#include "runtimes/cri/pods/own_pods.h"

#include <string_view>
#include <utility>
#include <variant>

namespace jettison::cri {

PodActor* OwnPods::Find(const std::string& uid) const {
  const auto it = actors_.find(uid);
  return it == actors_.end() ? nullptr : it->second.get();
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
    if (actor->next_attempt() > 1 && !actor->created()) {
      first_attempts_[uid] = actor->next_attempt();
    }
    gone(uid, *actor);
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
