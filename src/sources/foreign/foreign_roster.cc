#include "sources/foreign/foreign_roster.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

namespace jettison::cri {

ForeignRoster::ForeignRoster(Surroundings& surroundings,
                             std::function<bool(const std::string&)> taken,
                             std::function<void(RuntimePod)> tell)
    : surroundings_(surroundings), taken_(std::move(taken)), tell_(std::move(tell)) {}

Result<void> ForeignRoster::Take(ForeignFinding finding, Complaints& complaints) {
  std::vector<ForeignContainer>& containers = finding.containers;
  std::sort(containers.begin(), containers.end(), [](const auto& a, const auto& b) {
    return std::pair(a.created_at, std::string_view(a.id)) <
           std::pair(b.created_at, std::string_view(b.id));
  });
  NameContainers(containers);
  const std::string id = finding.identity.key;
  ForeignReading reading = ReadForeignPod(finding.identity, containers);
  Pod& pod = reading.pod;
  const auto is_taken = [&] {
    return (!finding.unread && taken_(pod.uid)) || pods_.contains(pod.uid);
  };
  if (is_taken()) pod.uid = id;
  if (is_taken()) return Fail(ErrorCode::kInvalidArgument, "another pod has its ID as UID");
  for (const std::string& ignored : reading.ignored) {
    complaints.Say(id, fmt::format("annotation of pod {} makes no sense and is ignored: {}",
                                   FullName(pod), ignored));
  }
  auto& place = pods_[pod.uid];
  place = std::make_unique<ForeignPod>(surroundings_, std::move(pod), std::move(finding));
  tell_(place->Begin());
  return {};
}

void ForeignRoster::OnSandboxesListed(const std::map<std::string, std::set<std::string>>& running) {
  for (const auto& [uid, pod] : pods_) {
    const auto* const base = std::get_if<CriSandbox>(&pod->base());
    if (base == nullptr) continue;
    const auto sandbox = running.find(base->id);
    pod->OnListed(sandbox == running.end() ? std::set<std::string>{} : sandbox->second);
  }
  Advance();
}

void ForeignRoster::Advance() {
  for (const auto& [uid, pod] : pods_) pod->Advance();
  std::erase_if(pods_, [](const auto& pod) { return pod.second->gone(); });
}

bool ForeignRoster::Has(const std::string& key) const {
  return std::any_of(pods_.begin(), pods_.end(),
                     [&](const auto& pod) { return pod.second->key() == key; });
}

std::vector<std::string> ForeignRoster::TasksIn(const std::string& of) const {
  std::vector<std::string> ids;
  for (const auto& [uid, pod] : pods_) {
    for (const TaskKey& task : pod->tasks()) {
      if (task.of == of) ids.push_back(task.id);
    }
  }
  return ids;
}

ForeignPod* ForeignRoster::Find(const std::string& uid) const {
  const auto it = pods_.find(uid);
  return it == pods_.end() ? nullptr : it->second.get();
}

}  // namespace jettison::cri
