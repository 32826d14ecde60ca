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
  // Must own everything that it uses, because it may run on another thread and outlive the
  // PathErrand. `wanted` becomes false when nobody waits for the result any more.
  std::function<Result<void>(const std::atomic<bool>& wanted)> work;
};

// What runs the steps that may hang, and how long their result is awaited.
struct PathPatience {
  std::shared_ptr<SlowPaths> slow_paths;  // null: nothing hangs
  Duration patience = std::chrono::seconds(10);
};

// Runs steps one after the other, until one fails. The steps before the first one whose path may
// hang run on the caller's thread; the others run on a thread of SlowPaths.
class PathErrand {
 public:
  using Done = std::function<void(const Result<void>&)>;

  // `readiness` must outlive it.
  PathErrand(Readiness& readiness, PathPatience patience)
      : readiness_(readiness), patience_(std::move(patience)) {}
  PathErrand(const PathErrand&) = delete;
  PathErrand& operator=(const PathErrand&) = delete;
  // Steps that still run go on, with `wanted` false.
  ~PathErrand();

  // Returns the result where it is known at once. Otherwise `done` is called from Dispatch, and may
  // destroy this object. kUnavailable, naming the path, where a file system has not answered in
  // time.
  [[nodiscard]] std::optional<Result<void>> Begin(std::vector<PathStep> steps, Done done);
  // Stops waiting: `done` is called from the next Dispatch.
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
