#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "agent/background_thread.h"
#include "agent/kept_eviction.h"
#include "agent/log.h"
#include "agent/mailbox.h"
#include "model/memory_estimator.h"
#include "pass/recorded_pass.h"

namespace jettison {

struct EvictionHistorySettings {
  std::string folder;  // a JSON file each, made where it is missing; empty: memory alone
  bool dry_run = false;
  MemoryEstimator memory_estimator = MemoryEstimator::kWorkingSet;
  std::size_t max_evictions = 100;
  std::size_t max_bytes = std::size_t{8} << 20;
  std::size_t order_limit = 50;  // so many pods of an order are kept, around the one that went
};

// Why pods were evicted, kept when they are gone and over restarts of the agent: the last
// evictions, bounded in number and in bytes. Explaining and writing are done beside the loop, on a
// thread each, so that a disk that hangs holds up neither the node nor explanations.
//
// A file that cannot be understood is left out with a line in the log, and stays for whoever wants
// to look at it until it would have fallen out by its number.
class EvictionHistory {
 public:
  // Reads what is there. `log` must outlive this.
  EvictionHistory(EvictionHistorySettings settings, const Log& log);
  EvictionHistory(const EvictionHistory&) = delete;
  EvictionHistory& operator=(const EvictionHistory&) = delete;
  // Writes what is not written yet.
  ~EvictionHistory();

  // Takes a pass that evicted. Never waits. In a dry run a pod that is chosen again and again for
  // the same reason counts once.
  void Add(std::shared_ptr<const RecordedPass> pass);
  // On any thread; never null.
  [[nodiscard]] std::shared_ptr<const KeptEvictions> Evictions() const;

  // For the loop: readable when there is something to complain of, which LogComplaints then does.
  [[nodiscard]] int fd() const { return complaints_.fd(); }
  void LogComplaints();

 private:
  void ReadFolder(const Log& log);
  void ExplainAll();
  void Keep(const RecordedPass& pass, const std::string& uid);
  void WriteAll();
  void Put(KeptEviction kept);
  [[nodiscard]] std::string PathOf(std::uint64_t number) const;

  EvictionHistorySettings settings_;
  const Log& log_;
  Mailbox<std::string> complaints_;
  bool complained_ = false;  // of the writing thread: said when it begins

  mutable std::mutex mutex_;  // guards what follows
  std::deque<std::shared_ptr<const RecordedPass>> unexplained_;
  std::shared_ptr<const KeptEvictions> kept_ = std::make_shared<KeptEvictions>();
  KeptEvictions unwritten_;
  std::vector<std::uint64_t> fallen_out_;  // whose files are to go
  std::uint64_t last_number_ = 0;

  std::unique_ptr<BackgroundThread> writer_;
  std::unique_ptr<BackgroundThread> explainer_;
};

}  // namespace jettison
