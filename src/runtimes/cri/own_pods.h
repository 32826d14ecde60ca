#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "containers/cri_container.h"
#include "pods/log_rotation.h"
#include "runtimes/cri/containers/runtime_context.h"
#include "runtimes/cri/inventory.h"
#include "runtimes/cri/pod_actor.h"
#include "runtimes/cri/pod_record.h"

namespace jettison::cri {

// The pods that this agent has on the runtime. Those of an earlier agent are taken over by what the
// runtime reports, and, where it does not answer or does not know them, by the records on disk.
class OwnPods {
 public:
  using Actors = std::map<std::string, std::unique_ptr<PodActor>>;  // by UID
  // Called for each pod that cannot be read.
  using OnFailure = std::function<void(const std::string& uid, const Error& error)>;

  explicit OwnPods(RuntimeContext& context) : context_(context) {}
  OwnPods(const OwnPods&) = delete;
  OwnPods& operator=(const OwnPods&) = delete;
  ~OwnPods() = default;

  // Of this UID; null: there is none.
  [[nodiscard]] PodActor* Find(const std::string& uid) const;
  [[nodiscard]] bool Has(const std::string& uid) const { return actors_.contains(uid); }
  // Null: nothing of the container runs.
  [[nodiscard]] ContainerRun* FindRun(const std::string& uid, const std::string& container) const;
  [[nodiscard]] const Actors& actors() const { return actors_; }

  // Makes it.
  void Create(const PodPlan& plan);
  // Takes the next steps of each pod. A pod that is gone is forgotten.
  void Advance();

  // Takes over pods without the runtime's answer: those of which a process runs. Other pods need no
  // protection yet.
  [[nodiscard]] std::vector<RuntimePod> Recall();
  // Takes over all pods that the runtime reported.
  [[nodiscard]] std::vector<RuntimePod> TakeOverAll(const Found& found, const OnFailure& failed);
  // Those that were recalled and that the runtime does not know: `listed` are those that it knows,
  // by UID. Their processes go on, and what is started next is started in a new sandbox.
  [[nodiscard]] std::vector<RuntimePod> LoseUnlisted(
      const std::map<std::string, Sandboxes>& listed);
  // One of them, with these sandboxes of those found.
  [[nodiscard]] RuntimePod TakeOver(const PodPlan& plan, const Sandboxes& sandboxes,
                                    const Found& found);
  // The same where the runtime has no sandbox of it.
  [[nodiscard]] RuntimePod TakeOver(const WrittenPod& written);

  [[nodiscard]] std::vector<RunningLog> RunningLogs() const;
  // Has the runtime open a log anew.
  void ReopenLog(const RunningLog& log, std::function<void(const Result<void>&)> done) const;
  // Writes down all pods, or those that could not be written before.
  void WriteRecords(bool only_missed) const;

 private:
  PodActor& Add(std::unique_ptr<PodActor> actor);
  PodActor& Add(const PodPlan& plan) { return Add(std::make_unique<PodActor>(context_, plan)); }

  RuntimeContext& context_;
  Actors actors_;
  // Attempts of sandboxes of pods that could not be made, whose names may still be taken.
  std::map<std::string, std::uint32_t> first_attempts_;
  bool all_taken_over_ = false;
  std::set<std::string> gone_;  // UIDs of pods that were gone before that
};

}  // namespace jettison::cri
