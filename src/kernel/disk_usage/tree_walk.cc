#include "kernel/disk_usage/tree_walk.h"

#include <fcntl.h>

#include <chrono>
#include <utility>

#include "kernel/disk_usage/file_status.h"
#include "kernel/disk_usage/tree_tally.h"
#include "ports/system_error.h"

namespace jettison {

using disk_usage::DirectoryKey;
using disk_usage::DirectoryLedger;
using disk_usage::DirectorySum;
using disk_usage::Subtree;
using disk_usage::WalkJob;

namespace {

// A file is a tree of one entry. A directory that could not be opened is an error.
Result<WalkErrors> CountUnopened(const std::string& path, const Error& reason,
                                 DirectoryLedger& ledger) {
  const FileDescriptor top(::open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (!top) return FailErrno("open");
  const auto status = disk_usage::StatusOf(top.get());
  if (!status) return Fail(status.error());
  if (status->is_directory) return Fail(reason);
  DirectorySum file;
  file.bytes = status->bytes;
  file.inodes = 1;
  ledger.Add(0, file);
  return WalkErrors{};
}

}  // namespace

TreeWalk::TreeWalk(WalkOptions options) : options_(std::move(options)), walker_(options_, work_) {}

Result<WalkErrors> TreeWalk::SurveyBelow(FileDescriptor directory, DirectoryKey parent,
                                         DirectoryLedger& ledger) {
  const auto status = disk_usage::StatusOf(directory.get());
  if (!status) return Fail(status.error());
  WalkJob job(ledger);
  const DirectoryKey key = ledger.Enter(parent, directory.get());
  DirectorySum own;
  own.bytes = status->bytes;
  own.inodes = 1;
  ledger.Add(key, own);
  if (options_.progress != nullptr) options_.progress->Found(own.bytes, own.inodes);
  work_.Begin();
  std::optional<Subtree> subtree = Subtree{.job = &job,
                                           .directory = std::move(directory),
                                           .id = {.device = status->device, .inode = status->inode},
                                           .key = key};
  for (; subtree; subtree = work_.Next()) {
    walker_.Walk(std::move(*subtree));
    work_.Done();
  }
  if (Cancelled()) return Fail(ErrorCode::kUnavailable, "the walk was cancelled");
  return WalkErrors{.errors = job.errors(), .first_error = job.first_error()};
}

Result<WalkErrors> TreeWalk::Survey(const std::string& path, DirectoryLedger& ledger) {
  auto directory = disk_usage::OpenTop(path);
  auto walked = directory ? SurveyBelow(std::move(*directory), 0, ledger)
                          : CountUnopened(path, directory.error(), ledger);
  if (!walked) return Fail(walked.error().In("measure " + path));
  return walked;
}

Result<TreeUsage> TreeWalk::Measure(const std::string& path) {
  disk_usage::TreeTally tally;
  auto walked = Survey(path, tally);
  if (!walked) return Fail(walked.error());
  return TreeUsage{.usage = tally.usage(),
                   .errors = walked->errors,
                   .first_error = std::move(walked->first_error)};
}

bool TreeWalk::Continue(std::uint64_t found_bytes, std::uint64_t found_inodes) const {
  if (options_.progress != nullptr) options_.progress->Found(found_bytes, found_inodes);
  if (options_.breathe) options_.breathe();
  return !Cancelled();
}

void TreeWalk::Help() {
  using SteadyClock = std::chrono::steady_clock;
  disk_usage::Walker walker(options_, work_);
  work_.Join();
  for (;;) {
    const auto begin = SteadyClock::now();
    auto subtree = work_.NextForHelper();
    if (!subtree) break;
    if (options_.waited) {
      options_.waited(std::chrono::duration_cast<Duration>(SteadyClock::now() - begin));
    }
    walker.Walk(std::move(*subtree));
    work_.Done();
  }
  work_.Leave();
}

}  // namespace jettison
