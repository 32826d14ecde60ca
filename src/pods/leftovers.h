#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/units/result.h"
#include "kernel/readiness/lifetime.h"
#include "kernel/readiness/readiness.h"
#include "pods/pod_removal.h"
#include "pods/run_dependencies.h"

namespace jettison {

// Removes what is left of pods whose creation or removal was interrupted, and of dead runs. Nobody
// will ask for these again, so nothing of them may stay.
class Leftovers {
 public:
  // How the runtime takes down a pod.
  using MakeRemoval = std::function<std::unique_ptr<PodRemoval>(PodRemains)>;

  // `dependencies` must outlive it.
  Leftovers(PodDependencies& dependencies, MakeRemoval make_removal)
      : dependencies_(dependencies), make_removal_(std::move(make_removal)) {}
  Leftovers(const Leftovers&) = delete;
  Leftovers& operator=(const Leftovers&) = delete;
  ~Leftovers() = default;

  // Goes on deleting what an earlier agent had begun to delete. Returns the other names in the
  // folder of the pods; fails where it cannot be listed.
  [[nodiscard]] Result<std::vector<std::string>> Begin();
  // Removes everything that belongs to a pod, or what is named of it.
  void Remove(const std::string& uid);
  void Remove(PodRemains remains);
  // Deletes trees in the background, soon, however long others have failed. Nobody waits for it,
  // and where it fails, it is tried again. They must have names that no pod is ever given, so that
  // nothing of a later pod is deleted.
  void Delete(const std::vector<std::string>& trees);
  // The removal of this pod that is under way; null: there is none.
  [[nodiscard]] const PodRemoval* Find(const std::string& uid) const;
  // Whether trees are still being deleted, or, for some seconds after Begin, pods. A tree that
  // could not be deleted counts for some seconds only, because that may never be possible.
  [[nodiscard]] bool IsDeleting() const;
  // Takes the next steps, and forgets the pods that are gone.
  void Advance();

 private:
  void DeleteNext();
  void OnDeleted(const Result<void>& outcome);

  PodDependencies& dependencies_;
  MakeRemoval make_removal_;
  std::map<std::string, std::unique_ptr<PodRemoval>> removals_;  // by UID
  Instant since_;
  std::vector<std::string> waiting_;    // trees
  std::vector<std::string> under_way_;  // trees that are being deleted
  int failures_ = 0;                    // in a row
  kernel::Readiness::Watch again_;
  Lifetime lifetime_;
};

}  // namespace jettison
