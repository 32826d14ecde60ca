#include "agent/cluster/evictions/intent_file.h"

#include <fmt/format.h>

#include <utility>

namespace jettison {
namespace {

constexpr Duration kReadAgainAfter = std::chrono::seconds(1);

constexpr const char* kNotKept =
    "evictions that have not been reported to the API server cannot be written to disk; if the "
    "agent restarts now, they are never reported, and the kubelet starts those pods again";
constexpr const char* kNotReadYet =
    "the evictions that the previous agent still had to report cannot be read; they are not "
    "reported to the API server until they can";
constexpr const char* kNotRead =
    "the evictions that the previous agent still had to report cannot be read; they are not "
    "reported to the API server, and the kubelet starts those pods again";

}  // namespace

IntentFile::IntentFile(std::string path, const Log& log) : log_(log), file_(std::move(path)) {
  if (file_.path().empty()) {
    loaded_ = true;
    return;
  }
  thread_ = std::make_unique<BackgroundThread>(ThreadPurpose{
      "cluster-kept", "if the agent is killed, evictions that are under way are not continued"});
  thread_->Do([this] { Load(); });
}

IntentFile::~IntentFile() = default;

void IntentFile::Load() {
  auto text = file_.Read();
  if (!text && text.error().code != ErrorCode::kInvalidArgument) return LeaveUnread(text.error());
  may_be_written_ = true;
  if (text && !*text) {
    news_.Put({.loaded = Intents(), .message = {}, .err = {}});
  } else {
    auto intents = text ? kube::ParseEvictionIntents(**text) : Fail(text.error());
    if (!intents) PutAside(intents.error());
    news_.Put({.loaded = std::move(intents).value_or(Intents()), .message = {}, .err = {}});
  }
  // If no space can be reserved, there may still be enough for a text.
  if (may_be_written_) (void)file_.Reserve();
}

void IntentFile::PutAside(const Error& why) {
  const auto aside = file_.PutAside();
  may_be_written_ = aside.has_value();
  news_.Put({.loaded = std::nullopt,
             .message = kNotRead,
             .err = fmt::format("{} ({})", why.message, aside ? "now " + *aside : file_.path())});
}

void IntentFile::LeaveUnread(const Error& why) {
  may_be_written_ = false;
  News news{.loaded = std::nullopt, .message = {}, .err = why.message, .unread = true};
  if (!std::exchange(said_unread_, true)) news.message = kNotReadYet;
  news_.Put(std::move(news));
}

void IntentFile::Write(const Intents& intents) {
  const kube::EvictionIntentsText text = kube::FormatEvictionIntents(intents, SlotFile::kMostBytes);
  std::string complaint;
  if (!may_be_written_) {
    complaint = file_.path() + " could not be read and is left as it is";
  } else if (const auto written = file_.Write(text.text); !written) {
    complaint = written.error().message;
  } else if (text.left_out > 0) {
    complaint = fmt::format("there is no room for {} of {}", text.left_out, intents.size());
  }
  if (!complaint.empty() && !std::exchange(complained_, true)) {
    news_.Put({.loaded = std::nullopt, .message = kNotKept, .err = complaint});
  }
  if (complaint.empty()) complained_ = false;
}

void IntentFile::TakeNews() {
  for (News& news : news_.TakeAll()) {
    if (news.loaded) {
      loaded_ = true;
      taken_ = std::move(news.loaded);
    }
    unread_ = unread_ || news.unread;
    if (!news.message.empty()) complaints_.push_back(std::move(news));
  }
}

void IntentFile::Advance(Instant now) {
  TakeNews();
  if (std::exchange(unread_, false)) read_again_at_ = now + kReadAgainAfter;
  if (!read_again_at_ || now < *read_again_at_ || !thread_) return;
  read_again_at_.reset();
  thread_->Do([this] { Load(); });
}

std::optional<IntentFile::Intents> IntentFile::TakeLoaded() {
  TakeNews();
  return std::exchange(taken_, std::nullopt);
}

void IntentFile::Save(Intents intents) {
  if (!thread_ || !loaded_) return;
  thread_->Do([this, kept = std::make_shared<const Intents>(std::move(intents))] { Write(*kept); });
}

void IntentFile::StopThread() {
  thread_.reset();
  TakeNews();
  if (!loaded_) Load();
}

void IntentFile::Finish(const Intents& intents) {
  const bool is_left_alone = !loaded_ && intents.empty();
  if (!file_.path().empty() && !is_left_alone) Write(intents);
}

void IntentFile::LogComplaints() {
  TakeNews();
  for (const News& news : std::exchange(complaints_, {})) {
    log_.Warn(news.message, {{"err", news.err}});
  }
}

}  // namespace jettison
