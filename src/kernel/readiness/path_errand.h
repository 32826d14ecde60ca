#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/units/duration.h"
#include "core/units/result.h"
#include "kernel/readiness/readiness.h"
#include "ports/slow_paths.h"

namespace jettison::kernel {

// Something to be done with one path of the host.
struct PathStep {
  std::string what;  // for errors: "volume data"
  std::string path;
  // Owns all that it uses. It may be done on another thread, and for nobody any more: `wanted` is
  // false by then.
  std::function<Result<void>(const std::atomic<bool>& wanted)> work;
};

// Who does steps that may hang, and how long they are waited for.
struct PathPatience {
  std::shared_ptr<SlowPaths> slow_paths;  // null: nothing hangs
  Duration patience = std::chrono::seconds(10);
};

// Steps one after the other, until one fails. Those before the first whose path may hang are done
// at once, the others beside the caller.
class PathErrand {
 public:
  using Done = std::function<void(const Result<void>&)>;

  // `readiness` must outlive it.
  PathErrand(Readiness& readiness, PathPatience patience)
      : readiness_(readiness), patience_(std::move(patience)) {}
  PathErrand(const PathErrand&) = delete;
  PathErrand& operator=(const PathErrand&) = delete;
  // Nobody waits for it any more.
  ~PathErrand();

  // What became of it, where that is known at once. Else `done` is called from Dispatch, and may
  // destroy this: kUnavailable, naming the path, where one has not answered for too long.
  [[nodiscard]] std::optional<Result<void>> Begin(std::vector<PathStep> steps, Done done);
  // It is waited for no longer: `done` is called from the next Dispatch.
  void Hurry();

 private:
  struct Shared;
  void Finish();

  Readiness& readiness_;
  PathPatience patience_;
  std::shared_ptr<Shared> shared_;           // with whoever does it
  std::shared_ptr<SlowPaths::Work> errand_;  // the work as a whole
  Done done_;
  Readiness::Watch on_done_;
  Readiness::Watch on_late_;
};

}  // namespace jettison::kernel
