#include "agent/cluster/evictions/intent_file.h"

#include <fmt/format.h>

#include <utility>

namespace jettison {
namespace {

constexpr const char* kNotKept =
    "evictions that have not been reported to the API server cannot be written to disk; if the "
    "agent restarts now, they are never reported, and the kubelet starts those pods again";
constexpr const char* kNotRead =
    "the evictions that the previous agent still had to report cannot be read; they are not "
    "reported to the API server, and the kubelet starts those pods again";

}  // namespace

IntentFile::IntentFile(std::string path, const Log& log) : log_(log), file_(std::move(path)) {
  if (file_.path().empty()) {
    loaded_ = true;
    return;
  }
  jobs_.emplace(Threads::kFiles);
  jobs_->Do([this] { Load(); });
}

void IntentFile::Load() {
  const auto text = file_.Read();
  News news{.loaded = Intents(), .message = {}, .err = {}};
  if (!text || *text) {
    auto intents = text ? kube::ParseEvictionIntents(**text) : Fail(text.error());
    if (!intents) {
      news.message = kNotRead;
      news.err = fmt::format("{} (now {})", intents.error().message, file_.PutAside());
    }
    news.loaded = std::move(intents).value_or(Intents());
  }
  // The space for the texts to come is taken now.
  (void)file_.Write(kube::FormatEvictionIntents(*news.loaded, KeptFile::kMostBytes).text);
  news_.Put(std::move(news));
}

void IntentFile::Write(const Intents& intents) {
  const kube::EvictionIntentsText text = kube::FormatEvictionIntents(intents, KeptFile::kMostBytes);
  std::string complaint;
  if (const auto written = file_.Write(text.text); !written) {
    complaint = written.error().message;
  } else if (text.left_out > 0) {
    complaint = fmt::format("there is no room for {} of {}", text.left_out, intents.size());
  }
  if (!complaint.empty() && !complained_) {
    news_.Put({.loaded = std::nullopt, .message = kNotKept, .err = complaint});
  }
  complained_ = !complaint.empty();
}

void IntentFile::TakeNews() {
  for (News& news : news_.TakeAll()) {
    if (news.loaded) {
      loaded_ = true;
      taken_ = std::move(news.loaded);
    }
    if (!news.message.empty()) complaints_.push_back(std::move(news));
  }
}

std::optional<IntentFile::Intents> IntentFile::TakeLoaded() {
  TakeNews();
  return std::exchange(taken_, std::nullopt);
}

void IntentFile::Save(Intents intents) {
  if (!jobs_ || !loaded_) return;
  jobs_->DoInstead(
      [this, kept = std::make_shared<const Intents>(std::move(intents))] { Write(*kept); });
}

void IntentFile::StopWork() {
  jobs_.reset();
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
