#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "containers/run_edges.h"
#include "sources/foreign/complaints.h"
#include "sources/foreign/foreign_pod.h"
#include "sources/foreign/foreign_pod_value.h"

namespace jettison {

// Foreign pods that are looked after, however they were found.
class ForeignRoster {
 public:
  // `taken`: whether a pod of this agent has the UID; `tell`: receives each that is taken.
  ForeignRoster(RunEdges& edges, std::function<bool(const std::string&)> taken,
                std::function<void(RuntimePod)> tell);
  ForeignRoster(const ForeignRoster&) = delete;
  ForeignRoster& operator=(const ForeignRoster&) = delete;
  ~ForeignRoster() = default;

  // Looks after it from now on, under its key where another pod has its UID. Fails where that is
  // taken, too. What it says that makes no sense is a complaint of its key.
  [[nodiscard]] Result<void> Take(ForeignFinding finding, Complaints& complaints);
  // What runs now of the pods that this list of a source has, by their keys: IDs of containers.
  void OnListed(const std::string& list,
                const std::map<std::string, std::set<std::string>>& running);
  // Forgets those that are gone.
  void Advance();

  [[nodiscard]] bool Has(const std::string& key) const;
  // Null: there is none of this UID.
  [[nodiscard]] ForeignPod* Find(const std::string& uid) const;
  void Forget(const std::string& uid) { pods_.erase(uid); }

 private:
  RunEdges& edges_;
  std::function<bool(const std::string&)> taken_;
  std::function<void(RuntimePod)> tell_;
  std::map<std::string, std::unique_ptr<ForeignPod>> pods_;  // by UID
};

}  // namespace jettison
