#include "ports/fakes/scarcity.h"

#include <gtest/gtest.h>

#include "http/client/client.h"
#include "http/server/testing/test_server.h"

namespace jettison::http {
namespace {

HttpResponse Answering(const HttpRequest&) {
  return {.content_type = "text/plain", .body = "good"};
}

// However few there are: it serves, or says that it cannot.
TEST(HttpScarcity, AServerWithoutDescriptorsIsAnError) {
  bool refused = false;
  bool served = false;
  for (int spare = 0; spare < 20; ++spare) {
    TestServer server;
    bool started = false;
    {
      const ScarceDescriptors scarce(spare);
      started = server.Start(Answering);
    }
    refused = refused || server.error.code == ErrorCode::kUnavailable;
    if (!started) continue;
    served = true;
    EXPECT_TRUE(HttpGet({.endpoint = server.endpoint()}, "/")) << spare;
  }
  EXPECT_TRUE(refused);
  EXPECT_TRUE(served);
}

}  // namespace
}  // namespace jettison::http
