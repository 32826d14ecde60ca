#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "api/api.h"
#include "api/test_snapshot.h"
#include "core/shadow/shadow_book.h"

namespace jettison {
namespace {

using ::testing::HasSubstr;

class ShadowEndpoint : public testing::Test {
 protected:
  HttpResponse Get(std::shared_ptr<const ShadowView> shadow) {
    Snapshot snapshot = TestSnapshot(1);
    snapshot.shadow = std::move(shadow);
    board_.Turned(kTestNow);
    board_.Put(std::make_shared<const Snapshot>(std::move(snapshot)));
    return api_.Answer({.method = "GET", .path = "/api/v1/shadow", .query = {}});
  }

  Board board_;
  Api api_{{.board = board_, .now = [] { return kTestNow; }, .started_at = kTestNow}};
};

TEST_F(ShadowEndpoint, TellsWhatWasCompared) {
  ShadowBook book;
  book.NoteOurs({.at = kTestNow,
                 .pod = {.namespace_ = "shop", .name = "cart", .uid = "u"},
                 .signal = Signal::kMemoryAvailable,
                 .message = "low"});
  const HttpResponse answer = Get(std::make_shared<const ShadowView>(book.View(kTestNow)));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.content_type, "application/json");
  EXPECT_THAT(answer.body, HasSubstr("\"open\":[{\"at\":"));
  EXPECT_THAT(answer.body, HasSubstr("\"name\":\"cart\""));
}

TEST_F(ShadowEndpoint, WithoutShadowModeSaysWhatItTakes) {
  const HttpResponse answer = Get(nullptr);
  EXPECT_EQ(answer.status, 404);
  EXPECT_THAT(answer.body, HasSubstr("not in shadow mode"));
  EXPECT_THAT(answer.body, HasSubstr("dryRun: true"));
}

}  // namespace
}  // namespace jettison
