#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "sim/recommend/recommendation.h"

namespace jettison {
namespace {

using std::chrono::seconds;
using Says = RequestAdvice::Says;

constexpr std::int64_t kMiB = 1 << 20;
const Instant kStart(std::chrono::hours(500'000));

// A pod with that request, and the MiB that it holds in each pass; passes are 10 s apart.
PodUseBook BookOf(std::int64_t request, int passes, const std::function<std::int64_t(int)>& held) {
  Pod pod{.name = "web", .namespace_ = "default"};
  pod.uid = "u";
  Container& container = pod.containers.emplace_back();
  container.name = "main";
  if (request > 0) {
    container.resources.requests.emplace("memory", Quantity::Of(request * kMiB));
  }
  const auto facts = std::make_shared<const PodFacts>(FactsOf(std::move(pod), Profile::kKubelet));
  PodUseBook book;
  for (int i = 0; i < passes; ++i) {
    auto pass = std::make_shared<RecordedPass>();
    pass->report.at = kStart + seconds(10 * i);
    pass->pods = {facts};
    pass->summary.pods.push_back(
        {.uid = "u",
         .name = "web",
         .namespace_ = "default",
         .memory_working_set_bytes = static_cast<std::uint64_t>(held(i) * kMiB),
         .has_memory = true});
    book.Add(std::shared_ptr<const RecordedPass>(std::move(pass)));
  }
  return book;
}

SimulatedEviction EvictionAt(std::int64_t held) {
  return {.uid = "u", .pod = "default/web", .when = {}, .limit = {}, .held = held * kMiB};
}

RequestAdvice AdviceOf(const PodUseBook& book, std::int64_t held_at_end) {
  const auto all = AdviceFor({EvictionAt(held_at_end)}, book, "node");
  EXPECT_EQ(all.size(), 1U);
  return all.empty() ? RequestAdvice{} : all.front();
}

TEST(RequestAdvice, ARequestBelowWhatAPodHoldsIsTooLow) {
  const auto advice = AdviceOf(BookOf(64, 100, [](int) { return 200; }), 200);
  EXPECT_EQ(advice.says, Says::kTooLow);
  EXPECT_EQ(advice.pod, "default/web");
  EXPECT_EQ(advice.request, 64 * kMiB);
  EXPECT_EQ(advice.proposal, 200 * kMiB);
  EXPECT_EQ(AdviceText(advice), "too low; request 200Mi");
  EXPECT_EQ(AdviceOf(BookOf(0, 100, [](int) { return 200; }), 200).says, Says::kTooLow);
}

TEST(RequestAdvice, ARequestThatAPodNeverComesNearIsTooHigh) {
  const auto advice = AdviceOf(BookOf(1000, 100, [](int i) { return 190 + i % 10; }), 199);
  EXPECT_EQ(advice.says, Says::kTooHigh);
  EXPECT_EQ(advice.proposal, 200 * kMiB);
}

TEST(RequestAdvice, ARequestInBetweenFits) {
  const auto advice =
      AdviceOf(BookOf(210, 100, [](int i) { return i % 50 == 0 ? 220 : 200; }), 200);
  EXPECT_EQ(advice.says, Says::kFits);
  EXPECT_FALSE(advice.proposal);
}

TEST(RequestAdvice, NoRequestIsRightForAPodThatGrowsUntilItsEnd) {
  const auto advice = AdviceOf(BookOf(64, 100, [](int i) { return 20 + i * 10; }), 1000);
  EXPECT_EQ(advice.says, Says::kGrows);
  EXPECT_FALSE(advice.proposal);
}

TEST(RequestAdvice, EvictionsForOtherThanMemoryHaveNone) {
  const PodUseBook book = BookOf(64, 100, [](int) { return 200; });
  SimulatedEviction disk = EvictionAt(200);
  disk.signal = Signal::kNodeFsAvailable;
  SimulatedEviction limit = EvictionAt(200);
  limit.limit = StorageLimitKind::kPod;
  SimulatedEviction stranger = EvictionAt(200);
  stranger.uid = "nobody";
  EXPECT_TRUE(AdviceFor({disk, limit, stranger}, book, "node").empty());
}

}  // namespace
}  // namespace jettison
