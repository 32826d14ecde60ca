#include "pods/tree_removals.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <utility>

#include "kernel/files/files.h"
#include "kernel/files/own_folders.h"
#include "pods/removal_job.h"

namespace jettison {
namespace {

// The most trees for one process, so that freed space is noticed in between.
constexpr std::size_t kTreesAtOnce = 256;
constexpr Duration kFirstTry = std::chrono::milliseconds(100);
// They take some 3 s with the delays above.
constexpr int kCountedFailures = 5;

void Append(std::vector<std::string> more, std::vector<std::string>& trees) {
  std::ranges::move(more, std::back_inserter(trees));
}

}  // namespace

void TreeRemovals::Add(std::vector<std::string> trees) {
  Append(std::move(trees), waiting_);
  edges_.readiness.Wake();
}

bool TreeRemovals::busy() const {
  return job_ != nullptr || !waiting_.empty() ||
         (!failed_.empty() && failures_ <= kCountedFailures);
}

void TreeRemovals::Continue() {
  if (job_ || waiting_.empty()) return;
  const auto end =
      waiting_.begin() + static_cast<std::ptrdiff_t>(std::min(waiting_.size(), kTreesAtOnce));
  under_way_.assign(waiting_.begin(), end);
  waiting_.erase(waiting_.begin(), end);
  auto job = StartRemoval(edges_.readiness, {.pod = "", .trees = under_way_},
                          [this](const Result<void>& outcome) { OnEnded(outcome); });
  if (!job) return TryAgainLater(std::exchange(under_way_, {}), job.error());
  job_ = std::move(*job);
}

void TreeRemovals::OnEnded(const Result<void>& outcome) {
  job_.reset();
  std::vector<std::string> trees = std::exchange(under_way_, {});
  if (!outcome) return TryAgainLater(std::move(trees), outcome.error());
  if (failed_.empty()) failures_ = 0;
}

void TreeRemovals::TryAgainLater(std::vector<std::string> trees, const Error& error) {
  if (failures_ == 0) {
    edges_.Log(error.In("delete what nobody needs any more; it is tried again").message);
  }
  Append(std::move(trees), failed_);
  again_ = edges_.readiness.After(kernel::RetryDelay(kFirstTry, failures_++), [this] {
    again_.Stop();
    Add(std::exchange(failed_, {}));
  });
}

void RemoveLogsOfRun(const std::string& folder, int attempt) {
  const std::string log = fmt::format("{}.log", attempt);
  for (const std::string& name : kernel::NamesIn(folder).value_or(std::vector<std::string>{})) {
    if (name != log && !name.starts_with(log + ".")) continue;
    (void)::unlink(fmt::format("{}/{}", folder, name).c_str());
  }
}

std::string DoomedName(const std::string& folder, std::string_view name, Instant now) {
  return fmt::format("{}/{}{}-{}", folder, kernel::kDoomedPrefix, name,
                     now.time_since_epoch().count());
}

}  // namespace jettison
