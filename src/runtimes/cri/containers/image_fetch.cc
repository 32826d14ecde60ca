#include "runtimes/cri/containers/image_fetch.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "rpc/verbose_info.h"

namespace jettison::cri {
namespace {

// Enough for a large image over a slow line; the pod can be removed meanwhile.
constexpr Duration kPullDeadline = std::chrono::minutes(15);

ImageFacts FactsOf(const api::ImageStatusResponse& status) {
  const api::Image& image = status.image();
  ImageFacts facts{.id = image.id(), .user_name = image.username()};
  if (image.has_uid()) facts.user = image.uid().value();
  if (const auto info = status.info().find("info"); info != status.info().end()) {
    facts.stop_signal = StopSignalIn(info->second);
  }
  return facts;
}

}  // namespace

ImageFetch::ImageFetch(RuntimeContext& context, const Container& container, Done done)
    : context_(context),
      image_(container.image),
      policy_(container.image_pull_policy.value_or(DefaultPullPolicy(container.image))),
      done_(std::move(done)) {}

void ImageFetch::Start() {
  if (policy_ == PullPolicy::kAlways) return Pull();
  Inspect(policy_ == PullPolicy::kIfNotPresent);
}

void ImageFetch::Inspect(bool may_pull) {
  api::ImageStatusRequest request;
  request.mutable_image()->set_image(image_);
  request.set_verbose(true);
  context_.calls.Make(kImageStatus, request, context_.options.request_timeout,
                      lifetime_.Guard([this, may_pull](Result<api::ImageStatusResponse> answer) {
                        OnStatus(std::move(answer), may_pull);
                      }));
}

void ImageFetch::OnStatus(Result<api::ImageStatusResponse> answer, bool may_pull) {
  // Some runtimes return no image, others the status NotFound.
  if (!answer && answer.error().code != ErrorCode::kNotFound) {
    return done_(FailStart(StartFailure::kImageInspect,
                           {answer.error().code, fmt::format("Failed to inspect image \"{}\": {}",
                                                             image_, answer.error().message)}));
  }
  if (answer && answer->has_image()) {
    if (!answer->image().id().empty()) return done_(FactsOf(*answer));
    return done_(FailStart(
        StartFailure::kImageInspect,
        {ErrorCode::kInternal, fmt::format("the runtime gave no ID of image \"{}\"", image_)}));
  }
  if (may_pull) return Pull();
  if (policy_ == PullPolicy::kNever) {
    return done_(FailStart(
        StartFailure::kImageNeverPull,
        {ErrorCode::kNotFound,
         fmt::format("Container image \"{}\" is not present with pull policy of Never", image_)}));
  }
  done_(FailStart(
      StartFailure::kImagePull,
      {ErrorCode::kInternal,
       fmt::format("image \"{}\" was pulled, but the runtime does not have it", image_)}));
}

void ImageFetch::Pull() {
  api::PullImageRequest request;
  request.mutable_image()->set_image(image_);
  context_.calls.Make(
      kPullImage, request, kPullDeadline,
      lifetime_.Guard([this](const Result<api::PullImageResponse>& answer) {
        if (answer) return Inspect(false);
        done_(FailStart(StartFailure::kImagePull,
                        {answer.error().code, fmt::format("Failed to pull image \"{}\": {}", image_,
                                                          answer.error().message)}));
      }));
}

}  // namespace jettison::cri
