#include "runtimes/cri/runtime_facts.h"

#include <fmt/format.h>

#include <string_view>

#include "rpc/calls.h"
#include "rpc/client.h"
#include "runtimes/cri/images/image_store.h"

namespace jettison::cri {
namespace {

// Why a condition does not hold; absent: it holds.
std::optional<std::string> WhyNot(const api::RuntimeCondition& condition) {
  if (condition.status()) return std::nullopt;
  return fmt::format("{}: {}", condition.reason(), condition.message());
}

Result<bool> HasImage(Calls& calls, Duration patience, const std::string& name) {
  if (name.empty()) return false;
  api::ImageStatusRequest request;
  request.mutable_image()->set_image(name);
  const auto status = AwaitAnswer<api::ImageStatusResponse>(
      calls, patience,
      [&](const auto& answer) { calls.Make(kImageStatus, request, patience, answer); });
  if (status) return status->has_image();
  if (status.error().code == ErrorCode::kNotFound) return false;
  return Fail(status.error());
}

}  // namespace

const api::RuntimeCondition* ConditionIn(const api::StatusResponse& status, std::string_view type) {
  for (const api::RuntimeCondition& condition : status.status().conditions()) {
    if (condition.type() == type) return &condition;
  }
  return nullptr;
}

Result<RuntimeFacts> AskRuntime(const std::string& endpoint, Duration patience) {
  const auto connected = Connect(endpoint);
  if (!connected) return Fail(connected.error());
  Calls& calls = **connected;
  const auto version = AwaitAnswer<api::VersionResponse>(
      calls, patience, [&](const auto& answer) { calls.Make(kVersion, {}, patience, answer); });
  if (!version) return Fail(version.error());
  api::StatusRequest verbose;
  verbose.set_verbose(true);
  const auto status = AwaitAnswer<api::StatusResponse>(
      calls, patience, [&](const auto& answer) { calls.Make(kStatus, verbose, patience, answer); });
  if (!status) return Fail(status.error());

  RuntimeFacts facts;
  facts.name = version->runtime_name();
  facts.version = version->runtime_version();
  const auto* const ready = ConditionIn(*status, "RuntimeReady");
  facts.not_ready = ready == nullptr ? std::nullopt : WhyNot(*ready);
  const auto* const network = ConditionIn(*status, "NetworkReady");
  facts.no_network = network == nullptr ? "the runtime does not tell" : WhyNot(*network);
  if (const auto config = status->info().find("config"); config != status->info().end()) {
    facts.settings = SettingsIn(config->second);
  }
  const auto has_image = HasImage(calls, patience, facts.settings.sandbox_image);
  if (!has_image) return Fail(has_image.error());
  facts.has_sandbox_image = *has_image;
  CriImageStore images(calls);
  facts.folders = AwaitAnswer<StorageFolders>(
      calls, patience,
      [&](const std::function<void(Result<StorageFolders>)>& answer) { images.Folders(answer); });
  return facts;
}

}  // namespace jettison::cri
