#include "agent/root_watch.h"

#include <chrono>
#include <utility>

namespace jettison {
namespace {

constexpr Duration kEvery = std::chrono::seconds(5);

}  // namespace

RootWatch::RootWatch(std::string problem, std::function<bool()> can_be_written, const Log& log)
    : problem_(std::move(problem)), can_be_written_(std::move(can_be_written)), log_(log) {
  if (problem_.empty() || !can_be_written_) return;
  looks_ = std::make_unique<JobQueue>(Threads::kFiles, AtEnd::kLeave);
}

void RootWatch::Advance(Instant now) {
  if (!looks_) return;
  if (*is_back_) {
    problem_.clear();
    next_.reset();
    looks_.reset();
    return log_.Info("root can be written again");
  }
  if (next_ && now < *next_) return;
  next_ = now + kEvery;
  looks_->DoInstead([is_back = is_back_, look = can_be_written_] { *is_back = look(); });
}

}  // namespace jettison
