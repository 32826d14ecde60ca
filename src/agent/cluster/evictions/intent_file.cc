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

IntentFile::Intents IntentFile::Load() {
  if (file_.path().empty()) return {};
  const auto text = file_.Read();
  Intents intents;
  if (!text || *text) {
    auto parsed = text ? kube::ParseEvictionIntents(**text) : Fail(text.error());
    if (parsed) {
      intents = *std::move(parsed);
    } else {
      log_.Warn(kNotRead,
                {{"err", fmt::format("{} (now {})", parsed.error().message, file_.PutAside())}});
    }
  }
  Save(intents);  // the space for the texts to come is taken now
  return intents;
}

void IntentFile::Write(const Intents& intents) {
  const kube::EvictionIntentsText text = kube::FormatEvictionIntents(intents, KeptFile::kMostBytes);
  std::string complaint;
  if (const auto written = file_.Write(text.text); !written) {
    complaint = written.error().message;
  } else if (text.left_out > 0) {
    complaint = fmt::format("there is no room for {} of {}", text.left_out, intents.size());
  }
  if (!complaint.empty() && !complained_) complaints_.Put(complaint);
  complained_ = !complaint.empty();
}

void IntentFile::Save(Intents intents) {
  if (file_.path().empty()) return;
  jobs_.DoInstead([this, intents = std::move(intents)] { Write(intents); });
}

void IntentFile::Finish(const Intents& intents) {
  if (file_.path().empty()) return;
  if (!jobs_.running()) return Write(intents);
  Save(intents);
  (void)FinishOrLeave(jobs_, {});
}

void IntentFile::LogComplaints() {
  for (const std::string& err : complaints_.TakeAll()) log_.Warn(kNotKept, {{"err", err}});
}

}  // namespace jettison
