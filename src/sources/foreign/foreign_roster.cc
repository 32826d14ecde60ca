#include "sources/foreign/foreign_roster.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace jettison {

ForeignRoster::ForeignRoster(RunEdges& edges, std::function<bool(const std::string&)> taken,
                             std::function<void(RuntimePod)> tell)
    : edges_(edges), taken_(std::move(taken)), tell_(std::move(tell)) {}

Result<void> ForeignRoster::Take(ForeignFinding finding, Complaints& complaints) {
  const std::string id = finding.identity.key;
  Pod pod = std::move(finding.reading.pod);
  const auto is_taken = [&] { return taken_(pod.uid) || pods_.contains(pod.uid); };
  if (is_taken()) pod.uid = id;
  if (is_taken()) return Fail(ErrorCode::kInvalidArgument, "another pod has its ID as UID");
  for (const std::string& ignored : finding.reading.ignored) {
    complaints.Say(id, fmt::format("annotation of pod {} makes no sense and is ignored: {}",
                                   FullName(pod), ignored));
  }
  auto& place = pods_[pod.uid];
  keys_.emplace(id, pod.uid);
  place = std::make_unique<ForeignPod>(edges_, std::move(pod), std::move(finding));
  tell_(place->Begin());
  return {};
}

void ForeignRoster::OnListed(const std::string& list,
                             const std::map<std::string, std::set<std::string>>& running) {
  for (const auto& [uid, pod] : pods_) {
    if (pod->list() != list) continue;
    const auto told = running.find(pod->key());
    pod->OnListed(told == running.end() ? std::set<std::string>{} : told->second);
  }
  Advance();
}

void ForeignRoster::OnOneListed(const std::string& list, const std::string& key,
                                const std::set<std::string>& running) {
  std::vector<std::string> gone;
  for (auto at = keys_.lower_bound({key, ""}); at != keys_.end() && at->first == key; ++at) {
    ForeignPod& pod = *pods_.at(at->second);
    if (pod.list() != list) continue;
    pod.OnListed(running);
    pod.Advance();
    if (pod.gone()) gone.push_back(at->second);
  }
  for (const std::string& uid : gone) Forget(uid);
}

void ForeignRoster::Advance() {
  std::vector<std::string> gone;
  for (const auto& [uid, pod] : pods_) {
    pod->Advance();
    if (pod->gone()) gone.push_back(uid);
  }
  for (const std::string& uid : gone) Forget(uid);
}

void ForeignRoster::Forget(const std::string& uid) {
  const auto at = pods_.find(uid);
  if (at == pods_.end()) return;
  keys_.erase({at->second->key(), uid});
  pods_.erase(at);
}

bool ForeignRoster::Has(const std::string& key) const {
  const auto at = keys_.lower_bound({key, ""});
  return at != keys_.end() && at->first == key;
}

ForeignPod* ForeignRoster::Find(const std::string& uid) const {
  const auto it = pods_.find(uid);
  return it == pods_.end() ? nullptr : it->second.get();
}

}  // namespace jettison
