#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/manifests/manifest_reading.h"
#include "core/model/fault.h"
#include "core/model/pod.h"
#include "core/model/profile.h"
#include "core/pods/pod_facts.h"
#include "core/units/duration.h"
#include "machine/log/log.h"

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
  [[nodiscard]] SharedPodFacts Keep(Pod pod) const;
  void Report(const Fault& fault) const;
  void TakeReading(const std::string& path, ManifestReading reading, Instant now);
  void TakeUnreadable(const std::string& path, const Error& error);
  void TakeGone(const std::string& path, bool with_folder, Instant now);
  void Hold(const std::string& path, File& file, Instant now);
  [[nodiscard]] std::vector<Claim> Claims() const;
  void NoteConflicts(std::vector<Fault> faults);
  void ReportConflicts(Instant seen);
  void LogHeld(Instant now);

  const Log& log_;
  Profile profile_;
  std::map<std::string, File> files_;           // by path
  std::map<std::string, std::string> holders_;  // the paths of wanted pods, by name
  std::vector<Conflict> conflicts_;
  std::size_t newly_held_ = 0;
  std::string first_held_;
};

}  // namespace jettison
