#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "agent/manifests/manifest_reader.h"
#include "agent/manifests/manifest_reading.h"
#include "core/model/choices.h"
#include "core/model/fault.h"
#include "core/model/pod.h"
#include "core/pods/pod_facts.h"
#include "core/units/duration.h"
#include "core/units/once.h"
#include "machine/log/log.h"
#include "ports/clock.h"

namespace jettison {

// How long manifests must be missing before their pods are ended.
struct ManifestPatience {
  // While the agent runs: the folder may be renamed or mounted over, or a file may be emptied.
  static constexpr Duration kRunning = std::chrono::seconds(5);
  // A file that is gone beside others: an editor may write it anew.
  static constexpr Duration kAlone = std::chrono::seconds(1);
  // After a start with pods of an earlier agent: the folder may not be mounted yet. Longer than
  // systemd's time limit for a mount (DefaultTimeoutStartSec, 90 s).
  static constexpr Duration kAtStart = std::chrono::minutes(2);
};

// The pods that the manifests ask for. While a file has faults or cannot be read, the pods it used
// to hold stay as they were; after a restart of the agent these are the pods that it took over.
//
// A file that is gone or emptied counts only when it has stayed so for a while; until then its pods
// go on, which is said unless it went alone.
class ManifestPods {
 public:
  ManifestPods(const Log& log, Profile profile) : log_(log), profile_(profile) {}

  // Takes the pods of an earlier agent as the contents of their manifests; one that names no
  // manifest is wanted only if a manifest asks for it. Must be called once, and
  // first. Returns the paths of these manifests, of which changes must be reported, too.
  std::vector<std::string> Adopt(const std::vector<Pod>& pods);
  // No path is configured, perhaps because the configuration was lost: the pods that were adopted
  // end after a while, which is logged.
  void ExpectNone(Instant now);
  // As Adopt, for a pod that could not be read until now.
  void AdoptLate(const Pod& pod, Instant now);
  // Takes changes in that were found together, and logs what is wrong with them.
  void Apply(std::vector<ManifestNews> news, Instant now);
  // The path was scanned at `seen`: manifests that were missing for long enough by then count as
  // deleted. Returns whether that changes the wanted pods.
  bool Settle(Instant seen);

  // What should run, by namespace and name. Of two pods with one name, or one UID, the one that was
  // wanted before stays, or else the file that comes first by path wins; the other is reported,
  // once for each change, when that has lasted for a moment.
  [[nodiscard]] std::vector<SharedPodFacts> Wanted();
  // Whether Settle may change something soon, or a manifest cannot be read at the moment.
  [[nodiscard]] bool IsUnsettled() const;
  // Which manifests are missing or cannot be read, in a sentence; empty: none.
  [[nodiscard]] std::string Problem() const;

 private:
  struct File {
    std::vector<SharedPodFacts> pods;
    bool adopted = false;              // not read yet: the pods are those of an earlier agent
    std::optional<Instant> counts_at;  // it is missing or empty, and counts as that from then on
    bool went_alone = false;           // the other files are still there
    bool faulty = false;
    std::string unreadable;  // why; empty: it could be read

    [[nodiscard]] bool IsGoneAlone() const { return counts_at && went_alone; }
  };
  // A pod that a file asks for.
  struct Claim {
    const std::string* path;
    const File* file;
    const SharedPodFacts* facts;
  };
  // A pod that is not wanted because of another one.
  struct Conflict {
    Fault fault;
    std::optional<Instant> since;
    bool said = false;
  };
  // By file, field and value.
  using Conflicts = std::map<std::tuple<std::string, std::string, std::string>, Conflict>;
  [[nodiscard]] SharedPodFacts Keep(Pod pod) const;
  void Report(const Fault& fault) const;
  void TakeReading(const std::string& path, ManifestReading reading, Instant now);
  void TakeUnreadable(const std::string& path, const Error& error);
  void TakeGone(const std::string& path, bool with_folder, Instant now);
  void Hold(const std::string& path, File& file, Instant now);
  [[nodiscard]] std::vector<Claim> Claims() const;
  void ReportConflicts(Instant seen);
  void LogHeld(Instant now);

  const Log& log_;
  Profile profile_;
  std::map<std::string, File> files_;           // by path
  std::map<std::string, std::string> holders_;  // the paths of wanted pods, by name
  Conflicts conflicts_;
  std::size_t newly_held_ = 0;
  std::string first_held_;
};

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
  // Takes in what has been read; which pods are wanted, if these may be others now.
  [[nodiscard]] std::optional<std::vector<SharedPodFacts>> Take(Instant now);
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
  // Does what is due; which pods are wanted, if these may be others now.
  [[nodiscard]] std::optional<std::vector<SharedPodFacts>> Advance(Instant now);
  [[nodiscard]] std::optional<Instant> NextDeadline() const { return next_rescan_; }

 private:
  void Rescan(std::vector<std::string> expect = {});
  void NotePath(const ManifestScan& scan, Instant now);
  [[nodiscard]] std::optional<std::vector<SharedPodFacts>> SettleWithoutPath(Instant now);
  void RescanSoonIfUnsettled(Instant now);
  void RescanWithin(Duration time, Instant now);

  ManifestReader* reader_;
  ManifestWatchSettings settings_;
  const Clock& clock_;
  const Log& log_;
  ManifestPods pods_;
  Result<void> watched_;
  Once said_unwatched_;
  std::optional<Instant> next_rescan_;
  bool looked_through_ = false;  // once, at least
  bool listed_ = false;          // when that was last tried
  std::optional<Instant> missing_since_;
};

}  // namespace jettison
