#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/kept/number_file.h"
#include "agent/kept/reserved_drafts.h"
#include "agent/log/log.h"
#include "agent/loop/background_thread.h"
#include "agent/loop/mailbox.h"
#include "agent/tell/kept_eviction.h"
#include "agent/tell/past_evictions.h"
#include "agent/tell/waiting_passes.h"
#include "core/model/memory_estimator.h"
#include "core/pass/recorded_pass.h"
#include "ports/inheriting_mutex.h"

namespace jettison {

struct EvictionHistorySettings {
  std::string folder;  // a JSON file each, made where it is missing; empty: memory alone
  bool dry_run = false;
  MemoryEstimator memory_estimator = MemoryEstimator::kWorkingSet;
  std::size_t max_evictions = 100;
  std::size_t max_bytes = std::size_t{8} << 20;
  // Of passes whose evictions wait to be explained, or to get their final numbers.
  std::size_t max_waiting_passes = 100;
  std::size_t max_waiting_bytes = std::size_t{4} << 20;
  std::size_t order_limit = 50;  // the most pods of an order that are kept, around the victim
  // Space that is kept for evictions on a full disk: files of so many bytes.
  std::size_t reserved_files = 4;
  std::size_t reserved_bytes = std::size_t{128} << 10;
};

// Keeps the explanations of the last evictions, also over restarts of the agent, limited in number
// and in bytes. They are made on one thread and written on another, so that a disk that hangs
// delays neither the loop nor new explanations.
//
// Space is reserved in advance in `<folder>.reserve`, because the disk may be full when pods are
// evicted for it. What still cannot be written is kept in memory and tried again. The file
// `counter` there has the largest number that may have been used, so that a number is never used
// again. After a kill of the agent, some numbers are skipped.
//
// Where the files of earlier evictions cannot be read, new ones are explained all the same, but not
// written, and have new numbers as soon as that works: their present ones may have been used. What
// waits for that is limited in bytes; the oldest are dropped with a complaint, and their numbers
// are skipped.
//
// A file that cannot be parsed is skipped and logged. It is deleted when its number is so old that
// an intact file would be deleted, too.
class EvictionHistory : public std::enable_shared_from_this<EvictionHistory> {
 public:
  // Reads what is there. `log` must outlive this.
  EvictionHistory(EvictionHistorySettings settings, const Log& log);
  EvictionHistory(const EvictionHistory&) = delete;
  EvictionHistory& operator=(const EvictionHistory&) = delete;
  ~EvictionHistory() { Finish(); }

  // Writes what is not written yet, and ends the threads. If a disk hangs for longer than
  // `patience` and this is shared, a thread is left with it.
  void Finish(Duration patience = kEndPatience);

  // Tries again to read what could not be read, and to write what could not be written. Never
  // waits.
  void Retry();
  // Takes a pass that evicted. Never waits. In a dry run a pod that is chosen again and again for
  // the same reason counts once.
  void Add(std::shared_ptr<const RecordedPass> pass);
  // On any thread; never null.
  [[nodiscard]] std::shared_ptr<const KeptEvictions> Evictions() const;

  // For the loop: readable when there is something to complain of, which LogComplaints then does.
  [[nodiscard]] int fd() const { return complaints_.fd(); }
  void LogComplaints();

 private:
  struct Complaint {
    std::string message;
    std::string error;
  };

  [[nodiscard]] bool EndThread(std::unique_ptr<BackgroundThread>& thread,
                               void (EvictionHistory::*last)(), Duration patience);
  void ReadPast();
  [[nodiscard]] bool PastIsKnown() const;
  void Reserve();
  void KeepCounterAhead();
  void Complain(bool& complained, const std::optional<Error>& failure, std::string_view message);
  void ExplainAll();
  void ExplainAndWrite();
  void Keep(const RecordedPass& pass, const std::string& uid);
  void WriteAll();
  void WriteLast();
  void PutBack(const KeptEvictions& failed);
  void TellOfDropped(const RecordedPass& pass);
  void Put(KeptEviction kept);
  // What a new list has replaced. It holds the last references to explanations of many kilobytes,
  // and is destroyed when the lock is released, so that the loop does not wait for that.
  struct Replaced {
    std::shared_ptr<const KeptEvictions> kept;
    KeptEvictions left_out;  // of the new list, because it is too long
  };
  [[nodiscard]] Replaced SetKept(KeptEvictions list);  // under the lock

  EvictionHistorySettings settings_;
  const Log& log_;
  ReservedDrafts drafts_;
  NumberFile counter_;
  Mailbox<Complaint> complaints_;
  // Complaints are made when a trouble begins.
  bool unread_ = false;  // of the explaining thread
  // Of the writing thread.
  bool unwritable_ = false;
  bool unreserved_ = false;
  std::uint64_t counted_to_ = 0;  // what the counter says

  mutable InheritingMutex mutex_;  // guards what follows
  WaitingPasses unexplained_;
  std::shared_ptr<const KeptEvictions> kept_ = std::make_shared<KeptEvictions>();
  KeptEvictions unwritten_;
  std::vector<std::uint64_t> fallen_out_;  // whose files are to go
  std::uint64_t last_number_ = 0;
  bool past_is_known_ = false;        // what earlier agents left has been read
  std::uint64_t dropped_before_ = 0;  // evictions that were dropped before that

  std::unique_ptr<BackgroundThread> writer_;
  std::unique_ptr<BackgroundThread> explainer_;
};

}  // namespace jettison
