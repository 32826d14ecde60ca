#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/manifests/manifest_pods.h"
#include "agent/manifests/manifest_reader.h"
#include "core/units/duration.h"
#include "core/units/once.h"
#include "machine/log/log.h"
#include "ports/clock.h"

namespace jettison {

struct ManifestWatchSettings {
  std::string path;                                  // for the log
  Duration rescan_every = std::chrono::seconds(20);  // fileCheckFrequency
  Profile profile = Profile::kStandalone;            // whose rules make pods critical
};

// Which pods the manifests ask for, as they change. Where no path is configured there are none but
// those of an earlier agent, for a while.
class ManifestWatch {
 public:
  // `reader` null: no path is configured. Everything must outlive this.
  ManifestWatch(ManifestReader* reader, ManifestWatchSettings settings, const Clock& clock,
                const Log& log)
      : reader_(reader),
        settings_(std::move(settings)),
        clock_(clock),
        log_(log),
        pods_(log, settings_.profile) {}

  // Looks for the first time. `own` are the pods that an agent before this one had made of
  // manifests.
  void Begin(const std::vector<Pod>& own);
  // One of them that could not be told until now.
  void AdoptLate(const Pod& pod, Instant now);
  // Takes in what has been read; whether Wanted may be another now.
  [[nodiscard]] bool Take(Instant now);
  [[nodiscard]] std::vector<SharedPodFacts> Wanted();
  // Whether the path has been looked through once, or none is configured.
  [[nodiscard]] bool HasLooked() const { return looked_through_; }
  // Whether Wanted lacks no pod because something has not been read: not before HasLooked, while
  // the path cannot be listed or a manifest cannot be read, while manifests of running pods are
  // missing, nor in the first two minutes for which the path is missing, because it may not be
  // mounted yet. A manifest with faults does not count.
  [[nodiscard]] bool IsComplete(Instant now) const;
  // What is wrong, in a sentence; empty: nothing is.
  [[nodiscard]] std::string Problem() const;

  // Readable when there is something to take; -1: never.
  [[nodiscard]] int fd() const { return reader_ != nullptr ? reader_->fd() : -1; }
  // Does what is due; whether Wanted may be another now.
  [[nodiscard]] bool Advance(Instant now);
  [[nodiscard]] std::optional<Instant> NextDeadline() const {
    return Earliest({next_rescan_, look_again_at_});
  }

 private:
  void Rescan(std::vector<std::string> expect = {});
  void NotePath(const ManifestScan& scan, Instant now);
  [[nodiscard]] bool SettleWithoutPath(Instant now);
  void RescanSoonIfUnsettled(Instant now);

  ManifestReader* reader_;
  ManifestWatchSettings settings_;
  const Clock& clock_;
  const Log& log_;
  ManifestPods pods_;
  Result<void> watched_;
  Once said_unwatched_;
  std::optional<Instant> next_rescan_;
  std::optional<Instant> look_again_at_;  // at files that were left because they have a writer
  bool looked_through_ = false;           // once, at least
  bool listed_ = false;                   // when that was last tried
  std::optional<Instant> missing_since_;
};

}  // namespace jettison
