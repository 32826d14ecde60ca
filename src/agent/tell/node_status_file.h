#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/loop/background_thread.h"
#include "agent/loop/mailbox.h"
#include "core/model/signal.h"
#include "view/snapshot.h"

namespace jettison {

// Writes the node's status to a file when a condition changes, and every 10 s as a sign of life
// (the kubelet's nodeStatusUpdateFrequency). The file is replaced atomically, on a thread of its
// own, which is left behind at the end because its disk may hang.
class NodeStatusFile {
 public:
  using Writer = std::function<std::string(const Snapshot&)>;

  // `path` empty, or no `writer`: nothing is ever written.
  NodeStatusFile(std::string path, Writer writer)
      : path_(std::move(path)), writer_(std::move(writer)) {
    if (!IsWanted()) return;
    thread_.emplace(ThreadPurpose{"status-file", "nodeStatusFile is not written"}, AtEnd::kLeave);
  }

  [[nodiscard]] bool Due(NodeConditions conditions, Instant now) const;
  void Write(const Snapshot& snapshot, Instant now);
  // When the next one is due at the latest; absent: never.
  [[nodiscard]] std::optional<Instant> NextDeadline() const { return next_; }

  // Readable when there are errors.
  [[nodiscard]] int fd() const { return errors_->fd(); }
  [[nodiscard]] std::vector<std::string> TakeErrors() { return errors_->TakeAll(); }

 private:
  [[nodiscard]] bool IsWanted() const { return !path_.empty() && writer_; }

  std::string path_;
  Writer writer_;
  NodeConditions written_;
  std::optional<Instant> next_;
  std::shared_ptr<Mailbox<std::string>> errors_ = std::make_shared<Mailbox<std::string>>();
  std::optional<BackgroundThread> thread_;
};

}  // namespace jettison
