#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "agent/edges/memory_levels.h"
#include "core/model/memory_reclaim.h"
#include "core/model/pod.h"
#include "core/model/signal.h"
#include "core/model/summary.h"
#include "core/model/threshold.h"
#include "core/observe/observations.h"
#include "core/pods/pod_facts.h"
#include "core/units/duration.h"
#include "ports/node_actions.h"

namespace jettison {

// What the node's logic asks of the machine, as narrow as it can be, so that tests stand in for it.

// What one pod occupies on disk.
struct PodDiskUse {
  struct OfContainer {
    std::string name;
    FsUsage rootfs;  // the writable layer of its newest run
    FsUsage logs;    // of all its runs
  };
  std::vector<OfContainer> containers;
  std::vector<VolumeStats> volumes;  // emptyDirs, those in memory included
  FsUsage total;                     // without those in memory
  Instant measured_at;               // every figure above holds what was on disk then, or later
  bool partial = false;              // not all of it was read: there is at least as much
};
// By pod UID; a pod that could not be measured is absent.
using DiskUse = std::map<std::string, PodDiskUse, std::less<>>;

// Reads figures, each at the moment of the call. What cannot be read is absent.
class Figures {
 public:
  static constexpr Duration kOldestAtRest = std::chrono::minutes(1);

  virtual ~Figures() = default;
  // Memory, process ids and file systems of the node.
  [[nodiscard]] virtual NodeStats ReadNode() = 0;
  // Reads the memory and swap of the node, the memory of all pods together and, where thresholds
  // ask for it, pressure anew; the rest of `stats` stays.
  virtual void ReadNodeMemory(NodeStats& stats) = 0;
  // Reads all but those: process ids and file systems.
  virtual void ReadRestOfNode(NodeStats& stats) = 0;
  // Memory and process counts of these pods and their containers, in this order, joined with their
  // disk use where it is given; without it that is absent.
  virtual void ReadPods(std::span<const PodFacts* const> pods, const DiskUse* disk,
                        std::vector<PodStats>& stats) = 0;
  // The same where no threshold is met: the memory of a pod whose charge is what it was may be as
  // old as kOldestAtRest.
  virtual void ReadPodsAtRest(std::span<const PodFacts* const> pods, const DiskUse* disk,
                              std::vector<PodStats>& stats) {
    ReadPods(pods, disk, stats);
  }
  // Of these pods, in this order, the memory of each as a whole and nothing else.
  virtual void ReadMemoryOf(std::span<const PodFacts* const> pods,
                            std::vector<PodStats>& stats) = 0;
  // The same of one pod.
  virtual void ReadMemoryOf(const PodFacts& pod, PodStats& stats) = 0;
  // What is charged to one pod, in bytes for kMemory and tasks for kPids, by one small file for
  // each group that it lies in: no less than it is ranked by. Absent: it is not there.
  [[nodiscard]] virtual std::optional<std::uint64_t> ReadCharge(Resource resource,
                                                                const PodFacts& pod) = 0;
  // The same of the group that all pods of a class lie in which the agent has made; others may lie
  // there, too. Absent: it is not there, or cannot be read.
  [[nodiscard]] virtual std::optional<std::uint64_t> ReadCharge(Resource resource,
                                                                QosClass qos) = 0;
  // Adds the memory of one pod's containers to what was read of it.
  virtual void ReadContainersOf(const PodFacts& pod, PodStats& stats) = 0;
};

// Measures disk use beside the loop; the answer comes as Node::DiskMeasured. In it, figures of a
// pod whose files do not answer are older than the walk, or missing.
class DiskWalks {
 public:
  virtual ~DiskWalks() = default;
  virtual void Start(std::span<const PodFacts* const> pods) = 0;
  // Whether somebody waits for the figures.
  virtual void SetUrgent(bool urgent) = 0;
  // The newest figures of these pods, whichever walk they are from; those of the present one as far
  // as it has come.
  [[nodiscard]] virtual DiskUse LastKnown() = 0;
  // Until when it is worth waiting for pods of which something could not be read, and nothing whole
  // was known before; absent: there are none, or they have been waited for.
  [[nodiscard]] virtual std::optional<Instant> UnreadUntil() = 0;
  // The pod ends: another one may come under its UID.
  virtual void Forget(const std::string& pod_uid) = 0;
};

// Has the kernel wake the agent; the wake-up comes as Node::MemoryCrossed, and so does a first look
// when the levels have been registered.
class MemoryNotifier {
 public:
  virtual ~MemoryNotifier() = default;
  virtual void Arm(std::vector<MemoryLevel> levels) = 0;
};

// A NodeReclaimer whose work may go on after the call, so that it has to be driven: told of the
// time, it says when it wants to be woken.
class LastingReclaimer : public NodeReclaimer {
 public:
  // Does what is due by now. Called from the moment on that the runtime answers.
  virtual void Advance(Instant now) = 0;
  [[nodiscard]] virtual std::optional<Instant> NextDeadline() const = 0;
  // Whether something that was asked for is not over yet.
  [[nodiscard]] virtual bool UnderWay() const = 0;
  // A pass has been told how it ended: asked for again, it is done anew.
  virtual void Forget() = 0;
  // Bytes that the file system of the images has gained by removals of dead containers, ever; 0
  // where that is not measured.
  [[nodiscard]] virtual std::uint64_t ContainerBytes() const { return 0; }
};

// Takes memory back from dead and idle groups, beside the loop, before a pod has to go for it.
class MemoryLadder {
 public:
  virtual ~MemoryLadder() = default;
  // What has just been observed: it begins, goes on or stops, and never waits.
  virtual void Seen(std::span<const Threshold> thresholds, const Observations& observations,
                    std::span<const PodFacts* const> pods, Instant now) = 0;
  // What has been taken since the last call.
  [[nodiscard]] virtual std::vector<ReclaimedMemory> TakeReclaimed() = 0;
};

}  // namespace jettison
