#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "agent/kept/kept_state.h"
#include "agent/kept/slot_file.h"
#include "agent/log/log.h"
#include "agent/loop/background_thread.h"
#include "agent/loop/mailbox.h"
#include "core/units/result.h"
#include "ports/clock.h"

namespace jettison {

// Keeps a KeptState over restarts of the agent, in a file whose space is reserved in advance. The
// file is written on a thread of its own. Failures are logged; the next agent then starts without a
// state. A file that cannot be read is never overwritten.
class StateKeeper : public std::enable_shared_from_this<StateKeeper> {
 public:
  using Wait = std::function<void(Duration)>;

  // `path` empty: nothing is kept. The log must outlive this, and the clock the thread, which may
  // be left behind. `wait` lets the caller's thread rest.
  StateKeeper(std::string path, const Clock& clock, const Log& log, Wait wait = RestFor)
      : clock_(clock), log_(log), wait_(std::move(wait)), file_(std::move(path)) {
    if (file_.path().empty()) return;
    thread_ = std::make_unique<BackgroundThread>(
        ThreadPurpose{"kept-state", "if the agent is killed, evicted pods start at once"});
  }

  // Reads the state of an earlier agent; empty if there is none. A file that cannot be parsed is
  // moved aside. One that cannot be read is tried for a second; then the state is empty, and
  // AwaitsState. Must be called once, before the first Save.
  [[nodiscard]] KeptState Load();
  // Whether the file is there and could not be read yet. The thread tries again each second, for a
  // minute from Load on. If the file can be read later than that, it is moved aside.
  [[nodiscard]] bool AwaitsState() const { return awaited_until_.has_value(); }
  // The state that was read meanwhile. Afterwards, and when the minute is over, it is not awaited
  // any longer.
  [[nodiscard]] std::optional<KeptState> TakeLate(Instant now);
  // Whether Save is due: something has changed, or the saved state has a true condition or a
  // threshold that is met, whose last observation must be kept current, or the last text could not
  // be written. Several changes are saved together, but an eviction is saved at once: an agent that
  // did not know of it would count the usage of the ending pod as permanent.
  [[nodiscard]] bool Due(KeptChanges changes, Instant now) const;
  // Never waits.
  void Save(KeptState state, KeptChanges changes, Instant now);
  // Writes at once, the last one, and waits for it. If the disk hangs for longer than `patience`
  // and this is shared, the thread is left with it, which is logged.
  void Finish(const KeptState& state, Duration patience = kEndPatience);
  // When Due may be true next, given what has changed; absent: not before something does.
  [[nodiscard]] std::optional<Instant> NextDeadline(KeptChanges changes) const;

  // Readable when there are complaints.
  [[nodiscard]] int fd() const { return complaints_.fd(); }
  void LogComplaints();

 private:
  struct Complaint {
    std::string message;
    std::string err;
  };

  // What has become of a file that Load could not read. Of both threads.
  enum class Late : std::uint8_t { kNone, kAwaited, kRead, kGivenUp };
  // Whether the file could not be read still, may be written, or is left to TakeLate.
  enum class Unread : std::uint8_t { kStill, kOutOfTheWay, kTaken };

  // Whether a state that is saved was made with what has been read late, if anything has.
  enum class Knowledge : std::uint8_t { kAll, kWithoutLate };

  static void RestFor(Duration duration);
  [[nodiscard]] Result<std::optional<std::string>> ReadPatiently();
  [[nodiscard]] Knowledge Knowing() const;
  void Write(const KeptState& state, Knowledge knowing);
  void WriteLast(const KeptState& state, Knowledge knowing);
  // Tries to read what Load could not, and makes room for another text unless it is still awaited.
  [[nodiscard]] Unread TryUnread();
  [[nodiscard]] bool HandOver(KeptState state);
  void Complain(const std::string& err);

  const Clock& clock_;
  const Log& log_;
  Wait wait_;
  SlotFile file_;        // of the thread, once it works
  bool unread_ = false;  // the same: Load could not read it
  bool loaded_ = false;
  std::optional<Instant> awaited_until_;  // of the loop
  std::atomic<Late> late_ = Late::kNone;
  Mailbox<KeptState> read_late_;
  KeptChanges saved_changes_;
  std::optional<Instant> saved_at_;
  bool empty_ = false;  // what was saved last
  bool holds_ = false;  // a condition in it, or a threshold is met
  bool complained_ = false;
  std::atomic<bool> unwritten_ = false;  // what was saved last is not in the file
  Mailbox<Complaint> complaints_;
  // The last member: its job uses the others. Null: nothing is kept, or the last text is written.
  std::unique_ptr<BackgroundThread> thread_;
};

}  // namespace jettison
