#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/dependencies/dependencies.h"
#include "agent/reclaim/reclaimer.h"
#include "core/decide/garbage_collection.h"
#include "core/model/runtime_records.h"
#include "core/units/once.h"
#include "kernel/readiness/lifetime.h"
#include "machine/log/event_log.h"
#include "machine/log/log.h"
#include "ports/clock.h"
#include "ports/image_store.h"
#include "view/node_counters.h"

namespace jettison {

// The name under which runtimes list an image that a manifest names: "busybox" is
// "docker.io/library/busybox:latest", "a/b:1" is "docker.io/a/b:1". A first part with a dot, a
// colon or a capital, and "localhost", is a registry and stays. A digest stands in for the tag
// beside it. Names are not checked; an ID ("sha256:...") means nothing here.
// Source: distribution/reference, ParseDockerRef; containerd looks images up by it.
[[nodiscard]] std::string FullImageName(std::string_view name);

struct ImageCollectorSettings {
  ImageGcPolicy policy;
  // Another program pulls images, so that one in the first listing may have been pulled just before
  // and counts as new; else it counts as old.
  bool others_pull = false;
};

// What a collector works with; everything must outlive it.
struct ImageCollectorDependencies {
  const Clock& clock;
  ImageStore& images;
  Figures& figures;
  EventLog& events;
  const Log& log;
  // Names of images that have to stay though no container uses them: IDs, or names as a manifest
  // has them ("busybox"). Absent: they are not known now, because the manifests have not been read.
  // Null: none.
  std::function<std::optional<std::vector<std::string>>()> needed;
};

// Collects images, one removal after the other, and remembers when each image was first seen and
// last used. It is driven by answers of the store, each with a deadline, and by the time. Images
// that a container or a sandbox uses, by ID or by name, and pinned images are kept; if the listing
// is older than a second, it is read again for that. While it is not known which images are needed,
// none is removed. A task ends when the space is really free. (kubelet: realImageGCManager)
class ImageCollector {
 public:
  ImageCollector(ImageCollectorSettings settings, ImageCollectorDependencies dependencies);

  // Takes the records of an earlier agent, sorted by ID. Must be called before the first Advance.
  void Resume(std::vector<ImageRecord> records) { images_ = std::move(records); }

  // Deletes every unused image, whatever the thresholds are, after a collection that is under way.
  // A second call before its end has no effect.
  void DeleteUnused();
  // Whether that is not over.
  [[nodiscard]] bool DeletingUnused() const { return wanted_ || task_ == Task::kDeleteUnused; }
  // How the last one ended; success before the first.
  [[nodiscard]] const Result<void>& deleted() const { return deleted_; }

  // Does what is due by now. Called from the moment on that the runtime answers; the first call
  // looks at the images.
  void Advance(Instant now);
  [[nodiscard]] std::optional<Instant> NextDeadline() const;
  // What is known of images, sorted by ID, as of the last look.
  [[nodiscard]] const std::vector<ImageRecord>& images() const { return images_; }
  // How often what is known has changed, by more than another look at an image in use.
  [[nodiscard]] std::uint64_t changes() const { return changes_; }
  [[nodiscard]] const ImageCounters& counters() const { return counters_; }

 private:
  enum class Task : std::uint8_t { kNone, kLook, kCollect, kDeleteUnused };
  enum class Wait : std::uint8_t { kNothing, kListing, kNeeded, kChecking, kRemoving, kSettling };
  using Listing = Result<std::pair<std::vector<StoredImage>, ImagesInUse>>;

  [[nodiscard]] bool Collects() const;
  void Start(Task task);
  void List(Wait wait);
  void TakeListing(const Listing& listing);
  [[nodiscard]] std::optional<std::vector<std::string>> Needed() const;
  void AwaitNeeded();
  void LookForNeeded(Instant now);
  void See(const std::pair<std::vector<StoredImage>, ImagesInUse>& listing,
           const std::vector<std::string>& needed);
  void StartRun();
  void Go();
  void TryRemove();
  void Remove(const std::string& id);
  void TakeRemoval(const Result<void>& removed);
  void Measure();
  void Settle();
  void LookAtSpace(Instant now);
  void GiveUp(Error error);
  void EndRun(const ImageGcOutcome& outcome);
  void End(const Result<void>& result);
  void LogCollected(const Result<void>& result);
  // Runs `take` with an answer to the present call, and with none that comes too late.
  template <typename Answer>
  auto Guarded(void (ImageCollector::*take)(const Answer&));

  ImageCollectorSettings settings_;
  ImageCollectorDependencies dependencies_;
  std::vector<ImageRecord> images_;
  std::uint64_t changes_ = 0;
  std::optional<Instant> began_;  // the first Advance
  bool seen_ = false;             // listed since the start
  Instant listed_at_;
  Instant next_look_;        // while nothing has been seen
  Instant next_collection_;  // set with began_

  Task task_ = Task::kNone;
  Wait wait_ = Wait::kNothing;
  Instant deadline_;        // of the answer that is waited for
  std::uint64_t call_ = 0;  // counts calls of the store: an older answer is none
  Lifetime lifetime_;
  std::optional<ImageGcRun> run_;
  std::optional<NodeStats> before_;  // the removals that have not settled
  std::optional<SpaceSettling> settling_;
  std::uint64_t freed_bytes_ = 0;  // measured, in this task
  bool failed_before_ = false;     // the periodic collection before
  Once say_unlisted_;

  ImageCounters counters_;
  bool wanted_ = false;  // DeleteUnused, when the present task has ended
  Result<void> deleted_;
};

}  // namespace jettison
