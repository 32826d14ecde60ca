#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "containers/cri_container.h"
#include "runtimes/cri/containers/runtime_context.h"
#include "runtimes/cri/inventory.h"
#include "runtimes/cri/own_pods.h"
#include "runtimes/cri/pod_record.h"

namespace jettison::cri {

// Takes over the pods of an earlier agent: by what the runtime reports, and, where it does not
// answer or does not know them, by the records on disk.
class Adoption {
 public:
  // Called for each pod that cannot be read.
  using OnFailure =
      std::function<void(const std::string& uid, const Sandboxes& sandboxes, const Error& error)>;

  // All must outlive this.
  Adoption(RuntimeContext& context, OwnPods& pods) : context_(context), pods_(pods) {}

  // Takes over pods without the runtime's answer: those of which a process runs. Other pods need no
  // protection yet.
  [[nodiscard]] std::vector<RuntimePod> Recall();
  // A pod that was recalled is gone before all were taken over.
  void NoteGone(const std::string& uid) { gone_.insert(uid); }
  // Takes over all pods that the runtime reported.
  [[nodiscard]] std::vector<RuntimePod> TakeOverAll(const Found& found, const OnFailure& failed);
  // Takes over pods that were created and that the runtime does not know: it lost them, or it is
  // another runtime. Their processes go on, and no data of theirs is deleted. `listed`: those that
  // it knows, by UID; `observed`: whether a pod was not taken over.
  [[nodiscard]] std::vector<RuntimePod> TakeOverUnlisted(
      const std::map<std::string, Sandboxes>& listed,
      const std::function<bool(const std::string&)>& observed);

  // One of them, with these sandboxes of those found.
  [[nodiscard]] RuntimePod TakeOver(const PodPlan& plan, const Sandboxes& sandboxes,
                                    const Found& found);
  // The same where the runtime has no sandbox of it.
  [[nodiscard]] RuntimePod TakeOver(const WrittenPod& written);

 private:
  RuntimeContext& context_;
  OwnPods& pods_;
  std::set<std::string> gone_;
};

}  // namespace jettison::cri
