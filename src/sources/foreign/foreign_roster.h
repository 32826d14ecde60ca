#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "containers/run_edges.h"
#include "sources/foreign/complaints.h"
#include "sources/foreign/foreign_pod.h"
#include "sources/foreign/foreign_pod_value.h"

namespace jettison {

// The foreign pods that the agent watches, however they were found.
class ForeignRoster {
 public:
  // `taken` says whether a pod of this agent has the UID; `tell` receives each pod that is added.
  ForeignRoster(RunEdges& edges, std::function<bool(const std::string&)> taken,
                std::function<void(RuntimePod)> tell);
  ForeignRoster(const ForeignRoster&) = delete;
  ForeignRoster& operator=(const ForeignRoster&) = delete;
  ~ForeignRoster() = default;

  // Adds a pod; under its key where another pod has its UID. Fails where the key is taken, too.
  // Invalid annotations are reported to `complaints` under its key.
  [[nodiscard]] Result<void> Take(ForeignFinding finding, Complaints& complaints);
  // The pods of this list of a source that run now: by key, the IDs of their running containers.
  void OnListed(const std::string& list,
                const std::map<std::string, std::set<std::string>>& running);
  // The same of one pod, for a source that learns of changes one by one; the others stay as they
  // are.
  void OnOneListed(const std::string& list, const std::string& key,
                   const std::set<std::string>& running);
  // Forgets those that are gone.
  void Advance();

  [[nodiscard]] bool Has(const std::string& key) const;
  // Null: there is none of this UID.
  [[nodiscard]] ForeignPod* Find(const std::string& uid) const;
  void Forget(const std::string& uid);

 private:
  RunEdges& edges_;
  std::function<bool(const std::string&)> taken_;
  std::function<void(RuntimePod)> tell_;
  std::map<std::string, std::unique_ptr<ForeignPod>> pods_;  // by UID
  std::set<std::pair<std::string, std::string>> keys_;       // of each, with its UID
};

}  // namespace jettison
