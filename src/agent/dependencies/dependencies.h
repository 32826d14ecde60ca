#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apply/pass.h"
#include "core/decide/eviction_pace.h"
#include "core/model/eviction.h"
#include "core/model/pod.h"
#include "core/model/signal.h"
#include "core/model/summary.h"
#include "core/model/threshold.h"
#include "core/observe/observations.h"
#include "core/pods/pod_facts.h"
#include "core/text/text_index.h"
#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison {

// A usage of one group at which the agent wants to be woken.
struct MemoryLevel {
  std::size_t threshold = 0;                 // index in the list of thresholds
  Signal signal = Signal::kMemoryAvailable;  // memory.available: the node's group, else the pods'
  std::uint64_t bytes = 0;                   // of usage
  friend bool operator==(const MemoryLevel&, const MemoryLevel&) = default;
};

// Narrow interfaces between the logic of the node and the machine, which tests can replace.

// The disk use of one pod.
struct PodDiskUse {
  struct OfContainer {
    std::string name;
    FsUsage rootfs;  // the writable layer of its newest run
    FsUsage logs;    // of all its runs
  };
  std::vector<OfContainer> containers;
  // emptyDirs, those in memory included, then kDeletedFiles and kDeletedInLayers
  std::vector<VolumeStats> volumes;
  FsUsage total;         // without those in memory, and without deleted files
  Instant measured_at;   // every figure above was measured then, or later
  bool partial = false;  // not everything was read: the figures are lower bounds
};
// By pod UID; a pod that could not be measured is absent.
using DiskUse = TextIndex<PodDiskUse>;

// Reads figures, each at the moment of the call. What cannot be read is absent.
class Figures {
 public:
  virtual ~Figures() = default;
  // Memory, process ids and file systems of the node. It waits for nothing: the figures of a file
  // system that is slow to answer are the last ones, with their time.
  [[nodiscard]] virtual NodeStats ReadNode() = 0;
  // A full pass is over, and nothing is urgent: does what may take long.
  virtual void AfterFullPass() {}
  // Reads the memory and process counts of these pods and their containers, in this order, and adds
  // the disk use from `disk`; `disk` null: disk use is absent.
  virtual void ReadPods(std::span<const PodFacts* const> pods, const DiskUse* disk,
                        std::vector<PodStats>& stats) = 0;
  // Reads only the memory of each of these pods as a whole, in this order.
  virtual void ReadMemoryOf(std::span<const PodFacts* const> pods,
                            std::vector<PodStats>& stats) = 0;
  // Sets the containers in the pod's stats, with the memory of each. Keeps the memory of what was
  // there.
  virtual void ReadContainersOf(const PodFacts& pod, PodStats& stats) = 0;
  // Closes what is open of pods that are not among these, which are all pods of the node. It may
  // take long, so it is for the end of a pass.
  virtual void ForgetOthers(std::span<const PodFacts* const> pods) { (void)pods; }
};

// Measures disk use on another thread; the result arrives through Node::DiskMeasured. The figures
// of a pod whose files cannot be read in time are older than the walk, or missing.
class DiskWalks {
 public:
  virtual ~DiskWalks() = default;
  // `disk_is_short`: the deleted files that pods hold open are looked for as well.
  virtual void Start(std::span<const PodFacts* const> pods, bool disk_is_short) = 0;
  // Sets whether a decision waits for the figures.
  virtual void SetUrgent(bool urgent) = 0;
  // The newest figures of the pods from any walk, including the one that is under way.
  [[nodiscard]] virtual DiskUse LastKnown() = 0;
  // Until when to wait for pods that could not be read completely, and that have no complete
  // earlier figures. Absent: there are none, or that time has passed.
  [[nodiscard]] virtual std::optional<Instant> UnreadUntil() = 0;
  // Forgets a pod that ends, because another pod may get its UID.
  virtual void Forget(const std::string& pod_uid) = 0;
};

// A NodeReclaimer whose work may continue after the call. The loop drives it by Advance and
// NextDeadline.
class LastingReclaimer : public NodeReclaimer {
 public:
  // Does what is due by now. Called from the moment on that the runtime answers.
  virtual void Advance(Instant now) = 0;
  [[nodiscard]] virtual std::optional<Instant> NextDeadline() const = 0;
  // Whether a reclaim that was asked for is not over yet.
  [[nodiscard]] virtual bool UnderWay() const = 0;
  // Forgets the result, which a pass has been given, so that the next call begins a new reclaim.
  virtual void Forget() = 0;
  // Bytes that removals of dead containers have freed on the file system of the images since the
  // start; 0 if that is not measured.
  [[nodiscard]] virtual std::uint64_t ContainerBytes() const { return 0; }
};

// Is informed of what happens on the node, after the signal. Must not wait.
class NodeListener {
 public:
  virtual ~NodeListener() = default;
  // A pod has just been told to end, or could not be told; `outcome` says which.
  virtual void Evicting(const EvictionOrder& order, const Result<EvictOutcome>& outcome,
                        Instant now) = 0;
  // The conditions of the node have changed.
  virtual void ConditionsChanged(NodeConditions /*before*/, NodeConditions /*after*/,
                                 Instant /*now*/) {}
  // The wait for evicted pods is over; `all_gone`: it did not time out.
  virtual void CleanedUp(bool /*all_gone*/, Instant /*now*/) {}
};

// The answer to a soft eviction.
struct SoftAnswered {
  EvictionOrder order;
  bool granted = false;  // the API server ends the pod
};

// Asks the API server before a pod is evicted for a soft threshold. Nothing here waits: the answer
// arrives in a later turn of the loop.
class SoftEvictions {
 public:
  virtual ~SoftEvictions() = default;
  // Why no soft eviction may be asked for now; absent: one may.
  [[nodiscard]] virtual std::optional<SoftHold> HoldAt(Instant now) const = 0;
  // The pods that are not to be chosen now, by UID.
  [[nodiscard]] virtual std::vector<SparedPod> SparedAt(Instant now) const = 0;
  virtual void Ask(const EvictionOrder& order, Instant now) = 0;
  // The next answer, in order; absent: none.
  [[nodiscard]] virtual std::optional<SoftAnswered> TakeAnswer() = 0;
};

}  // namespace jettison
