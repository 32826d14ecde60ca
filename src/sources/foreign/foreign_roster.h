#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "containers/running_container.h"
#include "core/units/duration.h"
#include "kernel/readiness/lifetime.h"
#include "pods/run_dependencies.h"
#include "ports/container_runtime.h"
#include "sources/foreign/foreign_group.h"
#include "sources/foreign/found_foreign_pod.h"

namespace jettison {

// Logs each message about a subject once, for as long as the subject exists.
class Complaints {
 public:
  explicit Complaints(const RunDependencies& dependencies) : dependencies_(dependencies) {}

  void Say(const std::string& subject, const std::string& text) {
    if (said_[subject].insert(text).second) dependencies_.Log(text);
  }
  // Logs the message unless there was one about the subject.
  void SayFirst(const std::string& subject, const std::string& text) {
    if (!said_.contains(subject)) Say(subject, text);
  }
  // Forgets the messages about all subjects except those for which `is_there` is true.
  void KeepOnly(const std::function<bool(const std::string&)>& is_there) {
    std::erase_if(said_, [&](const auto& entry) { return !is_there(entry.first); });
  }

 private:
  const RunDependencies& dependencies_;
  std::map<std::string, std::set<std::string>> said_;
};

// Finds foreign pods and hands them to a roster for as long as the source exists. Each source
// decides itself when it looks: after a listing, by a watch or by a timer.
class ForeignSource {
 public:
  virtual ~ForeignSource() = default;

  // Waits until the pods that are being examined have been handed over, at most `patience`.
  virtual void Await(Duration patience) = 0;
  // The pods that it knows of and leaves out, with the reason: a sentence each.
  [[nodiscard]] virtual std::vector<std::string> NotGuarded() const = 0;
};

class ForeignRoster;

// What a source of foreign pods is opened with. What it refers to outlives the source.
struct SourceDependencies {
  RunDependencies& run;
  NodeGroups groups;
  ForeignRoster& roster;
};

// A foreign pod, or one of an earlier agent that this one has not taken over. The agent watches it
// and may evict it, but never deletes its data.
class ForeignPod {
 public:
  // `pod` is the reading of the finding, whose containers must have names.
  ForeignPod(RunDependencies& dependencies, Pod pod, FoundForeignPod finding);
  ForeignPod(const ForeignPod&) = delete;
  ForeignPod& operator=(const ForeignPod&) = delete;
  ~ForeignPod() = default;

  // Begins to watch its containers, each of which `pod` names. Returns the pod for the agent.
  [[nodiscard]] RuntimePod Begin();

  void StopContainer(const std::string& name, Duration grace);
  void KillContainer(const std::string& name);
  // Ends its containers and takes down what they belong to -> PodRemoved. Nothing of it is deleted.
  void Remove();

  // Takes the next steps that are possible by now.
  void Advance();
  // The source reports that containers with these IDs run now; none: what they belong to is down or
  // gone, too. A pod whose containers are not those that were found is reported as removed.
  void OnListed(const std::set<std::string>& running);

  // Whether the agent has told it to end.
  [[nodiscard]] bool ending() const { return ending_; }
  [[nodiscard]] bool spared() const { return finding_.spared; }
  // Whether PodRemoved has been emitted.
  [[nodiscard]] bool gone() const { return gone_; }
  [[nodiscard]] const std::string& key() const { return finding_.identity.key; }
  // The list of a source by which it was found.
  [[nodiscard]] const std::string& list() const { return finding_.list; }
  [[nodiscard]] PodDisk Disk() const;
  // The group of a container's run, relative to the node's own; empty: it has ended.
  [[nodiscard]] std::string_view GroupOf(const std::string& container) const;
  // The groups that together hold the pod.
  [[nodiscard]] const std::vector<std::string>& groups() const { return groups_; }

 private:
  [[nodiscard]] RunningContainer* FindRun(const std::string& name) const;
  void Hold();
  void TakeDown();
  void TellRemoved();

  RunDependencies& dependencies_;
  Pod pod_;
  FoundForeignPod finding_;
  std::vector<std::string> groups_;
  std::string no_group_;  // runs name theirs in full
  std::map<std::string, std::unique_ptr<RunningContainer>> runs_;
  std::map<std::string, std::string> log_folders_;  // by container
  bool ending_ = false;                             // the agent ends it: RemovePod follows
  bool hold_due_ = false;                           // a container was killed
  bool held_ = false;
  bool removing_ = false;
  bool taking_down_ = false;
  bool gone_ = false;
  kernel::Readiness::Watch on_patience_;
  Lifetime lifetime_;
};

// The foreign pods that the agent watches, however they were found.
class ForeignRoster {
 public:
  // `taken` says whether a pod of this agent has the UID; `tell` receives each pod that is added.
  ForeignRoster(RunDependencies& dependencies, std::function<bool(const std::string&)> taken,
                std::function<void(RuntimePod)> tell);
  ForeignRoster(const ForeignRoster&) = delete;
  ForeignRoster& operator=(const ForeignRoster&) = delete;
  ~ForeignRoster() = default;

  // Adds a pod; under its key where another pod has its UID. Fails where the key is taken, too.
  // Invalid annotations are reported to `complaints` under its key.
  [[nodiscard]] Result<void> Take(FoundForeignPod finding, Complaints& complaints);
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
  RunDependencies& dependencies_;
  std::function<bool(const std::string&)> taken_;
  std::function<void(RuntimePod)> tell_;
  std::map<std::string, std::unique_ptr<ForeignPod>> pods_;  // by UID
  std::set<std::pair<std::string, std::string>> keys_;       // of each, with its UID
};

}  // namespace jettison
