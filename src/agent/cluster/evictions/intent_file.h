#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/kept/kept_file.h"
#include "agent/log/log.h"
#include "agent/loop/job_queue.h"
#include "agent/loop/mailbox.h"
#include "core/units/duration.h"
#include "sources/kubernetes/evictions/eviction_intent.h"

namespace jettison {

// Keeps intents of evictions over restarts of the agent. All disk accesses, including the first,
// are made beside the loop.
class IntentFile {
 public:
  using Intents = std::vector<kube::EvictionIntent>;

  // Begins to read. `path` empty: nothing is kept. The log must outlive this.
  IntentFile(std::string path, const Log& log);

  // Returns the intents of an earlier agent, once, when they have been read. A file that cannot be
  // read or parsed is moved aside and logged.
  [[nodiscard]] std::optional<Intents> TakeLoaded();
  // Whether it has been read, so that it may be written.
  [[nodiscard]] bool loaded() const { return loaded_; }
  // Never waits. Nothing is written before the file has been read.
  void Save(Intents intents);
  // Ends the work after its present job. If the file has not been read yet, it is read now.
  void StopWork();
  // Writes at once and waits for it: the last one, after StopWork.
  void Finish(const Intents& intents);

  // Readable when TakeLoaded or LogComplaints has something.
  [[nodiscard]] int fd() const { return news_.fd(); }
  void LogComplaints();

 private:
  struct News {
    std::optional<Intents> loaded;
    std::string message;  // of a complaint; empty: none
    std::string err;
  };

  void TakeNews();
  // In a job, or when there is none any more.
  void Load();
  void Write(const Intents& intents);

  const Log& log_;
  const KeptFile file_;
  bool complained_ = false;  // of the jobs
  bool loaded_ = false;      // of the loop, as are these:
  std::optional<Intents> taken_;
  std::vector<News> complaints_;
  Mailbox<News> news_;
  // The last member: its jobs use the others. Absent: nothing is kept, or it has ended.
  std::optional<JobQueue> jobs_;
};

}  // namespace jettison
