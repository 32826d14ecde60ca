#pragma once

#include <string>
#include <vector>

#include "agent/kept/kept_file.h"
#include "agent/log/log.h"
#include "agent/loop/job_queue.h"
#include "agent/loop/mailbox.h"
#include "sources/kubernetes/evictions/eviction_intent.h"

namespace jettison {

// Keeps intents of evictions over restarts of the agent, in a file that is written beside the loop.
class IntentFile {
 public:
  using Intents = std::vector<kube::EvictionIntent>;

  // `path` empty: nothing is kept. The log must outlive this.
  IntentFile(std::string path, const Log& log) : log_(log), file_(std::move(path)) {}

  // The intents of an earlier agent. A file that cannot be read or parsed is moved aside and
  // logged. Must be called once, before the first Save.
  [[nodiscard]] Intents Load();
  // Never waits.
  void Save(Intents intents);
  // Writes at once and waits for it: the last one.
  void Finish(const Intents& intents);

  // Readable when there are complaints.
  [[nodiscard]] int fd() const { return complaints_.fd(); }
  void LogComplaints();

 private:
  void Write(const Intents& intents);

  const Log& log_;
  const KeptFile file_;
  bool complained_ = false;  // of the jobs
  Mailbox<std::string> complaints_;
  // The last member: its jobs use the others.
  JobQueue jobs_{Threads::kFiles};
};

}  // namespace jettison
