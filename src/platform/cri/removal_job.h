#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pod_host/readiness.h"
#include "ports/file_descriptor.h"
#include "units/result.h"

namespace jettison::cri {

// What is to be deleted.
struct RemovalOrder {
  std::string volumes;             // a folder of volumes: those in memory are emptied
  std::vector<std::string> trees;  // in this order
};

// Deletes trees of files in a forked child, however many they are, so that nobody waits for the
// disk. Destroying it stops the deletion.
class RemovalJob {
 public:
  using Done = std::function<void(Result<void>)>;

  // Starts it; `done` is called once, from Dispatch. Fails where no process can be made.
  [[nodiscard]] static Result<std::unique_ptr<RemovalJob>> Start(pod_host::Readiness& readiness,
                                                                 const RemovalOrder& order,
                                                                 Done done);
  RemovalJob(const RemovalJob&) = delete;
  RemovalJob& operator=(const RemovalJob&) = delete;
  ~RemovalJob();

 private:
  RemovalJob(FileDescriptor child, Done done) : child_(std::move(child)), done_(std::move(done)) {}
  void OnEnded();

  FileDescriptor child_;
  Done done_;
  pod_host::Readiness::Watch on_end_;
};

}  // namespace jettison::cri
