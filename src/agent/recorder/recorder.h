#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "agent/recorder/recording_folder.h"
#include "codec/flight/recording_writer.h"
#include "core/config/agent_config.h"
#include "core/recording/recording.h"
#include "machine/log/log.h"
#include "machine/loop/job_queue.h"
#include "ports/mailbox.h"
#include "view/snapshot.h"

namespace jettison {

// Records the items of the loop, beside the loop. Items that there is no time for, and items that
// cannot be written, are dropped and counted. The loop never waits for it.
class Recorder : public ServedRecording, public std::enable_shared_from_this<Recorder> {
 public:
  // Clients that are served at a time. Each holds a piece and, at its end, the open chunk.
  static constexpr std::size_t kMostClients = 4;

  // `about` says whose recording it is.
  Recorder(std::string folder, const RecordingConfig& config, RecordingAbout about,
           RecordingFolder::Sync sync = &::fdatasync);
  ~Recorder() override { Finish(); }

  // For the loop: takes an item. Never waits.
  void Add(RecordedItem item);
  // Readable when there is something to be logged.
  [[nodiscard]] int fd() const { return complaints_.fd(); }
  void LogComplaints(const Log& log);
  // Writes what is there, and ends. If the disk hangs for longer than `patience` and this is
  // shared, the thread is left with it.
  void Finish(Duration patience = kEndPatience);

  [[nodiscard]] Result<RecordingFetch> Fetch(const RecordingTimes& times, WakeClient wake) override;
  [[nodiscard]] RecorderCounters counters() const override;

 private:
  struct Order;
  class Client;
  struct Complaint {
    std::string_view what;
    std::string why;
  };
  // As many as an agent makes in minutes.
  static constexpr std::size_t kMostWaiting = 32;

  void Begin();
  void Serve(Order& order);
  [[nodiscard]] Result<std::optional<std::string>> NextFor(Order& order);
  void Record(const RecordedItem& item);
  void NoteDropped(const RecordedItem& next);
  // What was taken in so far reaches the disk.
  void Save();
  [[nodiscard]] Result<void> Write(std::string_view frames);
  void Complain(const Result<void>& done);

  const std::string folder_;
  const RecordingAbout about_;
  RecordingFolder files_;
  RecordingWriter writer_;
  Mailbox<Complaint> complaints_;

  std::atomic<std::size_t> waiting_ = 0;  // items
  std::atomic<std::size_t> clients_ = 0;
  std::atomic<bool> stop_ = false;

  // Of the jobs alone.
  std::uint64_t told_dropped_ = 0;
  std::optional<Instant> last_at_;   // of the last item
  std::optional<Instant> saved_at_;  // by items' times
  bool hurry_ = false;               // something happened that must not be lost
  bool complained_ = false;

  std::atomic<std::uint64_t> passes_ = 0;
  std::atomic<std::uint64_t> dropped_ = 0;
  std::atomic<std::uint64_t> bytes_ = 0;
  std::atomic<std::uint64_t> write_errors_ = 0;

  // The last member: its jobs use the others.
  JobQueue jobs_{Threads::kFiles};
};

}  // namespace jettison
