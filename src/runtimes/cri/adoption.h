#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "runtimes/cri/base/runtime_context.h"
#include "runtimes/cri/inventory.h"
#include "runtimes/cri/pods/own_pods.h"
#include "runtimes/cri/pods/pod_descriptions.h"
#include "runtimes/cri/pods/pod_records.h"

namespace jettison::cri {

// Takes over the pods of an agent before this one: by what the runtime tells, and, where it does
// not answer or knows nothing of them, by what was written down.
class Adoption {
 public:
  // Told of a pod that cannot be read.
  using OnUnread =
      std::function<void(const std::string& uid, const Sandboxes& sandboxes, const Error& error)>;

  Adoption(RuntimeContext& context, OwnPods& pods, const PodRecords& records,
           const PodDescriptions& descriptions)
      : context_(context), pods_(pods), records_(records), descriptions_(descriptions) {}

  // Without the runtime's answer: the pods of which something runs, since no other can be in
  // anybody's way.
  [[nodiscard]] std::vector<RuntimePod> Recall();
  // A pod that was recalled is gone before all were taken over.
  void NoteGone(const std::string& uid) { gone_.insert(uid); }
  // All that were found.
  [[nodiscard]] std::vector<RuntimePod> TakeOverAll(const Found& found, const OnUnread& unread);
  // Those of which the runtime knows nothing though they were made: it lost them, or it is another
  // one. What runs of them goes on, and nothing that they hold is deleted. `listed`: UIDs of those
  // it knows; `unread`: whether a pod cannot be read.
  [[nodiscard]] std::vector<RuntimePod> TakeOverUnlisted(
      const std::set<std::string>& listed, const std::function<bool(const std::string&)>& unread);

  // One of them, with these sandboxes of those found.
  [[nodiscard]] RuntimePod TakeOver(const PodPlan& plan, const Sandboxes& sandboxes,
                                    const Found& found);
  // The same where the runtime has no sandbox of it.
  [[nodiscard]] RuntimePod TakeOver(const WrittenPod& written);

 private:
  RuntimeContext& context_;
  OwnPods& pods_;
  const PodRecords& records_;
  const PodDescriptions& descriptions_;
  std::set<std::string> gone_;
};

}  // namespace jettison::cri
