#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtimes/cri/base/runtime_context.h"
#include "runtimes/cri/containers/pod_removal.h"
#include "runtimes/cri/host/child_job.h"

namespace jettison::cri {

// The groups of which one is the pod's, whatever its class was.
[[nodiscard]] std::vector<std::string> PossibleGroupsOf(const RuntimeContext& context,
                                                        const std::string& uid);

// What is left of pods that nobody will ask for again, so nothing of them may stay: those whose
// creation or removal was interrupted.
class Leftovers {
 public:
  explicit Leftovers(RuntimeContext& context) : context_(context) {}
  Leftovers(const Leftovers&) = delete;
  Leftovers& operator=(const Leftovers&) = delete;
  ~Leftovers() = default;

  // Deletes what an agent before had begun to delete; the UIDs of the other pods that have a
  // folder.
  [[nodiscard]] std::vector<std::string> Begin();
  // Takes down all that there is of a pod.
  void Remove(const std::string& uid);
  // The same of what is named.
  void Remove(PodRemains remains);
  // The removal that is going on of this pod; null: there is none.
  [[nodiscard]] const PodRemoval* Find(const std::string& uid) const;
  // Files of pods of before are being deleted, for some seconds at most.
  [[nodiscard]] bool IsDeleting() const;
  // Forgets those that are gone.
  void Advance();

  // The sandbox of this pod was being made when it ended: the runtime may make groups for it still.
  void ExpectGroupsOf(const std::string& uid) { late_groups_[uid] = kLateListings; }
  // After a listing: removes such groups of pods that are none any more.
  void SweepLateGroups(const std::function<bool(const std::string&)>& is_pod);

 private:
  // A call that makes a sandbox, and whose client is gone, is over in a minute: so many listings.
  static constexpr int kLateListings = 6;

  RuntimeContext& context_;
  std::map<std::string, std::unique_ptr<PodRemoval>> removals_;  // by UID
  std::map<std::string, int> late_groups_;  // in how many more listings these are looked for
  std::unique_ptr<ChildJob> doomed_job_;
  Instant since_;
};

}  // namespace jettison::cri
